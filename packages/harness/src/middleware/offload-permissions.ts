/** Lets the model read what was put into files for it, where rules for everything else would forbid that. Pure. */
import { childOf, isWithin } from "../base/virtual-path.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import {
  PermissionRules,
  type PermissionRulesOptions,
  type Restriction,
} from "../policy/permission-rules.js";

export interface OffloadFolder {
  readonly folder: string;
  /** A folder around it that the host set apart for such files; a rule that names this one means the files, too. */
  readonly home?: string;
}

/**
 * The rules with one in front that allows reading what lies in the folders. A folder is left to the rules where one that
 * denies or asks names it, something in it, or its home: a rule for everything, like a deny of the whole tree, does not.
 * @throws DeerflowError `permissions_invalid`
 */
export function withReadableOffloads(
  permissions: readonly FilesystemPermission[],
  folders: readonly OffloadFolder[],
  options: PermissionRulesOptions,
): readonly FilesystemPermission[] {
  const restrictions = new PermissionRules(permissions, options).restrictions.filter(({ operations }) =>
    operations.includes("read"),
  );
  const foldsCase = options.foldsCase === true;
  const opened = folders.filter((place) => !restrictions.some((rule) => names(rule, place, foldsCase)));
  if (restrictions.length === 0 || opened.length === 0) return permissions;
  const paths = opened.map(({ folder }) => childOf(literal(folder), "*"));
  return [{ operations: ["read"], paths, mode: "allow" }, ...permissions];
}

function names({ paths, places }: Restriction, place: OffloadFolder, foldsCase: boolean): boolean {
  const cased = (text: string) => (foldsCase ? text.toLowerCase() : text);
  const folder = cased(place.folder);
  const home = cased(place.home ?? place.folder);
  return (
    paths.some((path) => cased(path).startsWith(folder)) ||
    places
      .map(cased)
      .some((at) => isWithin(at, folder) || (at !== "/" && isWithin(at, home) && isWithin(folder, at)))
  );
}

/** A folder's name as a pattern that means only itself. */
const literal = (folder: string): string =>
  folder.replaceAll(/[\\*?[\]{}!~]/g, (character) => `\\${character}`);
