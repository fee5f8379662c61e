/** How an archive is refused. */
import { DeerflowError } from "../../base/errors.js";
import { shownPath } from "../../base/virtual-path.js";

/** @param fault follows the name of the entry in a sentence */
export function entryRefused(name: string, fault: string): DeerflowError {
  const entry = shownPath(name) || '""';
  return new DeerflowError("archive_invalid", { entry, reason: `${entry} ${fault}` });
}

export const archiveRefused = (reason: string, cause?: unknown): DeerflowError =>
  new DeerflowError("archive_invalid", { reason }, cause);

export const archiveTooLarge = (reason: string): DeerflowError =>
  new DeerflowError("archive_too_large", { reason });

/** For whatever a reader of a format throws: it met what the format does not allow. */
export const damaged = (thrown: unknown): DeerflowError =>
  DeerflowError.is(thrown) ? thrown : archiveRefused("it is damaged or cut off", thrown);
