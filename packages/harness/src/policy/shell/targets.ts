/** Which paths are worth protecting, and from what. */
import type { BuiltInRuleId } from "../command-rules.js";
import { fitsPattern } from "./shell-patterns.js";
import { HOLE } from "./values.js";

/** Folders of the root that a system cannot lose. */
const TOP_FOLDERS =
  /^\/(bin|boot|dev|etc|home|lib|lib32|lib64|libx32|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|var)$/;
/** Of these, nothing may be deleted whole. */
const SYSTEM_TREES = /^\/(bin|boot|dev(?!\/shm\/)|etc|lib\w*|proc|sbin|sys|usr\/(s?bin|lib\w*))(\/|$)/;
/** Folders in the second row that hold all of something. */
const SECOND_ROW = /^\/(home\/[^/]+|usr\/[^/]+|var\/(lib|log|spool|mail|www|backups)|mnt\/user-data)$/;
/** A last part that means "all that is in it". */
const ALL_INSIDE = /^[.?[\]!^]*\*[*.?]*$/;

export type Danger = "certain" | "possible" | "none";

/**
 * What deleting a path and all below it would do. `raw` is the word as the program gets it, `path` its absolute
 * form; an unknown folder followed by nothing but a slash may be the root.
 */
export function dangerOfDeleting(raw: string, path: string): Danger {
  if (UNKNOWN_FOLDER.test(raw)) return "possible";
  const target = withoutTail(path);
  if (target === HOLE && path !== HOLE) return "possible";
  if (target === "/" || TOP_FOLDERS.test(target) || SECOND_ROW.test(target)) return "certain";
  if (SYSTEM_TREES.test(target)) return "certain";
  const [, first = "", ...others] = target.split("/");
  if (!target.startsWith("/") || others.length > 0) return "none";
  if (first.includes(HOLE)) return "possible";
  return /[*?[]/.test(first) ? "certain" : "none";
}

/** Everything in a folder that is not known. */
const UNKNOWN_FOLDER = new RegExp(`^${HOLE}+/[.*/]*$`);

/** The folder, where the path means everything inside it. */
function withoutTail(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut >= 0 && ALL_INSIDE.test(path.slice(cut + 1)) ? path.slice(0, cut) || "/" : path;
}

const DISKS = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|loop|md|sr|nbd|k?mem$|port$)/;
const SYSTEM_FILES =
  /^\/(etc|boot|bin|sbin|lib\w*|usr\/(s?bin|lib\w*|share|include|local\/(s?bin|lib|libexec|share|etc))|proc\/sys|proc\/sysrq-trigger|sys|var\/spool\/cron)(\/|$)/;
const STARTUP_FILES =
  /^(\/root|\/home\/[^/]+)\/(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|xprofile|xinitrc|pam_environment|gitconfig)|\.config\/(fish|autostart|systemd\/user|git)\/.*|\.ssh\/(authorized_keys2?|rc|config))$/;

/** `/proc/1/root` and its kin are other names for the root; a working folder is taken for it, too. Pure. */
const outsideOfProc = (path: string): string =>
  path.replace(/^(\/proc\/[^/]+\/(task\/[^/]+\/)?(root|cwd)(?=\/))+/, "");

/** The rule against writing to a path, if there is one. */
export function ruleAgainstWriting(named: string): BuiltInRuleId | undefined {
  const path = outsideOfProc(named);
  if (DISKS.test(path)) return "write-disk";
  if (SYSTEM_FILES.test(path)) return "write-system";
  return STARTUP_FILES.test(path) ? "write-startup" : undefined;
}

const SECRETS = /^(\/etc\/(g?shadow-?|master\.passwd)|\/proc\/(kcore|[^/]+\/(task\/[^/]+\/)?(environ|mem)))$/;

/** Files that a pattern is tried against. */
const SECRET_EXAMPLES = ["/etc/shadow", "/etc/gshadow", "/proc/1/environ", "/proc/self/environ"];

/** Also a pattern like `/etc/shad*` that such a file fits. */
export const isSecret = (path: string): boolean =>
  SECRETS.test(outsideOfProc(path)) ||
  (/[*?[]/.test(path) && SECRET_EXAMPLES.some((example) => fitsPattern(path, example, "/")));

/** A path that bash opens as a network connection. */
export const isNetworkPath = (path: string): boolean => /^\/dev\/(tcp|udp)\//.test(path);

export const isDisk = (path: string): boolean => DISKS.test(path);
