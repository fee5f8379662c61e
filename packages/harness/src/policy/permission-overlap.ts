/** Whether a pattern and a whole tree of files have something in common. */
import { fromSegments } from "../base/virtual-path.js";
import type { PathPattern } from "./permission-pattern.js";
import { foldCase, normalise, type Spelling, spellingOf } from "./permission-spelling.js";

/** Whether a removal of `target`, with everything below it, could take a file that `pattern` means. When unsure: yes. */
export function reachesInto(pattern: PathPattern, target: Spelling, foldsCase: boolean): boolean {
  const anchor = comparable(pattern.anchor, foldsCase);
  const names = comparable(target.exact, foldsCase);
  if (isBelow(anchor, names)) return true;
  if (pattern.isLiteral) return isBelow(names, anchor);
  if (anchor.length === 0 || pattern.catches(target, foldsCase)) return true;
  if (!isBelow(names, anchor)) return false;
  if (!pattern.isOneNameBelow) return true;
  return foldersBetween(target, anchor.length).some((folder) => pattern.catches(folder, foldsCase));
}

/** Where the tree below `target` and the tree that holds all that `pattern` means meet. */
export interface Meeting {
  readonly root: Spelling;
  /** False when the root is only known as the rule spells it; what lies there may be spelled otherwise. */
  readonly isAsAsked: boolean;
}

/** The deeper of the target and the pattern's anchor; undefined when neither lies in the other. */
export function meetingOf(pattern: PathPattern, target: Spelling, foldsCase: boolean): Meeting | undefined {
  const anchor = comparable(pattern.anchor, foldsCase);
  const names = comparable(target.exact, foldsCase);
  if (isBelow(names, anchor)) return { root: target, isAsAsked: true };
  const root = isBelow(anchor, names) ? spellingOf(fromSegments(pattern.anchor)) : undefined;
  return root && { root, isAsAsked: !foldsCase && /^[\u0020-\u007e]*$/.test(pattern.anchor.join("")) };
}

const comparable = (names: readonly string[], foldsCase: boolean): readonly string[] =>
  names.map(foldsCase ? foldCase : normalise);

/** Whether `names` is `folder` or lies below it. */
const isBelow = (names: readonly string[], folder: readonly string[]): boolean =>
  folder.every((name, at) => names[at] === name);

/** The folders above `target` that are deeper than `depth`. */
function foldersBetween(target: Spelling, depth: number): readonly Spelling[] {
  const lengths = target.exact.map((_, at) => at).slice(depth + 1);
  return lengths.flatMap((length) => spellingOf(fromSegments(target.exact.slice(0, length))) ?? []);
}
