/** Names a thread after the user's first request, so that lists show it while the first run still works. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { z } from "zod";

export interface TitleOptions {
  readonly maxWords: number;
  readonly maxCharacters: number;
}

export function title(options: TitleOptions) {
  return createMiddleware({
    name: "title",
    stateSchema: z.object({ title: z.string().optional() }),
    beforeAgent(state) {
      if (state.title) return undefined;
      const text = firstRequest(state.messages);
      return text === undefined ? undefined : { title: titleOf(text, options) };
    },
  });
}

const firstRequest = (messages: readonly BaseMessage[]): string | undefined =>
  messages.find((message) => HumanMessage.isInstance(message) && message.text.trim() !== "")?.text;

/** The first words of the first line, cut at a word; an ellipsis says that there was more. */
export function titleOf(request: string, { maxWords, maxCharacters }: TitleOptions): string {
  const line = request.trim().split("\n")[0] ?? "";
  const words = line.split(/\s+/).filter((word) => word !== "");
  let kept = "";
  for (const word of words.slice(0, maxWords)) {
    const longer = kept === "" ? word : `${kept} ${word}`;
    if ([...longer].length > maxCharacters - 1) break;
    kept = longer;
  }
  if (kept === "") return `${[...line].slice(0, maxCharacters - 1).join("")}…`;
  return kept.length < words.join(" ").length ? `${kept}…` : kept;
}
