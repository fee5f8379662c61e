/** The frame of every tool: arguments in, an outcome or a named refusal out, always as one message. */
import type { BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { Command } from "@langchain/langgraph";
import {
  type ContentBlock,
  type DynamicStructuredTool,
  tool,
  ToolMessage,
  type ToolRuntime,
} from "langchain";
import { z } from "zod";
import { isBubbleUp } from "../langgraph/bubble-up.js";
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

/** Who wrote a tool's description: what a caller wrote is never changed. */
export const AUTHORS = ["face", "caller"] as const;
export type Author = (typeof AUTHORS)[number];

/** A file that holds what an answer shows parts of. */
export interface KeptText {
  readonly path: string;
  /** Of the whole text. */
  readonly characters: number;
  readonly lines: number;
  /** Characters between its beginning and its end that are not in the file. */
  readonly leftOut: number;
  /** False where the text was longer than what came here of it. */
  readonly isAll: boolean;
  /** Whether `fullText` is the whole; else only its beginning and its end are. */
  readonly isInText: boolean;
  /** What the answer says of the file, as it stands there. */
  readonly note: string;
}

/** Text for the model, facts for the machinery. */
export interface ToolOutcome {
  /** Never empty: some providers refuse an empty answer. */
  readonly text: string;
  /** What a model sees after the text: an image, a sound, a document. */
  readonly blocks?: readonly ContentBlock.Multimodal.Standard[];
  /** Stands in the message's `artifact`: saved with it, never sent to the model. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Stands in the message's `additional_kwargs`. */
  readonly marks?: Readonly<Record<string, unknown>>;
  /** Where `text` was cut: the whole of it, kept in this process only. */
  readonly fullText?: string | undefined;
  /** The file that it is already in. */
  readonly kept?: KeptText;
  /** Further channels of the graph's state to write; the outcome is then a Command. */
  readonly update?: Readonly<Record<string, unknown>>;
  /** Messages that follow the answer; the outcome is then a Command. */
  readonly followedBy?: readonly BaseMessage[];
}

export interface ToolSpec<Input extends z.ZodObject> {
  readonly name: string;
  readonly operation: Operation;
  readonly description: string;
  readonly describedBy?: Author;
  readonly input: Input;
  /** Other names under which models send an argument, with its own. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Makes a failure that nobody foresaw an answer too, without its message: that may hold what no model should see.
   * It is told here. Without this such failures are thrown.
   */
  readonly onUnforeseen?: (tool: string, error: unknown) => void;
  run(input: z.output<Input>, runtime: ToolRuntime): Promise<ToolOutcome>;
}

/**
 * Makes a LangChain tool. What {@link ToolSpec.run} returns becomes a ToolMessage; a DeerflowError that the model
 * can do something about becomes one with status `error`; anything else is thrown, or answered too where the spec
 * says `onUnforeseen`. An interrupt and the user's stop always pass through.
 */
export function defineTool<Input extends z.ZodObject>(spec: ToolSpec<Input>): DynamicStructuredTool {
  const invoke = async (given: unknown, runtime: ToolRuntime): Promise<ToolMessage | Command> => {
    const call = { id: runtime.toolCallId ?? runtime.toolCall?.id, name: spec.name };
    try {
      const input = parseArguments(spec.input, given, spec.aliases ?? {});
      return answer(call, await spec.run(input, runtime));
    } catch (error) {
      if (isBubbleUp(error) || runtime.signal?.aborted === true) throw error;
      if (DeerflowError.is(error) && error.retry === "model") return refuse(call, error.code, error.details);
      if (spec.onUnforeseen === undefined) throw error;
      spec.onUnforeseen(spec.name, error);
      return refuseUnforeseen(call, error);
    }
  };
  return tool(invoke, {
    name: spec.name,
    description: spec.description,
    // LangChain would refuse slightly wrong arguments before this tool could mend or explain them, so it is shown
    // the schema and told to accept everything.
    schema: z.unknown().meta(z.toJSONSchema(spec.input, { io: "input" })),
    metadata: { operation: spec.operation, describedBy: spec.describedBy ?? "face" },
    // The cast is sound: a schema of unknown makes a structured tool whose input is unknown.
  }) as unknown as DynamicStructuredTool;
}

type Call = Pick<ToolCall, "id" | "name">;

function answer(call: Call, outcome: ToolOutcome): ToolMessage | Command {
  const { text, blocks = [], facts, marks = {}, fullText, kept, update, followedBy = [] } = outcome;
  const message = new ToolMessage({
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "success",
    content: blocks.length === 0 ? text : [{ type: "text", text }, ...blocks],
    additional_kwargs: { ...marks },
    artifact: facts,
  });
  if (fullText !== undefined) FULL_TEXTS.set(message, { text: fullText, kept });
  if (update === undefined && followedBy.length === 0) return message;
  return new Command({ update: { ...update, messages: [message, ...followedBy] } });
}

/** Held as long as the message itself, and never stored. */
const FULL_TEXTS = new WeakMap<ToolMessage, { readonly text: string; readonly kept: KeptText | undefined }>();

/** The whole of what a tool had to say where its message was cut; undefined where the message is whole. */
export const fullTextOf = (message: ToolMessage): string | undefined => FULL_TEXTS.get(message)?.text;

/** The file that this text is in already; undefined where it is in none. */
export const keptTextOf = (message: ToolMessage): KeptText | undefined => FULL_TEXTS.get(message)?.kept;

/** The same answer with other content. What {@link fullTextOf} knows of it goes with it. */
export function withContent(message: ToolMessage, content: ToolMessage["content"]): ToolMessage {
  const copy = withContentAlone(message, content);
  const fullText = FULL_TEXTS.get(message);
  if (fullText !== undefined) FULL_TEXTS.set(copy, fullText);
  return copy;
}

/** The same answer with other content, which is all that is left of it: a text that was cut is let go. */
export function withContentAlone(message: ToolMessage, content: ToolMessage["content"]): ToolMessage {
  const { id, name, tool_call_id, status, artifact, metadata, additional_kwargs, response_metadata } =
    message;
  return new ToolMessage({
    tool_call_id,
    content,
    artifact,
    additional_kwargs,
    response_metadata,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata }),
  });
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

/**
 * A sentence without details is ours alone; details, and the message of a foreign error, may hold a host path. What is
 * ours and no model can mend is no better at the next try.
 */
function refuseUnforeseen(call: Call, error: unknown): ToolMessage {
  if (!DeerflowError.is(error))
    return refuse(call, "file_tool_failed", { tool: call.name, kind: "unforeseen" });
  if (Object.keys(error.details).length === 0) return refuse(call, error.code);
  return refuse(call, "file_tool_unusable", { tool: call.name, kind: error.code });
}

/** What a tool does; undefined for one that was not made by {@link defineTool}. */
export function operationOf(tool: unknown): Operation | undefined {
  const parsed = Described.safeParse(tool);
  return parsed.success ? parsed.data.metadata.operation : undefined;
}

/** Whether a tool's description is its caller's own; undefined for one that was not made by {@link defineTool}. */
export function describedBy(tool: unknown): Author | undefined {
  const parsed = Described.safeParse(tool);
  return parsed.success ? parsed.data.metadata.describedBy : undefined;
}

const Described = z.object({
  metadata: z.object({ operation: z.enum(OPERATIONS), describedBy: z.enum(AUTHORS).optional() }),
});
