/** Which of the chosen files the gateway would not take, known before anything is sent. */
import type { UploadLimits } from "@deerflow/protocol";
import type { MessageKey } from "../../i18n/en.js";
import { formatSize } from "../../lib/format.js";
import type { Attachment } from "./attachment.js";

/** A text and the values for its places. */
export interface Refusal {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string>>;
}

type Sized = Pick<File, "name" | "size">;

/** A size that is over a limit by less than its own rounding must not read like the limit. */
const over = (size: number, limit: number): string => {
  const [written, most] = [formatSize(size), formatSize(limit)];
  return written === most ? `> ${most}` : written;
};

function refusalOf(file: Sized, before: readonly Sized[], limits: UploadLimits): Refusal | undefined {
  const { name, size } = file;
  const { max_files, max_file_size, max_total_size } = limits;
  const told = (key: MessageKey, bytes: number, limit: number): Refusal => ({
    key,
    values: { name, size: over(bytes, limit), limit: formatSize(limit) },
  });
  if (size > max_file_size) return told("fileTooBig", size, max_file_size);
  if (before.length >= max_files) return { key: "tooManyFiles", values: { name, limit: String(max_files) } };
  const total = before.reduce((sum, other) => sum + other.size, size);
  return total > max_total_size ? told("filesTooBig", total, max_total_size) : undefined;
}

/**
 * One entry per file: why it is refused, or undefined. Files that are refused do not count for those after them.
 *
 * @param list what is attached already
 * @param limits undefined while they are not known; then the gateway decides
 */
export function uploadRefusals(
  list: readonly Attachment[],
  files: readonly Sized[],
  limits: UploadLimits | undefined,
): readonly (Refusal | undefined)[] {
  if (limits === undefined) return files.map(() => undefined);
  const taken: Sized[] = list.filter(({ error }) => error === undefined);
  return files.map((file) => {
    const refusal = refusalOf(file, taken, limits);
    if (refusal === undefined) taken.push(file);
    return refusal;
  });
}
