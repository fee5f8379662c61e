/** How a write is answered; the same in every dialect. */
import { counted } from "../base/counted.js";
import { shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { WriteRequest, WriteResult } from "./write-file.js";

export function writeAnswer({ done, size, version }: WriteResult, { path }: WriteRequest): ToolOutcome {
  const shown = shownPath(path);
  const bytes = counted(size, "byte");
  const texts: Readonly<Record<WriteResult["done"], string>> = {
    created: `Created ${shown} (${bytes}).`,
    replaced: `Replaced ${shown} (${bytes}).`,
    written: `Wrote ${shown} (${bytes}).`,
    appended: `Appended to ${shown} (now ${bytes}).`,
  };
  return { text: texts[done], facts: { path, version, bytes: size, created: done === "created" } };
}
