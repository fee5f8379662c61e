/** Whether path rules mean anything beside a shell. */
import { DeerflowError } from "../base/errors.js";
import { isWithin, shownPath } from "../base/virtual-path.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules, type Restriction } from "../policy/permission-rules.js";
import { isHostSearchable, shellOf } from "./capabilities.js";
import { type CompositeRoute, innerPath } from "./composite-routes.js";
import type { FileBackend, Shell } from "./contract.js";

/** A backend made of others, each at its folder. */
interface RoutedFiles {
  readonly defaultBackend: FileBackend;
  readonly routes: readonly CompositeRoute[];
}

const isRouted = (files: FileBackend): files is FileBackend & RoutedFiles =>
  "routes" in files && "defaultBackend" in files;

const HINT =
  "Leave the shell tool out, let the rules speak only of folders of a CompositeBackend that the shell cannot reach, or take a sandbox that enforces rules itself, such as bubblewrap.";

/**
 * The shell in which commands keep the rules. Refuses rules that they could go around: what a rule denies or interrupts
 * must lie below a route of a composite backend that the shell cannot reach, or be kept by the sandbox itself, which
 * then sees the files under the same paths. Without a shell, and for rules that only allow, there is nothing to refuse.
 * @param home what a leading `~` stands for; where commands start by default
 * @returns the shell for the tools, which may be the same
 * @throws DeerflowError `permissions_unenforceable`, which names the rules; `permissions_invalid`
 */
export function assertEnforceable(
  files: FileBackend,
  shell: Shell | undefined,
  rules: readonly FilesystemPermission[],
  home?: string,
): Shell | undefined {
  if (shell === undefined) return undefined;
  const given = { rules, home: home ?? shell.workingDirectory, foldsCase: files.foldsCase };
  const { restrictions } = new PermissionRules(rules, given);
  const open = restrictions.filter(({ places }) =>
    places.some((place) => !isOutOfReach(files, shell, place)),
  );
  if (open.length === 0) return shell;
  const isKept = ({ places }: Restriction) =>
    shell.sandbox.keeping !== undefined &&
    places.every((place) => isOutOfReach(files, shell, place) || isSpelledAlike(files, shell, place));
  const lost = open.filter((restriction) => !isKept(restriction));
  if (lost.length > 0 || shell.sandbox.keeping === undefined) {
    throw new DeerflowError("permissions_unenforceable", {
      rules: lost.map(described).join("; "),
      hint: HINT,
    });
  }
  return { ...shell, sandbox: shell.sandbox.keeping(given) };
}

/** Whether the sandbox has what lies at and below the place under the same path as the files, as far as it has it. */
function isSpelledAlike(files: FileBackend, shell: Shell, place: string): boolean {
  if (!isRouted(files)) return true;
  if (routeOf(files, place) !== undefined) return false;
  const below = files.routes.filter(({ root }) => isWithin(root, place));
  return (
    below.every(({ backend }) => !isReached(backend, shell, "/")) &&
    isSpelledAlike(files.defaultBackend, shell, place)
  );
}

const described = ({ mode, operations, paths }: Restriction): string =>
  `${mode} ${operations.join(" and ")} of ${shownPath(paths.join(", "))}`;

const routeOf = ({ routes }: RoutedFiles, place: string): CompositeRoute | undefined =>
  routes.find(({ root }) => isWithin(place, root));

function isOutOfReach(files: FileBackend, shell: Shell, place: string): boolean {
  if (!isRouted(files)) return false;
  const route = routeOf(files, place);
  return route === undefined
    ? isOutOfReach(files.defaultBackend, shell, place)
    : !isReached(route.backend, shell, innerPath(route.root, place));
}

/** For a backend that is not the one in which commands run. */
function isReached(files: FileBackend, shell: Shell, place: string): boolean {
  if (isRouted(files)) {
    const { root, backend } = routeOf(files, place) ?? { root: "/", backend: files.defaultBackend };
    return isReached(backend, shell, innerPath(root, place));
  }
  const isSameSandbox = shellOf(files)?.sandbox === shell.sandbox;
  return isSameSandbox || (shell.reachesHost && isHostSearchable(files));
}
