/** Programs that are no shells and still run commands: given in an option, an argument, or their own language. */
import { parseArguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import { rowsByProgram } from "./program-table.js";
import { recipesOf, scriptsRunBy } from "./script-files.js";
import { sedFacts } from "./sed-program.js";
import { decodeEscapes, EMPTY, joinedFields, plain, quotedFields, type Field, type Text } from "./values.js";

interface HiddenCommands {
  readonly programs: RegExp;
  /** Texts that a shell, or the program itself, will run as commands. */
  texts(call: Call): readonly Text[];
}

/** The values of options that take the next word or have their value attached. */
function optionValues({ fields }: Pick<Call, "fields">, pattern: RegExp): readonly Text[] {
  return fields.flatMap((field, index) => {
    const [whole] = pattern.exec(field.text) ?? [];
    if (whole === undefined) return [];
    const attached = field.text.slice(whole.length);
    if (attached === "") return fields[index + 1] ?? [];
    return whole.endsWith("=") || !whole.startsWith("--") ? { ...field, text: attached } : [];
  });
}

/** The part of each text behind a mark, where the mark is there. */
const behind = (fields: readonly Text[], mark: RegExp): readonly Text[] =>
  fields.flatMap((field) => {
    const found = mark.exec(field.text);
    return found === null ? [] : { ...field, text: field.text.slice(found.index + found[0].length) };
  });

const SSH_VALUES = /^(ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand|PermitLocalCommand)[=\s]+/i;
/** Keys of git's configuration whose value git runs. */
const GIT_KEYS =
  /^(core\.(pager|editor|sshcommand|askpass|fsmonitor|gitproxy|alternaterefscommand)|alias\..+|pager\..+|sequence\.editor|diff\.external|(diff|difftool|merge|mergetool|filter|browser|man|gpg|remote|credential|trailer|interactive|uploadpack|receivepack|web|help)\..*(command|cmd|driver|clean|smudge|process|textconv|program|helper|path|difffilter|packobjectshook|uploadpack|receivepack|browser))$/i;

/** An alias with `!` in front is a command, one without is a word of git's own. */
function gitValue(key: string, value: Text): readonly Text[] {
  if (!GIT_KEYS.test(key)) return [];
  if (value.text.startsWith("!")) return [{ ...value, text: value.text.slice(1) }];
  return /^(alias|credential)\./i.test(key) ? [] : [value];
}

/** Hooks that this very line wrote. */
const hooks = (files: ReadonlyMap<string, Text>): readonly Text[] =>
  [...files].flatMap(([path, content]) => (/\/(\.git\/hooks|\.husky)\//.test(path) ? content : []));

/** Scripts of a package file that this very line wrote: those that are run, and what runs before and after them. */
function packageScripts({ fields, scope: { state } }: Call): readonly Text[] {
  const content = state.shared.files.get(state.absolute("package.json"));
  if (content === undefined) return [];
  const isRun = scriptsRunBy(fields.map(({ text }) => text));
  return [...content.text.matchAll(/"([\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)]
    .filter(([, name = ""]) => isRun(name))
    .map((match) => ({ ...content, text: decodeEscapes((match[2] ?? "").replaceAll('\\"', '"')) }));
}

function gitTexts({ fields, scope }: Call): readonly Text[] {
  const settings = fields.flatMap((field, index) => {
    const given = field.text === "-c" ? fields[index + 1] : undefined;
    const [, key, value] = /^([^=]+)=([^]*)$/.exec(given?.text ?? "") ?? [];
    return given && key !== undefined && value !== undefined ? gitValue(key, { ...given, text: value }) : [];
  });
  const words = fields.map(({ text }) => text);
  const config = words.indexOf("config");
  const stored =
    config < 0
      ? []
      : fields.slice(config + 1).flatMap((field, index, rest) => {
          const value = rest[index + 1];
          return value === undefined ? [] : gitValue(field.text, value);
        });
  return [...settings, ...stored, ...gitSubcommand(fields, words), ...hooks(scope.state.shared.files)];
}

const GIT_OPTIONS: Readonly<Record<string, RegExp>> = {
  archive: /^--exec=?/,
  clone: /^(-u|--upload-pack=?|-c)/,
  difftool: /^(-x|--extcmd=?)/,
  fetch: /^--upload-pack=?/,
  "filter-branch": /^--(tree|env|index|parent|msg|commit|tag-name)-filter=?/,
  grep: /^(-O|--open-files-in-pager=)/,
  "ls-remote": /^(--upload-pack|--exec)=?/,
  pull: /^--upload-pack=?/,
  push: /^(--receive-pack|--exec)=?/,
  rebase: /^(-x|--exec=?)/,
};

function gitSubcommand(fields: readonly Field[], words: readonly string[]): readonly Text[] {
  const bisect = words.indexOf("bisect");
  if (bisect >= 0 && words[bisect + 1] === "run") return [quotedFields(fields.slice(bisect + 2))];
  const foreach = words.indexOf("foreach");
  if (words.includes("submodule") && foreach >= 0)
    return [
      joinedFields(fields.slice(foreach + 1).filter(({ text }) => !/^--(quiet|recursive)$/.test(text))),
    ];
  const name = words.find((word) => Object.hasOwn(GIT_OPTIONS, word));
  const pattern = name === undefined ? undefined : GIT_OPTIONS[name];
  if (name === undefined || pattern === undefined) return [];
  const values = optionValues({ fields: fields.slice(words.indexOf(name) + 1) }, pattern);
  return name === "clone" ? values.filter(({ text }) => !/^[\w.]+=/.test(text)) : values;
}

/** A command of an editor or pager that starts a shell: `!ls`, `:!ls`, `%!sort`. */
const BANG = /^:?\s*[%.\d,$]*\s*(sil\w*!?\s+)?(!|r\w*\s+!|sh\w*\s|term\w*\s+|call\s+system\()/;

const HIDDEN: readonly HiddenCommands[] = [
  { programs: /^git$/, texts: gitTexts },
  {
    programs: /^(ssh|scp|sftp|autossh)$/,
    texts: (call) => [
      ...behind(optionValues(call, /^-o/), SSH_VALUES),
      ...(call.name === "ssh" ? remoteCommand(call) : optionValues(call, /^-[SD]$/)),
    ],
  },
  { programs: /^rsync$/, texts: (call) => optionValues(call, /^(-e|-[a-zA-Z]*e(?=$)|--rsh=?)/) },
  {
    programs: /^(tar|bsdtar|gtar)$/,
    texts: (call) => [
      ...optionValues(
        call,
        /^(-I|--use-compress-program=?|--to-command=?|--info-script=?|--new-volume-script=?|-F|--rsh-command=?)/,
      ),
      ...behind(optionValues(call, /^--checkpoint-action=?/), /^exec=/),
    ],
  },
  { programs: /^zip$/, texts: (call) => optionValues(call, /^(-TT|--unzip-command=?)/) },
  { programs: /^sort$/, texts: (call) => optionValues(call, /^--compress-program=?/) },
  { programs: /^split$/, texts: (call) => optionValues(call, /^--filter=?/) },
  { programs: /^(man|apropos)$/, texts: (call) => optionValues(call, /^(-P|--pager=?|-H)/) },
  {
    programs: /^(vi|vim|nvim|view|gvim|vimdiff|ex|less|more|most|ed|nano|emacs)$/,
    texts: (call) =>
      behind(
        [
          ...optionValues(call, /^(-[a-zA-Z]*c|--cmd)$/),
          ...behind(call.fields, /^\+{1,2}/),
          ...(call.name === "less" ? [] : lines(call.scope.stdin)),
        ],
        BANG,
      ),
  },
  {
    programs: /^gdb$/,
    texts: (call) =>
      behind(optionValues(call, /^(-ex|-eval-command|--eval-command=?|-iex)/), /^\s*(shell\s|!|make\s)/),
  },
  {
    programs: /^lldb$/,
    texts: (call) => behind(optionValues(call, /^(-o|--one-line)/), /^\s*(platform\s+)?shell\s/),
  },
  {
    programs: /^sqlite3$/,
    texts: ({ fields, scope }) => behind([...fields, ...lines(scope.stdin)], /^\s*\.(shell|system)\s/),
  },
  {
    programs: /^(psql|mysql|mariadb)$/,
    texts: ({ fields, scope }) =>
      behind([...fields, ...lines(scope.stdin)], /\\!\s*|\bcopy\b[^]*?\bprogram\s+'/i),
  },
  {
    programs: /^(expect|tclsh)$/,
    texts: (call) =>
      behind(optionValues(call, /^-c$/).flatMap(lines), /^\s*(spawn|exec|system)\s+(-\w+\s+)*/),
  },
  {
    programs: /^hyperfine$/,
    texts: ({ fields }) => fields.filter(({ text }) => /\s/.test(text)),
  },
  {
    programs: /^entr$/,
    texts: ({ fields }) => [quotedFields(withoutOptions(fields))],
  },
  {
    programs: /^(concurrently|npm-run-all)$/,
    texts: ({ fields }) => fields.filter(({ text }) => /\s/.test(text)),
  },
  { programs: /^nix-shell$/, texts: (call) => optionValues(call, /^--(run|command)$/) },
  { programs: /^compgen$/, texts: (call) => optionValues(call, /^-C$/) },
  { programs: /^(nodemon)$/, texts: (call) => optionValues(call, /^(-x|--exec)=?/) },
  {
    programs: /^(sed|gsed)$/,
    texts: (call) =>
      sedPrograms(call).flatMap((program) =>
        sedFacts(program.text).commands.map((text) => ({ ...program, text })),
      ),
  },
  { programs: /^watch$/, texts: ({ fields }) => [joinedFields(parseWatch(fields))] },
  {
    programs: /^(su|runuser|script|flock)$/,
    texts: (call) => optionValues(call, /^(-[a-z]*c$|--command=?)/),
  },
  { programs: /^(npx|pnpx)$/, texts: (call) => optionValues(call, /^(-c|--call=?)$/) },
  { programs: /^(npm|pnpm|yarn|bun|run-s|run-p|npm-run-all)$/, texts: packageScripts },
  {
    programs: /^npm$/,
    texts: (call) => (call.fields[0]?.text === "exec" ? optionValues(call, /^(-c|--call=?)$/) : []),
  },
  {
    programs: /^(xterm|gnome-terminal|konsole|urxvt|screen|tmux)$/,
    texts: ({ fields }) => fields.filter(({ text }) => /\s/.test(text)),
  },
  { programs: /^(make|gmake)$/, texts: makeTexts },
];

const SSH_OPTIONS_WITH_VALUE = [..."BbcDEeFIiJLlmOopQRSWw"].map((letter) => `-${letter}`);

/** What is run on the other machine. */
function remoteCommand({ fields, scope }: Call): readonly Text[] {
  const { operands } = parseArguments(fields, SSH_OPTIONS_WITH_VALUE);
  const host = operands[0];
  if (host === undefined) return [];
  const command = joinedFields(fields.slice(fields.indexOf(host) + 1));
  return [command.text === "" ? scope.stdin : command];
}

const lines = ({ text, origin }: Text): readonly Text[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : { text: line, origin }));

const withoutOptions = (fields: readonly Field[]): readonly Field[] => {
  const first = fields.findIndex(({ text }) => !text.startsWith("-"));
  return first < 0 ? [] : fields.slice(first);
};

function parseWatch(fields: readonly Field[]): readonly Field[] {
  let at = 0;
  while (fields[at]?.text.startsWith("-") === true)
    at += /^-(n|q|-interval|-equexit)$/.test(fields[at]?.text ?? "") ? 2 : 1;
  return fields.slice(at);
}

/** The programs that sed is given: with `-e`, or as its first operand. */
export function sedPrograms(call: Call): readonly Text[] {
  const given = optionValues(call, /^(-[a-zA-Z]*e$|--expression=?)/);
  if (given.length > 0) return given;
  const { operands } = parseArguments(call.fields, ["-f", "--file", "-l"]);
  return call.fields.some(({ text }) => /^(-[a-zA-Z]*f$|--file)/.test(text)) ? [] : operands.slice(0, 1);
}

const MAKE_VALUES = ["-f", "--file", "--makefile", "-C", "--directory", "-I", "-o", "-W", "--eval"];
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** Recipes, where the makefile is known: one that this line wrote, or that comes through standard input. */
function makeTexts(call: Call): readonly Text[] {
  const { fields, scope } = call;
  const named = optionValues(call, /^(-f|--file=?|--makefile=?)/);
  const names = named.length > 0 ? named : MAKEFILES.map(plain);
  const texts = names.map((name: Field): Text => {
    if (/^(-|\/dev\/stdin)$/.test(name.text)) return scope.stdin;
    return name.content ?? scope.state.shared.files.get(scope.state.absolute(name.text)) ?? EMPTY;
  });
  const values = behind(fields, /^SHELL=/).filter(({ text }) => /\s/.test(text));
  const targets = parseArguments(fields, MAKE_VALUES).operands.map(({ text: word }) => word);
  return [
    ...values,
    ...[...texts, ...optionValues(call, /^--eval=?/)].flatMap((text) => recipesOf(text, targets)),
  ];
}

const hiddenFor = rowsByProgram(HIDDEN);

/** What a program would have run. Pure. */
export const hiddenCommands = (call: Call): readonly Text[] =>
  hiddenFor(call.name)
    .flatMap((row) => row.texts(call))
    .filter(({ text }) => text.trim() !== "");
