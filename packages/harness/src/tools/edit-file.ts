import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { readProse } from "../base/prose.js";
import { parseVirtualPath, shownPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { applyEdit, type Edit } from "../filesystem/edit.js";
import { decodeText, encodeText } from "../filesystem/text.js";
import { defineTool } from "./define-tool.js";
import { description, path, PATH_ALIASES } from "./file-arguments.js";
import { absence, changeFile } from "../filesystem/change-file.js";
import { assertWritableText } from "./write-file.js";

const DESCRIPTION = readProse(new URL("./edit-file.md", import.meta.url));

const input = z.object({
  description,
  path,
  old_str: z.string().describe("The text to replace, exactly as it stands in the file."),
  new_str: z.string().describe("The text to put in its place."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence; else there must be exactly one."),
});

const ALIASES = {
  ...PATH_ALIASES,
  old_string: "old_str",
  new_string: "new_str",
  old_text: "old_str",
  new_text: "new_str",
};

/** Replaces text in a file. */
export const editFile = (files: FileBackend, name: string) =>
  defineTool({
    name,
    operation: "edit",
    description: DESCRIPTION,
    input,
    aliases: ALIASES,
    async run(given) {
      const file = parseVirtualPath(given.path);
      assertWritableText(given.new_str);
      const edit = { oldText: given.old_str, newText: given.new_str, replaceAll: given.replace_all };
      const { version, told } = await changeFile(files, file, async (content) => {
        if (content === undefined) throw await absence(files, file);
        return edited(file, content.bytes, edit);
      });
      const count = told === 1 ? "1 occurrence" : `${told} occurrences`;
      return {
        text: `Replaced ${count} in ${shownPath(file)}.`,
        facts: { path: file, version, replacements: told },
      };
    },
  });

/** @throws DeerflowError `file_not_text`, and what {@link applyEdit} throws */
function edited(file: string, bytes: Uint8Array, edit: Edit) {
  const decoded = decodeText(bytes);
  if (decoded === undefined) throw new DeerflowError("file_not_text", { path: shownPath(file) });
  const { text, replacements } = applyEdit(file, decoded.text, edit);
  return { bytes: encodeText({ ...decoded, text }), told: replacements };
}
