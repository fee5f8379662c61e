import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

/** One turn of a script: what the model says and which tools it calls. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { name: string; args?: Record<string, unknown>; id?: string }[];
}

/** What the model was given at one call. */
export interface ScriptedCall {
  readonly messages: readonly BaseMessage[];
  readonly tools: readonly string[];
}

/**
 * A model that plays a script: the n-th turn answers a history with n AI messages; the last turn repeats.
 * A turn may be a function of the history. Pure, so a retry or a resumed run gives the same answer.
 */
export class ScriptedModel extends BaseChatModel {
  /** Every call so far, shared with the models that `bindTools` returns. */
  readonly calls: ScriptedCall[];
  readonly #turns: readonly (ScriptedTurn | ((messages: readonly BaseMessage[]) => ScriptedTurn))[];
  readonly #tools: readonly string[];

  constructor(
    turns: readonly (ScriptedTurn | ((messages: readonly BaseMessage[]) => ScriptedTurn))[],
    shared: { calls?: ScriptedCall[]; tools?: readonly string[] } = {},
  ) {
    super({});
    this.#turns = turns;
    this.calls = shared.calls ?? [];
    this.#tools = shared.tools ?? [];
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[]): ScriptedModel {
    const names = tools.map((tool) => String((tool as { name?: unknown }).name));
    return new ScriptedModel(this.#turns, { calls: this.calls, tools: names });
  }

  #turn(messages: BaseMessage[]): { turn: ScriptedTurn; index: number } {
    this.calls.push({ messages: [...messages], tools: this.#tools });
    const index = messages.filter((message) => message.getType() === "ai").length;
    const entry = this.#turns[Math.min(index, this.#turns.length - 1)] ?? {};
    return { turn: typeof entry === "function" ? entry(messages) : entry, index };
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { turn, index } = this.#turn(messages);
    const message = new AIMessage({
      id: `ai-${index}`,
      content: turn.text ?? "",
      tool_calls: (turn.calls ?? []).map((call, position) => ({
        type: "tool_call" as const,
        id: call.id ?? `call-${index}-${position}`,
        name: call.name,
        args: call.args ?? {},
      })),
    });
    return { generations: [{ text: turn.text ?? "", message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { turn, index } = this.#turn(messages);
    const id = `ai-${index}`;
    for (const piece of (turn.text ?? "").match(/\S+\s*|\s+/g) ?? []) {
      const chunk = new ChatGenerationChunk({
        text: piece,
        message: new AIMessageChunk({ id, content: piece }),
      });
      yield chunk;
      await runManager?.handleLLMNewToken(piece, undefined, undefined, undefined, undefined, { chunk });
    }
    const chunks = (turn.calls ?? []).map((call, position) => ({
      type: "tool_call_chunk" as const,
      index: position,
      id: call.id ?? `call-${index}-${position}`,
      name: call.name,
      args: JSON.stringify(call.args ?? {}),
    }));
    if (chunks.length === 0 && (turn.text ?? "") !== "") return;
    const last = new ChatGenerationChunk({
      text: "",
      message: new AIMessageChunk({ id, content: "", tool_call_chunks: chunks }),
    });
    yield last;
    await runManager?.handleLLMNewToken("", undefined, undefined, undefined, undefined, { chunk: last });
  }
}
