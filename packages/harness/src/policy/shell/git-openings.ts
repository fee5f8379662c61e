/** What git runs, reads and writes besides its own work: by options, settings and variables. One row a kind. */
import type { Call } from "./auditor.js";
import type { Field, Text } from "./values.js";

/** Settings whose value is a place where git finds programs or more settings. */
const OPEN_KEYS =
  /^(core\.(hookspath|worktree|attributesfile)|include\.path|includeif\..*\.path|init\.templatedir|protocol\..*allow|url\..*\.(push)?insteadof|remote\..*\.(vcs|url)|submodule\..*\.update|gpg\.(.*\.)?program|sendemail\..*(cmd|server)|instaweb\.httpd|safe\.directory)$/i;

/** Options with such a value, or with a command. */
const OPEN_OPTIONS =
  /^--(exec-path|config-env|template|sendmail-cmd|smtp-server|to-cmd|cc-cmd|header-cmd|httpd|access-hook|extcmd|upload-pack|receive-pack|open-files-in-pager)=./;

/** Variables with such a value: for git itself, and for what it starts. */
export const OPEN_VARIABLES =
  /^(GIT_(CONFIG\w*|EXEC_PATH|TEMPLATE_DIR|ALLOW_PROTOCOL|PROTOCOL_FROM_USER|DIR|COMMON_DIR|OBJECT_DIRECTORY)|HOME|XDG_CONFIG_(HOME|DIRS)|LESS|LESSKEY\w*|LESSOPEN|LESSCLOSE)$/;
/** Variables with a file that git writes what it does into. */
export const TRACES = /^GIT_(TRACE\w*|REDIRECT_STD(OUT|ERR))$/;

/** `key=value` behind `-c` and `--config`, and `config key value`. */
function settings(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field, index) => {
    const before = fields[index - 1]?.text ?? "";
    const attached = /^(?:--config=|-c)(?=[\w.-]+=)/.exec(field.text)?.[0];
    if (attached !== undefined) return { ...field, text: field.text.slice(attached.length) };
    if (/^(-c|--config)$/.test(before)) return field;
    const next = fields[index + 1];
    const isStored = next !== undefined && /^[\w-]+\.\S+$/.test(field.text) && isConfig(fields, index);
    return isStored ? { ...next, text: `${field.text}=${next.text}` } : [];
  });
}

const isConfig = (fields: readonly Field[], end: number): boolean =>
  fields.slice(0, end).some(({ text }) => text === "config");

/** `name=value` of what opens git to other programs: held against the rules of a person as a command of its own. */
export function gitOpenings({ name, fields }: Call): readonly string[] {
  if (name !== "git") return [];
  const keys = settings(fields).flatMap(({ text }) =>
    OPEN_KEYS.test(text.slice(0, Math.max(text.indexOf("="), 0))) ? text : [],
  );
  return [...keys, ...fields.flatMap(({ text }) => (OPEN_OPTIONS.test(text) ? text.slice(2) : []))];
}

/** Addresses and aliases that are commands, wherever they stand. */
export function gitCommands({ name, fields }: Call): readonly Text[] {
  if (name !== "git") return [];
  const difftool = fields.some(({ text }) => text === "difftool");
  return [
    ...fields.flatMap((field) =>
      field.text.startsWith("ext::") ? { ...field, text: field.text.slice(5) } : [],
    ),
    ...settings(fields).flatMap((field) => {
      const [, command] = /^[\w-]+\.[^=]*=!([^]*)$/.exec(field.text) ?? [];
      return command === undefined ? [] : { ...field, text: command };
    }),
    ...(difftool
      ? fields.flatMap(({ text }, index) => (/^-[a-z]*x$/.test(text) ? (fields[index + 1] ?? []) : []))
      : []),
  ];
}

/** The folder that git works in, as `-C` and `--work-tree` say. */
export function gitFolder(fields: readonly Field[]): string {
  const folders = fields.flatMap(({ text }, index) => {
    if (/^(-C|--work-tree)$/.test(fields[index - 1]?.text ?? "")) return text;
    return text.startsWith("--work-tree=") ? text.slice(12) : [];
  });
  return folders.reduce((folder, next) => (next.startsWith("/") ? next : `${folder}/${next}`), ".");
}

/** Files that it writes its results into. */
export function gitOutputs(fields: readonly Field[]): readonly string[] {
  const words = fields.map(({ text }) => text);
  const isArchive = words.some((word) => /^(archive|format-patch)$/.test(word));
  const bundle = words.indexOf("bundle");
  return words.flatMap((word, index) => {
    const before = words[index - 1] ?? "";
    if (/^--output(-directory)?=/.test(word)) return word.slice(word.indexOf("=") + 1);
    if (/^--output(-directory)?$/.test(before)) return word;
    if (isArchive && before === "-o") return word;
    if (isArchive && /^-o./.test(word)) return word.slice(2);
    return bundle >= 0 && words[bundle + 1] === "create" && index === bundle + 2 ? word : [];
  });
}

/** Files that it takes into its store, or shows. */
export function gitInputs(fields: readonly Field[]): readonly string[] {
  const words = fields.map(({ text }) => text);
  if (words.some((word) => /^(hash-object|--no-index)$/.test(word))) return words;
  return words.flatMap((word, index) => {
    if (/^(-F|--file)$/.test(words[index - 1] ?? "")) return word;
    return word.startsWith("--file=") ? word.slice(7) : [];
  });
}

/** What `clean` and `rm` delete with all below it. */
export function gitDeletes(fields: readonly Field[]): readonly string[] {
  const words = fields.map(({ text }) => text);
  const at = words.findIndex((word) => /^(clean|rm)$/.test(word));
  const options = words.slice(at + 1).filter((word) => word.startsWith("-"));
  if (at < 0 || !options.some((option) => /^(-[a-zA-Z]*[fr]|--force)/.test(option))) return [];
  const operands = words.slice(at + 1).filter((word) => !word.startsWith("-"));
  const folder = gitFolder(fields.slice(0, at));
  return (operands.length > 0 ? operands : ["."]).map((path) =>
    path.startsWith("/") ? path : `${folder}/${path}`,
  );
}
