/** The text of a message that was not sent yet; kept when the page is left. */
import { useState } from "react";
import { remember, remembered } from "../../lib/storage.js";

/** @param threadId undefined for a conversation that does not exist yet */
export function useDraft(threadId: string | undefined): readonly [string, (text: string) => void] {
  const key = `draft.${threadId ?? "new"}`;
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>({});
  const write = (text: string) => {
    remember(key, text);
    setDrafts((now) => ({ ...now, [key]: text }));
  };
  return [drafts[key] ?? remembered(key) ?? "", write];
}
