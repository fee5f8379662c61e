/** How a write is answered; the same in every dialect. */
import { shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { WriteRequest, WriteResult } from "./write-file.js";

export function writeAnswer({ done, size, version }: WriteResult, { path }: WriteRequest): ToolOutcome {
  const shown = shownPath(path);
  const texts: Readonly<Record<WriteResult["done"], string>> = {
    created: `Created ${shown} (${size} bytes).`,
    replaced: `Replaced ${shown} (${size} bytes).`,
    written: `Wrote ${shown} (${size} bytes).`,
    appended: `Appended to ${shown} (now ${size} bytes).`,
  };
  return { text: texts[done], facts: { path, version, bytes: size, created: done === "created" } };
}
