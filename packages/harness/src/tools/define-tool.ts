/** The frame of every tool: arguments in, an outcome or a named refusal out, always as one message. */
import type { ToolCall } from "@langchain/core/messages/tool";
import { Command } from "@langchain/langgraph";
import { type DynamicStructuredTool, tool, ToolMessage, type ToolRuntime } from "langchain";
import { z } from "zod";
import { DeerflowError, type ErrorCode, type ErrorDetails } from "../base/errors.js";
import { parseArguments } from "./tolerant-arguments.js";

/** What a tool does, so that gates and audit need not know its name. */
export const OPERATIONS = [
  "list",
  "glob",
  "grep",
  "read",
  "write",
  "edit",
  "delete",
  "execute",
  "present",
  "ask",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Text for the model, facts for the machinery. */
export interface ToolOutcome {
  /** Never empty: some providers refuse an empty answer. */
  readonly text: string;
  /** Stands in the message's `artifact`: saved with it, never sent to the model. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Further channels of the graph's state to write; the outcome is then a Command. */
  readonly update?: Readonly<Record<string, unknown>>;
}

export interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly operation: Operation;
  readonly description: string;
  readonly input: Input;
  /** Other names under which models send an argument, with its own. */
  readonly aliases?: Readonly<Record<string, string>>;
  run(input: z.output<Input>, runtime: ToolRuntime): Promise<ToolOutcome>;
}

/**
 * Makes a LangChain tool. What {@link ToolSpec.run} returns becomes a ToolMessage; a DeerflowError that the model
 * can do something about becomes one with status `error`; anything else is thrown.
 */
export function defineTool<Input extends z.ZodObject>(spec: ToolSpec<Input>): DynamicStructuredTool {
  const invoke = async (given: unknown, runtime: ToolRuntime): Promise<ToolMessage | Command> => {
    const call = { id: runtime.toolCallId ?? runtime.toolCall?.id, name: spec.name };
    try {
      const input = parseArguments(spec.input, given, spec.aliases ?? {});
      return answer(call, await spec.run(input, runtime));
    } catch (error) {
      if (DeerflowError.is(error) && error.retry === "model") return refuse(call, error.code, error.details);
      throw error;
    }
  };
  return tool(invoke, {
    name: spec.name,
    description: spec.description,
    // LangChain would refuse slightly wrong arguments before this tool could mend or explain them, so it is shown
    // the schema and told to accept everything.
    schema: z.unknown().meta(z.toJSONSchema(spec.input, { io: "input" })),
    metadata: { operation: spec.operation },
    // The cast is sound: a schema of unknown makes a structured tool whose input is unknown.
  }) as unknown as DynamicStructuredTool;
}

type Call = Pick<ToolCall, "id" | "name">;

function answer(call: Call, { text, facts, update }: ToolOutcome): ToolMessage | Command {
  const message = new ToolMessage({
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "success",
    content: text,
    artifact: facts,
  });
  return update === undefined ? message : new Command({ update: { ...update, messages: [message] } });
}

/**
 * The shape of every "no" that a model sees, whether a tool or a middleware says it.
 * @param guidance further text for the model, below the sentence
 */
export function refuse(
  call: Call,
  code: ErrorCode,
  details: ErrorDetails = {},
  guidance?: string,
): ToolMessage {
  const { sentence } = new DeerflowError(code, details);
  return new ToolMessage({
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "error",
    content: guidance === undefined ? `Error: ${sentence}` : `Error: ${sentence}\n${guidance}`,
    artifact: { code, ...details },
  });
}

/** What a tool does; undefined for one that was not made by {@link defineTool}. */
export function operationOf(tool: unknown): Operation | undefined {
  const parsed = Described.safeParse(tool);
  return parsed.success ? parsed.data.metadata.operation : undefined;
}

const Described = z.object({ metadata: z.object({ operation: z.enum(OPERATIONS) }) });
