/** A chat model without a mind: it speaks LangChain's language, and a script decides what it says. */
import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BindToolsInput,
  type LangSmithParams,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { sha256 } from "../../base/hash.js";
import { textOf } from "./history-view.js";
import { planNextTurn } from "./planner.js";
import type { Turn } from "./turn.js";

export const DEMO_MODEL_NAME = "demo/scripted-1";

/** Waits between two pieces; rejects when the signal aborts. */
export type Delay = (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;

export interface DemoChatModelOptions {
  /** Pause between streamed pieces; 0, the default, has none. */
  readonly paceMilliseconds?: number;
  readonly delay?: Delay;
}

const realDelay: Delay = (milliseconds, signal) =>
  sleep(milliseconds, undefined, signal === undefined ? {} : { signal });

// The library types the usage of a message without a declared structure as absent, hence the cast.
const CLOSING_FIELDS = {
  usage_metadata: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  response_metadata: { model_name: DEMO_MODEL_NAME, model_provider: "demo" },
} as object;
const ARGUMENT_PIECE = 40;

interface IdentifiedTurn extends Turn {
  readonly ids: readonly string[];
}

/**
 * The demo model (scripted, no AI). The same history gives the same turn with the same call ids.
 * @example await new DemoChatModel().bindTools(tools).invoke([new HumanMessage("Profile sales.csv")])
 */
export class DemoChatModel extends BaseChatModel {
  readonly model = DEMO_MODEL_NAME;
  readonly #toolNames: readonly string[];
  readonly #options: DemoChatModelOptions;

  constructor(options: DemoChatModelOptions = {}, toolNames: readonly string[] = []) {
    super({});
    this.#options = Object.freeze({ ...options });
    this.#toolNames = toolNames;
  }

  override _llmType(): string {
    return "demo";
  }

  override getLsParams(): LangSmithParams {
    return { ls_provider: "demo", ls_model_name: DEMO_MODEL_NAME, ls_model_type: "chat" };
  }

  override bindTools(tools: BindToolsInput[]): DemoChatModel {
    return new DemoChatModel(this.#options, tools.flatMap(toolNameOf));
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    options.signal?.throwIfAborted();
    const { text, calls, ids } = this.#turn(messages);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ name, args }, index) => ({
        type: "tool_call" as const,
        id: ids[index] ?? "",
        name,
        args: { ...args },
      })),
      ...CLOSING_FIELDS,
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { paceMilliseconds = 0, delay = realDelay } = this.#options;
    for (const chunk of chunksOf(this.#turn(messages))) {
      options.signal?.throwIfAborted();
      if (paceMilliseconds > 0) await delay(paceMilliseconds, options.signal);
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  #turn(messages: readonly BaseMessage[]): IdentifiedTurn {
    const turn = planNextTurn(messages, this.#toolNames);
    return { ...turn, ids: turn.calls.map((_, index) => callId(messages, index)) };
  }
}

/** The same place in the same conversation gives the same id; another branch of it gives another. */
function callId(messages: readonly BaseMessage[], index: number): string {
  const place = messages.map((message) => [message.getType(), message.id ?? "", textOf(message)]);
  return `demo-${sha256(JSON.stringify([place, index])).slice(0, 20)}`;
}

function chunksOf({ text, calls, ids }: IdentifiedTurn): ChatGenerationChunk[] {
  const words = (text.match(/\S+\s*|\s+/g) ?? []).map((piece) => chunk(piece, { content: piece }));
  const parts = calls.flatMap(({ name, args }, index) =>
    argumentPieces(args).map((piece, part) =>
      chunk("", {
        content: "",
        tool_call_chunks: [
          {
            type: "tool_call_chunk" as const,
            index,
            args: piece,
            // As with real providers, only the first part says which call it belongs to.
            ...(part === 0 ? { id: ids[index] ?? "", name } : {}),
          },
        ],
      }),
    ),
  );
  const end = chunk("", { content: "", ...CLOSING_FIELDS });
  return [...words, ...parts, end];
}

const chunk = (
  text: string,
  fields: ConstructorParameters<typeof AIMessageChunk>[0] & object,
): ChatGenerationChunk => new ChatGenerationChunk({ text, message: new AIMessageChunk(fields) });

/** JSON cut into pieces; long contents are cut into larger ones, so that a file does not take a thousand pieces. */
function argumentPieces(args: Readonly<Record<string, unknown>>): string[] {
  const json = JSON.stringify(args);
  const size = Math.max(ARGUMENT_PIECE, Math.ceil(json.length / 40));
  return Array.from({ length: Math.ceil(json.length / size) }, (_, part) =>
    json.slice(part * size, (part + 1) * size),
  );
}

function toolNameOf(tool: BindToolsInput): string[] {
  const named: { name?: unknown; function?: { name?: unknown } } = tool;
  const name = named.name ?? named.function?.name;
  return typeof name === "string" ? [name] : [];
}
