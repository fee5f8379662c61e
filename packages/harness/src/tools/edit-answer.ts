/** How an edit is answered; the same in every dialect. */
import { counted } from "../base/counted.js";
import { shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { EditRequest, EditResult } from "./edit-file.js";

export function editAnswer({ version, replacements }: EditResult, { path }: EditRequest): ToolOutcome {
  const count = counted(replacements, "occurrence");
  return { text: `Replaced ${count} in ${shownPath(path)}.`, facts: { path, version, replacements } };
}
