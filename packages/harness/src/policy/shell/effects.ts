/** What a program does to files and to the system, by its name and arguments. One row an effect. */
import type { BuiltInRuleId } from "../command-rules.js";
import { hasLong, hasShort, parseArguments } from "./arguments.js";
import type { Call, Scope } from "./auditor.js";
import { gitDeletes, gitInputs } from "./git-openings.js";
import { findRoots } from "./prints.js";
import { fitsPattern } from "./shell-patterns.js";
import { dangerOfDeleting, isDisk, isSecret, ruleAgainstWriting } from "./targets.js";
import { rowsByProgram } from "./program-table.js";
import { systemRules } from "./system-effects.js";
import { HOLE, plain, type Field } from "./values.js";
import { writtenPaths } from "./written-paths.js";

interface Effect {
  /** Names of the programs, without folder. */
  readonly programs: RegExp;
  rules(call: Call): readonly BuiltInRuleId[];
}

const texts = (fields: readonly Field[]) => fields.map(({ text }) => text);

/** The rules that a program's arguments break. Pure. */
export const effectsOf = (call: Call): readonly BuiltInRuleId[] => [
  ...systemRules(call),
  ...effectsFor(call.name).flatMap((effect) => effect.rules(call)),
  ...writtenPaths(call).flatMap((path) => ruleAgainstWriting(path) ?? []),
  ...readSecrets(call),
];

/** The rules against deleting these paths with all below them. */
export function deletionRules(fields: readonly Field[], { state }: Scope): readonly BuiltInRuleId[] {
  return fields.flatMap(({ text }) => {
    const path = state.absolute(text, false);
    // An unknown name in the root may be that of a system folder.
    const isInRoot = state.folder === "/" && text.startsWith(HOLE) && !text.includes("/");
    const danger = isInRoot ? "possible" : dangerOfDeleting(text, path);
    if (danger === "certain") return ["delete-system" as const];
    return danger === "possible" ? ["delete-unresolved" as const] : [];
  });
}

const OTHERS_WRITE = /^[0-7]{0,2}[0-7]?[2367]$/;
const SYMBOLIC_OTHERS_WRITE = /(^|,)[ug]*[oa][ugoa]*[+=][rxXst]*w/;

/** Given to `find -exec`, they do what `-delete` does. */
const REMOVERS = /^(\/\S*\/)?(rm|unlink|shred)$/;

const SECRET_NAMES = ["shadow", "gshadow", "environ"];

const EFFECTS: readonly Effect[] = [
  {
    programs: /^git$/,
    rules: ({ fields, scope }) =>
      deletionRules(
        gitDeletes(fields).map((text) => plain(scope.state.absolute(text))),
        scope,
      ),
  },
  {
    programs: /^(rimraf|del|del-cli)$/,
    rules: ({ fields, scope }) => deletionRules(parseArguments(fields).operands, scope),
  },
  {
    programs: /^(tar|bsdtar|gtar)$/,
    rules: ({ fields, scope }) => {
      const { options, operands, values } = parseArguments(fields, ["-C", "--directory", "-f", "--file"]);
      if (!options.includes("--remove-files")) return [];
      const folder = values.get("-C")?.text ?? values.get("--directory")?.text ?? ".";
      return deletionRules(
        operands.map(({ text }) =>
          plain(scope.state.absolute(text.startsWith("/") ? text : `${folder}/${text}`)),
        ),
        scope,
      );
    },
  },
  {
    programs: /^(find|bfs)$/,
    rules: ({ fields }) => {
      const words = texts(fields);
      const named = words.some(
        (word, at) =>
          /^-i?name$/.test(word) && SECRET_NAMES.some((name) => fitsPattern(words[at + 1] ?? "", name)),
      );
      const runs = words.some((word) => /^-(exec|execdir|ok|okdir)$/.test(word));
      const isSystem = findRoots(fields).roots.some(({ text }) => /^\/(etc|proc)?(\/|$)/.test(text));
      return named && runs && isSystem && !words.some((word) => /^\*+$/.test(word)) ? ["read-secret"] : [];
    },
  },
  {
    programs: /^getent$/,
    rules: ({ fields }) => (/^g?shadow$/.test(fields[0]?.text ?? "") ? ["read-secret"] : []),
  },
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
      const words = texts(fields);
      const removes = words.some(
        (word, at) => /^-(exec|execdir|ok|okdir)$/.test(word) && REMOVERS.test(words[at + 1] ?? ""),
      );
      if (!removes && !words.includes("-delete")) return [];
      const { roots, all } = findRoots(fields);
      const rules = deletionRules(roots, scope);
      if (all) return rules;
      return [
        ...rules.map(() => "delete-unresolved" as const),
        ...roots.flatMap(({ text }) => ruleAgainstWriting(scope.state.absolute(text)) ?? []),
      ];
    },
  },
  {
    programs: /^(tar|bsdtar|gtar|unzip|cpio|7z)$/,
    rules: (call) => {
      const root = extractionRoot(call);
      const danger = root === undefined ? "none" : dangerOfDeleting(root, call.scope.state.absolute(root));
      return danger === "certain" && root !== ".." ? ["write-system"] : [];
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
      /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|blkdiscard|cryptsetup|pvcreate|nvme|shred|hdparm|badblocks)$/,
    rules: ({ name, fields, scope }) => {
      const paths = texts(parseArguments(fields).operands).map((text) => scope.state.absolute(text));
      const disk = paths.some((path) => isDisk(path) || (name.startsWith("mkfs") && path.startsWith(HOLE)));
      return disk ? ["write-disk"] : [];
    },
  },
];

const effectsFor = rowsByProgram(EFFECTS);

/** The folder that an archive is unpacked into, where one is named. */
function extractionRoot({ name, fields, scope }: Call): string | undefined {
  const words = texts(fields);
  const unpacks = name.endsWith("tar")
    ? /^-{0,2}(\w*x\w*|extract|get)$/.test(words.find((word) => !/^(-C|--directory)/.test(word)) ?? "") ||
      words.some((word) => /^(-[a-zA-Z]*x|--(extract|get)$)/.test(word))
    : true;
  if (!unpacks) return undefined;
  const option = name === "unzip" ? "-d" : name === "cpio" ? "-D" : "-C";
  const { values } = parseArguments(fields, [option, "--directory"]);
  const named = values.get(option)?.text ?? values.get("--directory")?.text;
  return named ?? (scope.state.folder === "/" ? "/" : undefined);
}

const opensToAll = (mode: string): boolean => OTHERS_WRITE.test(mode) || SYMBOLIC_OTHERS_WRITE.test(mode);

/** What a path must hold to be one of a secret. */
const MAY_BE_SECRET = /shadow|environ|mem|kcore|[*?[]/;
/** Programs whose arguments are texts, not files. */
const TEXT_ONLY =
  /^(echo|printf|git|gh|true|false|:|test|\[|basename|dirname|expr|export|declare|local|kill|ls|stat)$/;
/** Programs whose first operand is a pattern or a program. */
const PATTERN_FIRST = /^(grep|egrep|fgrep|rg|ag|ack|sed|awk|gawk|mawk|jq|yq|perl)$/;

function readSecrets({ name, fields, scope }: Call): readonly BuiltInRuleId[] {
  if (name === "git")
    return gitInputs(fields).some((text) => isSecret(scope.state.absolute(text))) ? ["read-secret"] : [];
  if (!fields.some(({ text }) => MAY_BE_SECRET.test(text)) || TEXT_ONLY.test(name)) return [];
  const pattern = PATTERN_FIRST.test(name) ? fields.find(({ text }) => !text.startsWith("-")) : undefined;
  const paths = fields
    .filter((field) => field !== pattern)
    .flatMap(({ text }) =>
      /\s/.test(text)
        ? [text]
        : [
            text,
            text.slice(Math.max(text.lastIndexOf("="), text.lastIndexOf("@"), text.lastIndexOf("<")) + 1),
          ],
    )
    .map((text) => scope.state.absolute(text.replace(/^file:(\/\/)?/i, "")));
  return paths.some(isSecret) ? ["read-secret"] : [];
}
