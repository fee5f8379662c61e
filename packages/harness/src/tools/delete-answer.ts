/** How a removal is answered; the same in every dialect. */
import { shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { DeleteRequest, DeleteResult } from "./delete-file.js";

export function deleteAnswer({ kind, entries }: DeleteResult, { path }: DeleteRequest): ToolOutcome {
  return {
    text: `Deleted ${whatWas(path, kind, entries)}.`,
    facts: { path, kind: kind ?? null, entries: entries ?? null },
  };
}

function whatWas(path: string, kind: DeleteResult["kind"], entries: number | undefined): string {
  const shown = shownPath(path);
  switch (kind) {
    case undefined:
      return shown;
    case "file":
      return `the file ${shown}`;
    case "link":
      return `the link ${shown}; what it led to stays`;
    case "directory":
      return entries === undefined
        ? `the folder ${shown} with all that was in it`
        : `the folder ${shown}, which had ${entries === 1 ? "1 entry" : `${entries} entries`}`;
  }
}
