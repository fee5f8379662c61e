/** Shortens results that lie in no file: fresh ones that could not be stored, and old ones that never were. */
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { operationOf } from "../tools/define-tool.js";
import { toolMessageWith } from "./offload-message.js";
import { type CutSize, limitFor, type OffloadRules } from "./offload-rules.js";
import { headLinesOf, tailLinesOf, textOf } from "./offload-text.js";

/** Both ends of a text with a notice between them; the text itself when it is short enough. */
export function cutText(text: string, { aboveCharacters, headCharacters, tailCharacters }: CutSize): string {
  if (aboveCharacters <= 0 || text.length <= aboveCharacters) return text;
  const head = headLinesOf(text, headCharacters);
  const tail = tailLinesOf(text, tailCharacters);
  const leftOut = text.length - head.length - tail.length;
  const notice = `[… ${leftOut} of ${text.length} characters are left out here and stored nowhere. Ask for a smaller part. …]`;
  return leftOut <= notice.length ? text : `${head}\n${notice}\n${tail}`;
}

/** The message with its text cut; itself when it is short enough. */
export function cutMessage(message: ToolMessage, size: CutSize): ToolMessage {
  const text = textOf(message);
  const cut = cutText(text, size);
  return cut === text ? message : toolMessageWith(message, cut);
}

/** Cuts long results in the messages of a request. Remembers what it made of each, for as long as that lives. */
export class HistoryCutter {
  readonly #rules: OffloadRules;
  readonly #seen = new WeakMap<ToolMessage, ToolMessage>();

  constructor(rules: OffloadRules) {
    this.#rules = rules;
  }

  /** The same list when no message in it is too long. */
  cut(messages: BaseMessage[], tools: readonly unknown[]): BaseMessage[] {
    const { cut } = this.#rules;
    if (cut === undefined) return messages;
    const operations = new Map(tools.map((tool) => [nameOf(tool), operationOf(tool)]));
    const shown = messages.map((message) => {
      if (!ToolMessage.isInstance(message)) return message;
      const name = message.name ?? "";
      const limit = limitFor(this.#rules, name, operations.get(name));
      return limit === undefined ? message : this.#cutOne(message, sizeFor(cut, limit));
    });
    return shown.some((message, index) => message !== messages[index]) ? shown : messages;
  }

  #cutOne(message: ToolMessage, size: CutSize): ToolMessage {
    const known = this.#seen.get(message);
    if (known !== undefined) return known;
    const cut = cutMessage(message, size);
    this.#seen.set(message, cut);
    return cut;
  }
}

/** A tool that may say more than others is not cut below what it may say. */
export const sizeFor = (cut: CutSize, limit: number): CutSize =>
  cut.aboveCharacters <= 0 ? cut : { ...cut, aboveCharacters: Math.max(cut.aboveCharacters, limit) };

const nameOf = (tool: unknown): string =>
  typeof tool === "object" && tool !== null && "name" in tool ? String(tool.name) : "";
