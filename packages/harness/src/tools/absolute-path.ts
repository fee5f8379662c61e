import { DeerflowError } from "../base/errors.js";
import { fromSegments, parseVirtualPath, segmentsOf, shownPath } from "../base/virtual-path.js";

/**
 * The canonical path of a call. One that is not absolute is refused with the one that was probably meant: to guess
 * and go on would put files where nobody looks for them.
 * @throws DeerflowError `path_invalid`
 */
export function absolutePath(given: string, workingDirectory: string): string {
  const meant = given.startsWith("/") ? undefined : probablyMeant(given, workingDirectory);
  if (meant === undefined) return parseVirtualPath(given);
  const reason = `it is not absolute; ${shownPath(meant)} is probably meant`;
  throw new DeerflowError("path_invalid", { path: shownPath(given), reason });
}

/** Undefined where a slash alone would not make a path of it. */
function probablyMeant(given: string, workingDirectory: string): string | undefined {
  try {
    const absolute = parseVirtualPath(`/${given}`);
    if (given.trim() === "" || given.startsWith("~") || /^[A-Za-z]:/.test(given)) return undefined;
    const [first] = segmentsOf(absolute);
    const lacksSlashOnly = first !== undefined && first === segmentsOf(workingDirectory)[0];
    return lacksSlashOnly
      ? absolute
      : fromSegments([...segmentsOf(workingDirectory), ...segmentsOf(absolute)]);
  } catch (error) {
    if (DeerflowError.is(error)) return undefined;
    throw error;
  }
}
