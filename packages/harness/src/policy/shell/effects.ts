/** What a program does to files and to the system, by its name and arguments. One row an effect. */
import type { CommandRuleId } from "../command-rules.js";
import { hasLong, hasShort, parseArguments } from "./arguments.js";
import type { Call, Scope } from "./auditor.js";
import { findRoots } from "./prints.js";
import { dangerOfDeleting, isDisk, isSecret, ruleAgainstWriting } from "./targets.js";
import { absolute, HOLE, type Field } from "./values.js";
import { writtenPaths } from "./written-paths.js";

interface Effect {
  /** Names of the programs, without folder. */
  readonly programs: RegExp;
  rules(call: Call): readonly CommandRuleId[];
}

const texts = (fields: readonly Field[]) => fields.map(({ text }) => text);

/** The rules that a program's arguments break. Pure. */
export const effectsOf = (call: Call): readonly CommandRuleId[] => [
  ...EFFECTS.filter(({ programs }) => programs.test(call.name)).flatMap((effect) => effect.rules(call)),
  ...writtenPaths(call).flatMap((path) => ruleAgainstWriting(path) ?? []),
  ...readSecrets(call),
];

/** The rules against deleting these paths with all below them. */
export function deletionRules(fields: readonly Field[], { state }: Scope): readonly CommandRuleId[] {
  return fields.flatMap(({ text }) => {
    const danger = dangerOfDeleting(text, absolute(text, state.folder));
    if (danger === "certain") return ["delete-system" as const];
    return danger === "possible" ? ["delete-unresolved" as const] : [];
  });
}

const INSTALLS =
  /^(install|add|upgrade|dist-upgrade|full-upgrade|reinstall|localinstall|groupinstall|inject)$/;
const OTHERS_WRITE = /^[0-7]{0,2}[0-7]?[2367]$/;
const SYMBOLIC_OTHERS_WRITE = /(^|,)[ug]*[oa][ugoa]*[+=][rxXst]*w/;

const EFFECTS: readonly Effect[] = [
  {
    programs: /^rm$/,
    rules: ({ fields, scope }) => {
      const parsed = parseArguments(fields);
      return hasShort(parsed, "rR") || hasLong(parsed, "--recursive")
        ? deletionRules(parsed.operands, scope)
        : [];
    },
  },
  {
    programs: /^mv$/,
    rules: ({ fields, scope }) => {
      const { operands, values } = parseArguments(fields, ["-t", "--target-directory"]);
      return deletionRules(values.size > 0 ? operands : operands.slice(0, -1), scope);
    },
  },
  {
    programs: /^find$/,
    rules: ({ fields, scope }) => {
      if (!texts(fields).includes("-delete")) return [];
      const { roots, all } = findRoots(fields);
      const rules = deletionRules(roots, scope);
      return all ? rules : rules.map(() => "delete-unresolved" as const);
    },
  },
  {
    programs: /^rsync$/,
    rules: ({ fields, scope }) => {
      const parsed = parseArguments(fields);
      const deletes = parsed.options.some((option) => option.startsWith("--del"));
      return deletes ? deletionRules(parsed.operands.slice(-1), scope) : [];
    },
  },
  {
    programs: /^(chmod|chown|chgrp|setfacl)$/,
    rules: ({ name, fields, scope }) => {
      const parsed = parseArguments(fields);
      const [mode, ...files] = parsed.operands;
      const recursive = hasShort(parsed, "R") || hasLong(parsed, "--recursive");
      const certain = recursive && deletionRules(files, scope).includes("delete-system");
      const open = name === "chmod" && mode !== undefined && opensToAll(mode.text);
      return [
        ...(certain ? (["permissions-system"] as const) : []),
        ...(open ? (["permissions-open"] as const) : []),
      ];
    },
  },
  {
    programs:
      /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|blkdiscard|shred|hdparm)$/,
    rules: ({ name, fields, scope }) => {
      const paths = texts(parseArguments(fields).operands).map((text) => absolute(text, scope.state.folder));
      const disk = paths.some((path) => isDisk(path) || (name.startsWith("mkfs") && path.startsWith(HOLE)));
      return disk ? ["write-disk"] : [];
    },
  },
  {
    programs: /^(useradd|userdel|usermod|groupadd|groupdel|passwd|chpasswd|visudo|vipw)$/,
    rules: () => ["write-system"],
  },
  {
    programs: /^crontab$/,
    rules: ({ fields }) => (texts(fields).includes("-l") || fields.length === 0 ? [] : ["write-startup"]),
  },
  {
    programs: /^(nc|ncat|netcat|nc\.\w+)$/,
    rules: ({ fields }) => {
      const parsed = parseArguments(fields, ["-p", "-s", "-w", "-i", "-q", "-X", "-x"]);
      const runs = hasShort(parsed, "ec") || hasLong(parsed, "--exec") || hasLong(parsed, "--sh-exec");
      return runs ? ["network-shell"] : [];
    },
  },
  {
    programs: /^socat$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(exec|system|shell):/i.test(text)) ? ["network-shell"] : [],
  },
  { programs: /^(sudo|su|doas|pkexec|runuser)$/, rules: () => ["change-user"] },
  {
    programs:
      /^(pip[\d.]*|pipx|uv|apt|apt-get|aptitude|dnf|microdnf|yum|zypper|apk|brew|snap|opkg|gem|cargo|go|conda|mamba|micromamba|poetry)$/,
    rules: ({ fields }) =>
      texts(parseArguments(fields).operands)
        .slice(0, 3)
        .some((word) => INSTALLS.test(word))
        ? ["install-package"]
        : [],
  },
  {
    programs: /^(npm|pnpm|yarn|bun)$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(-g|--global|global|--location=global)$/.test(text)) &&
      texts(fields).some((text) => /^(i|install|add)$/.test(text))
        ? ["install-package"]
        : [],
  },
  {
    programs: /^(pacman|dpkg|rpm)$/,
    rules: ({ fields }) =>
      texts(fields).some((text) => /^(-S|-U|-i|--install)/.test(text)) ? ["install-package"] : [],
  },
  {
    programs: /^python[\d.]*$/,
    rules: ({ fields }) => {
      const words = texts(fields);
      const module = words.indexOf("-m");
      const pip = module >= 0 && /^(pip|ensurepip|easy_install)$/.test(words[module + 1] ?? "");
      return pip && words.slice(module).some((word) => INSTALLS.test(word)) ? ["install-package"] : [];
    },
  },
];

const opensToAll = (mode: string): boolean => OTHERS_WRITE.test(mode) || SYMBOLIC_OTHERS_WRITE.test(mode);

/** Programs whose arguments are texts, not files. */
const TEXT_ONLY =
  /^(echo|printf|git|gh|true|false|:|test|\[|basename|dirname|expr|export|declare|local|kill|ls|stat)$/;
/** Programs whose first operand is a pattern or a program. */
const PATTERN_FIRST = /^(grep|egrep|fgrep|rg|ag|ack|sed|awk|gawk|mawk|jq|yq|perl)$/;

function readSecrets({ name, fields, scope }: Call): readonly CommandRuleId[] {
  if (TEXT_ONLY.test(name)) return [];
  const pattern = PATTERN_FIRST.test(name) ? fields.find(({ text }) => !text.startsWith("-")) : undefined;
  const paths = fields
    .filter((field) => field !== pattern)
    .flatMap(({ text }) => [text, text.slice(Math.max(text.lastIndexOf("="), text.lastIndexOf("@")) + 1)])
    .map((text) => absolute(text, scope.state.folder));
  return paths.some(isSecret) ? ["read-secret"] : [];
}
