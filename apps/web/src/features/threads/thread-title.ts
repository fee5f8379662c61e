/** What a conversation is called in the list. */
import { listOf, recordOf, textOf } from "@deerflow/client";
import type { Thread } from "@deerflow/protocol";

/** The title; else the beginning of the first message; else undefined. */
export function threadTitle(thread: Pick<Thread, "values">): string | undefined {
  const title = textOf(thread.values["title"]);
  if (title !== undefined && title.trim() !== "") return title;
  const content = recordOf(listOf(thread.values["messages"])[0])["content"];
  const text = typeof content === "string" ? content : textOf(recordOf(listOf(content)[0])["text"]);
  return text === undefined || text.trim() === "" ? undefined : text.trim().slice(0, 80);
}
