/** Replacing text in a file. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { absence, changeFile } from "../filesystem/change-file.js";
import type { Version } from "../filesystem/contract.js";
import { applyEdit, type Edit } from "../filesystem/edit.js";
import { decodeText, encodeText } from "../filesystem/text.js";
import type { Perform } from "./face.js";
import { assertWritableText } from "./write-file.js";

export interface EditRequest extends Edit {
  readonly path: string;
}

export interface EditResult {
  readonly version: Version;
  readonly replacements: number;
}

/**
 * @throws DeerflowError `path_not_found`, `is_a_directory`, `file_not_text`, `file_changed`, `arguments_invalid`, and
 * what {@link applyEdit} throws
 */
export const editFile: Perform<EditRequest, EditResult> = async (request, { files }) => {
  const { path } = request;
  assertWritableText(request.newText);
  const { version, told } = await changeFile(files, path, async (content) => {
    if (content === undefined) throw await absence(files, path);
    const decoded = decodeText(content.bytes);
    if (decoded === undefined) throw new DeerflowError("file_not_text", { path: shownPath(path) });
    const { text, replacements } = applyEdit(path, decoded.text, request);
    return { bytes: encodeText({ ...decoded, text }), told: replacements };
  });
  return { version, replacements: told };
};
