/** Path rules for the commands of one sandbox: checked against what the sandbox can keep. Pure. */
import { DeerflowError } from "../../base/errors.js";
import { isWithin, shownPath } from "../../base/virtual-path.js";
import { PermissionRules, type Restriction } from "../../policy/permission-rules.js";
import type { PathRules, SandboxMount } from "../contract.js";

export interface CompiledRules {
  readonly rules: PermissionRules;
  /** The fixed parts of everything that is denied or interrupted. Virtual. */
  readonly places: readonly string[];
  readonly restrictsWriting: boolean;
  /** The restrictions whose matches are looked for one by one, as they were written. */
  readonly wide: string;
}

/** What the sandbox is itself made of. No rule can hide it, for no command would start without it. */
const SYSTEM: readonly { readonly folder: string; readonly because: string }[] = [
  { folder: "/usr", because: "programs and libraries lie there" },
  { folder: "/bin", because: "it is a part of /usr" },
  { folder: "/sbin", because: "it is a part of /usr" },
  { folder: "/lib", because: "it is a part of /usr" },
  { folder: "/lib32", because: "it is a part of /usr" },
  { folder: "/lib64", because: "it is a part of /usr" },
  { folder: "/libx32", because: "it is a part of /usr" },
  { folder: "/etc", because: "programs need what is shown of it" },
  { folder: "/opt", because: "node lies there" },
  { folder: "/proc", because: "programs look at themselves there" },
  { folder: "/dev", because: "it holds the devices that programs need" },
  { folder: "/tmp", because: "it is each command's own, and gone after it" },
  { folder: "/var", because: "it is each command's own, and gone after it" },
  { folder: "/run", because: "it is the sandbox's own" },
  { folder: "/sys", because: "it is the sandbox's own" },
];

/**
 * Rules of mode `interrupt` deny here: a command is one call, in which nobody can be asked about a path. Rules speak
 * of the files in the mounts. What is neither there nor in the sandbox's own system does not exist for a command.
 * @throws DeerflowError `permissions_invalid`; `permissions_unenforceable` for a rule about the sandbox's own system
 */
export function compileRules(
  { rules: given, home, foldsCase }: PathRules,
  mounts: readonly Pick<SandboxMount, "virtualPath">[],
): CompiledRules {
  const rules = new PermissionRules(given, { home, foldsCase });
  const { restrictions } = rules;
  for (const restriction of restrictions) assertGoverned(restriction, mounts);
  const places = [...new Set(restrictions.flatMap((restriction) => restriction.places))];
  return {
    rules,
    places,
    wide: shownPath(restrictions.flatMap(({ paths }) => paths.filter(isWide)).join(", ")),
    restrictsWriting: restrictions.some(({ operations }) => operations.includes("write")),
  };
}

const isWide = (pattern: string): boolean => /[*?[{]/.test(pattern.replace(/\/\*\*$/, ""));

function assertGoverned(
  { mode, operations, paths, places }: Restriction,
  mounts: readonly Pick<SandboxMount, "virtualPath">[],
): void {
  for (const place of places) {
    if (mounts.some(({ virtualPath }) => isWithin(place, virtualPath) || isWithin(virtualPath, place)))
      continue;
    const row = SYSTEM.find(({ folder }) => isWithin(place, folder));
    if (row === undefined) continue;
    throw new DeerflowError("permissions_unenforceable", {
      rules: `${mode} ${operations.join(" and ")} of ${shownPath(paths.join(", "))}`,
      hint: `${row.folder} in the sandbox is its own, not the agent's files, and stays readable: ${row.because}. Leave ${shownPath(place)} out of the rule.`,
    });
  }
}
