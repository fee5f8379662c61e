/** What the operating system refuses, said without a host path. */
import { DeerflowError, type ErrorCode } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";

/** One row per errno that has a better name than "the disk refused". */
const ERRNO: Readonly<Record<string, { readonly code: ErrorCode; readonly reason: string }>> = {
  EACCES: { code: "path_denied", reason: "the operating system does not allow it" },
  EPERM: { code: "path_denied", reason: "the operating system does not allow it" },
  EROFS: { code: "path_denied", reason: "it is read-only" },
  ELOOP: { code: "path_denied", reason: "a link stands in the way" },
  ENAMETOOLONG: { code: "path_invalid", reason: "it is too long" },
  ENOENT: { code: "path_not_found", reason: "" },
  ENOTDIR: { code: "not_a_directory", reason: "" },
  EISDIR: { code: "is_a_directory", reason: "" },
};

/** The errno of a failed system call; undefined for anything else. */
export const errnoOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** Whether the failure only says that nothing is there. */
export const isAbsence = (thrown: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errnoOf(thrown) ?? "");

/**
 * The named failure for a failed system call on `path` (virtual). What is no system error passes unchanged.
 * The original is kept as the cause, for logs only: its message holds host paths.
 */
export function diskError(thrown: unknown, path: string): unknown {
  const errno = errnoOf(thrown);
  if (errno === undefined || DeerflowError.is(thrown)) return thrown;
  const row = ERRNO[errno] ?? { code: "disk_failed", reason: errno };
  return new DeerflowError(row.code, { path: shownPath(path), reason: row.reason }, thrown);
}
