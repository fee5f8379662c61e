/** How the tests read what the LangGraph SDK streams. */

/** One event of a run's stream. */
export interface Part {
  readonly id?: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

export interface WireMessage {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string }[];
}

export interface Values {
  readonly messages: readonly WireMessage[];
  readonly artifacts: readonly string[];
  readonly title?: string;
}

export async function collect(parts: AsyncIterable<unknown>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part as Part);
  return all;
}

/** Reads until `enough`, and leaves the rest. Throws when the stream ends before. */
export async function readUntil(
  parts: AsyncIterable<unknown>,
  enough: (part: Part) => boolean,
): Promise<Part[]> {
  const read: Part[] = [];
  for await (const part of parts) {
    read.push(part as Part);
    if (enough(part as Part)) return read;
  }
  throw new Error(`The stream ended too early, with ${JSON.stringify(read.at(-1))}`);
}

/** The message or piece of a message in a `messages` event. */
export const pieceOf = ({ event, data }: Part): WireMessage | undefined =>
  event === "messages" ? (data as [WireMessage])[0] : undefined;

/** The state in a `values` event. */
export const valuesOf = ({ event, data }: Part): Values | undefined =>
  event === "values" ? (data as Values) : undefined;

export const lastValues = (parts: readonly Part[]): Values | undefined =>
  parts.map(valuesOf).findLast((values) => values !== undefined);

/** What the model wrote, put together from its pieces, by message id. */
export function writtenTexts(parts: readonly Part[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const piece of parts.map(pieceOf)) {
    if (piece?.type !== "AIMessageChunk") continue;
    texts.set(piece.id, (texts.get(piece.id) ?? "") + piece.content);
  }
  return texts;
}

/** True for the `values` event in which the model has just asked for this tool. */
export const asksFor =
  (tool: string) =>
  (part: Part): boolean =>
    valuesOf(part)
      ?.messages.at(-1)
      ?.tool_calls?.some(({ name }) => name === tool) === true;
