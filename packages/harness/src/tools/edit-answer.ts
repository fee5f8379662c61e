/** How an edit is answered; the same in every dialect. */
import { shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { EditRequest, EditResult } from "./edit-file.js";

export function editAnswer({ version, replacements }: EditResult, { path }: EditRequest): ToolOutcome {
  const count = replacements === 1 ? "1 occurrence" : `${replacements} occurrences`;
  return { text: `Replaced ${count} in ${shownPath(path)}.`, facts: { path, version, replacements } };
}
