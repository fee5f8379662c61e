/** Programs in other languages that are given in the command line: what they would have a shell do. */
import { argumentsOf, callsOf, type ProgramCall, receiverOf, textsIn } from "./program-calls.js";
import { languageOf, type Literal, type Program, readProgram } from "./program-literals.js";

/** Calls that hand a text or a list to the system as a command, in every language. */
const RUNS =
  /system|popen\d?|spawn\w*|check_(?:call|output)|get(?:status)?output|shell_exec|passthru|p(?:roc|cntl)_open|pcntl_exec|qx|Popen|create_subprocess_\w+|exec(?!util|path)\w*|open3|capture[23]e?/;
/** Names that are common elsewhere: they count where the program mentions what they belong to. */
const RUNS_SOMEWHERE: readonly { readonly names: RegExp; readonly mentions: RegExp }[] = [
  { names: /run|call/, mentions: /\bsubprocess\b|\bIPC\b|\bShellOut\b|\bDeno\b/ },
  { names: /Command|\$/, mentions: /\bDeno\b|\bzx\b|\bBun\b|\bexeca\b/ },
];
/** Where a program in JavaScript mentions none of these, its `exec` looks for a pattern. */
const STARTS_PROCESSES = /child_process|execa|shelljs|\bzx\b|cross-spawn|\bDeno\b|\bBun\b/;
/** Commands in quotes of their own: `qx(…)` and `%x(…)`. */
const QUOTED_COMMAND =
  /(?:\bqx|%x)\s*(?:\(([^)]{1,500})|\{([^}]{1,500})|\[([^\]]{1,500})|([|!/])(.{1,500}?)\4)/g;
/** Lists of words, in Perl and Ruby. */
const WORDS =
  /(?:\bqw|%w)\s*(?:\(([^)]{1,500})|\{([^}]{1,500})|\[([^\]]{1,500})|<([^>]{1,500})|([|!/])(.{1,500}?)\5)/g;

/** Calls that remove a tree. */
const REMOVES =
  /rmtree|rmSync|rmdirSync|rmdir|rm|rm_rf|rm_r|rm_f|remove_tree|remove_entry\w*|remove_dir\w*|rimraf|Remove-Item|removeSync|emptyDir\w*/;

/** Calls that write files, and which of their arguments are the paths. */
const WRITES: readonly {
  readonly names: RegExp;
  /** The first argument, all but the first, all of them, or what a method is called on. */
  readonly paths: "first" | "others" | "all" | "receiver";
}[] = [
  {
    names:
      /writeFile\w*|write_file|writeTextFile\w*|appendFile\w*|append_file|outputFile\w*|outputJson\w*|file_put_contents|createWriteStream|binwrite|truncate\w*/,
    paths: "first",
  },
  { names: /copy\w*|cp_r|cp|cpSync|symlink\w*|link|linkSync|ln_s\w*|install/, paths: "others" },
  {
    names: /rename\w*|move\w*|mv|unlink\w*|remove|removedirs|delete|chmod\w*|chown\w*|lchown\w*|touch/,
    paths: "all",
  },
  {
    names: /write_text|write_bytes|unlink|rename|replace|chmod|touch|symlink_to|hardlink_to|open/,
    paths: "receiver",
  },
];
/** `File.write`: what is written to comes first only where a file is not open yet. */
const WRITES_BY_NAME = /(?:File|IO|Bun|Deno)\s*\.\s*(?:write|binwrite|open|new)/;
const OPENS = /open\w*|fopen|sysopen|new_from_file/;
const MODE_TO_WRITE = /^(?:[wax][bt+x]{0,3}|r[bt]?\+[bt]?|[wa]:.*)$/;
const PERL_MODE_TO_WRITE = /^\s*\+?[<>|]*[>|]|^\s*\+</;
const FLAG_TO_WRITE = /\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/;

/** Running a text that only comes to be on the way: something that runs a text, and behind it what makes one. */
const RUNS_TEXT = /\b(exec|eval|Function|instance_eval|compile|system|popen)\b/;
const MAKES_TEXT =
  /\b(b64decode|b85decode|fromhex|unhexlify|urlopen|urlretrieve|requests\.get|fetch|atob|decode_base64|base64_decode|unpack|Net::HTTP|URI\.open|Buffer\.from|codecs)\b/;

/** A connection that a shell is put on. */
const CONNECTS =
  /\b(socket|Socket|TCPSocket|create_connection|fsockopen|net\.connect|createConnection)\b|["']net["']/;
const STARTS = /\b(dup2|pty|spawn\w*|exec\w*|system|popen|proc_open|subprocess|getline)\b/;
const NAMES_SHELL = /["'](\/\S*\/)?(ba|z|da|k)?sh\b/;
/** A call that runs a text of the same language. */
const EVALUATES = /\b(exec|eval|Function|instance_eval|class_eval|runInThisContext|loadstring)\b/;
const READS_INPUT = /\bstdin\b|\bSTDIN\b|\breadFileSync\s*\(\s*0\b|\bARGF\b|\$stdin|\binput\s*\(\)|\bgets\b/;
/** A loop around `fork`. */
const FORKS = /\b(while|for|loop|until)\b[^]{0,200}\bfork\b|\bfork\b[^]{0,50}\b(while|until|for)\b/;

/** What stands between the elements of a list, and between texts that are joined. */
const BETWEEN_ELEMENTS = /^\s*,\s*[[(]?\s*[$@]?$/;
const BETWEEN_PIECES = /^\s*(?:\+|\.\.?|~|<>)?\s*[$@]?$/;

export interface ProgramFacts {
  /** Texts that may reach a shell. */
  readonly commands: readonly string[];
  /** Texts that the program may run as a program of its own language. */
  readonly programs: readonly string[];
  /** Texts that may be the path of a tree to remove. */
  readonly removed: readonly string[];
  /** Texts that may be the path of a file to change. */
  readonly written: readonly string[];
  /** Every text, for paths that it may open. */
  readonly literals: readonly string[];
  readonly reads: boolean;
  readonly runsHidden: boolean;
  /** Whether it runs what it reads from its input. */
  readonly runsInput: boolean;
  readonly opensShell: boolean;
  readonly forks: boolean;
}

/**
 * Reads a program's text without understanding it: which texts stand in the arguments of calls that matter. Where such
 * a function is named and not called, or its name is put together, every text of the program may be its argument.
 * @param interpreter the program that runs it, as `python3`
 */
export function programFacts(code: string, interpreter: string): ProgramFacts {
  const program = readProgram(code, languageOf(interpreter));
  const { own, literals } = program;
  const all = allTexts(program);
  const { commands, runs } = commandsOf(program, all);
  return {
    commands,
    removed: removedBy(program, all),
    written: writtenBy(program, all),
    programs: EVALUATES.test(own) ? literals.map(({ text }) => text) : [],
    literals: all,
    reads: /\b(open|read\w*|File|slurp|IO|copy\w*|load|fs|Path|cat)\b/.test(own),
    runsHidden: runsHidden(own),
    runsInput: (runs || EVALUATES.test(own)) && READS_INPUT.test(own),
    opensShell:
      (CONNECTS.test(own) && STARTS.test(own) && NAMES_SHELL.test(program.code)) ||
      (code.includes("/inet/tcp/") && STARTS.test(own)),
    forks: FORKS.test(own),
  };
}

function allTexts(program: Program): readonly string[] {
  const { code, literals } = program;
  const patterns = [...code.matchAll(/<([^<>\s"'=]{1,200})>/g)].map((match) => match[1] ?? "");
  return [
    ...literals.map(({ text }) => text),
    ...joined(code, literals, BETWEEN_PIECES, ""),
    ...patterns,
    ...quotedCommands(program),
  ];
}

/** Not those that stand in a text, nor in a language that has none. */
const quotedCommands = ({ code, own, language }: Program): readonly string[] =>
  language.backticks === "command"
    ? [...code.matchAll(QUOTED_COMMAND)]
        .filter(({ 0: whole, index }) => own.startsWith(whole.slice(0, 2), index))
        .map((match) => match[1] ?? match[2] ?? match[3] ?? match[5] ?? "")
    : [];

/** Whether a text of the program is the name of a function: it is looked up by it. */
const namesByText = (program: Program, names: RegExp): boolean => {
  const whole = new RegExp(`^(?:${names.source})$`);
  return (
    program.literals.some(({ text }) => whole.test(text)) ||
    joined(program.code, program.literals, BETWEEN_PIECES, "").some((text) => names.test(text))
  );
};

function commandsOf(program: Program, all: readonly string[]) {
  const { code, language, literals } = program;
  const isScript = language.backticks === "template";
  const found = isScript && !STARTS_PROCESSES.test(code) ? { calls: [], others: 0 } : callsOf(program, RUNS);
  const rare = RUNS_SOMEWHERE.filter(({ mentions }) => mentions.test(code)).flatMap(
    ({ names }) => callsOf(program, names).calls,
  );
  const calls = [...found.calls, ...rare];
  const anything =
    found.others > 0 || (namesByText(program, RUNS) && !(isScript && !STARTS_PROCESSES.test(code)));
  const ticked =
    language.backticks === "command"
      ? literals.filter(({ quote }) => quote === "`").map(({ text }) => text)
      : [];
  const quoted = quotedCommands(program);
  const piped = callsOf(program, OPENS)
    .calls.flatMap((call) => textsIn(program, call.region))
    .flatMap(({ text }) => /^\s*\|(.*)|(.*)\|\s*$/s.exec(text)?.slice(1).join("") ?? []);
  const commands = [
    ...calls.flatMap(({ region }) => commandsIn(program, region)),
    ...(anything ? [...all, ...joined(code, literals, BETWEEN_ELEMENTS, " ")] : []),
    ...ticked,
    ...quoted,
    ...piped,
  ];
  return { commands: [...new Set(commands)], runs: calls.length > 0 || anything || ticked.length > 0 };
}

function commandsIn(program: Program, region: ProgramCall["region"]): readonly string[] {
  const texts = textsIn(program, region);
  const words = wordLists(program.code.slice(region.start, region.end));
  return [
    ...texts.map(({ text }) => text),
    ...joined(program.code, texts, BETWEEN_PIECES, ""),
    ...joined(program.code, texts, BETWEEN_ELEMENTS, " "),
    ...words,
  ];
}

const wordLists = (code: string): readonly string[] =>
  [...code.matchAll(WORDS)].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? match[6] ?? "");

/** Every text in a part, also such that are joined or stand between `<` and `>` or in lists of words. */
function pathsIn(program: Program, region: ProgramCall["region"]): readonly string[] {
  const texts = textsIn(program, region);
  const own = program.code.slice(region.start, region.end);
  return [
    ...texts.map(({ text }) => text),
    ...joined(program.code, texts, BETWEEN_PIECES, ""),
    ...[...own.matchAll(/<([^<>\s"'=]{1,200})>/g)].map((match) => match[1] ?? ""),
    ...wordLists(own).flatMap((list) => list.trim().split(/\s+/)),
  ];
}

function removedBy(program: Program, all: readonly string[]): readonly string[] {
  const { calls, others } = callsOf(program, REMOVES);
  // Of these names, some are those of variables and options as well.
  const isNamed =
    others > 0 && callsOf(program, /rmtree|rmSync|rmdirSync|rm_rf|remove_tree|rimraf/).others > 0;
  if (isNamed || namesByText(program, REMOVES)) return all;
  const firstOnly = !program.language.hasBareCalls;
  return calls.flatMap((call) => {
    const parts = argumentsOf(program, call.region);
    const paths = (firstOnly ? parts.slice(0, 1) : parts).flatMap((part) => pathsIn(program, part));
    const receiver = receiverOf(program, call);
    return receiver === undefined ? paths : [...paths, ...pathsIn(program, receiver)];
  });
}

function writtenBy(program: Program, all: readonly string[]): readonly string[] {
  if (callsOf(program, /writeFileSync|appendFileSync|file_put_contents/).others > 0) return all;
  if (namesByText(program, /writeFileSync|appendFileSync|unlinkSync|unlink|file_put_contents/)) return all;
  const written = WRITES.flatMap(({ names, paths }) =>
    callsOf(program, names).calls.flatMap((call) => {
      const parts = argumentsOf(program, call.region);
      if (paths === "receiver") return receiverWritten(program, call);
      const chosen = { first: parts.slice(0, 1), others: parts.slice(1), all: parts }[paths];
      return chosen.flatMap((part) => pathsIn(program, part));
    }),
  );
  const byName = callsOf(program, WRITES_BY_NAME).calls.filter(({ name }) => name.endsWith("write"));
  const opened = callsOf(program, OPENS).calls.filter((call) => opensToWrite(program, call));
  return [
    ...written,
    ...[...byName, ...opened].flatMap(({ region }) => pathsIn(program, openedPart(program, region))),
  ];
}

/** `Path("x").write_text(…)`; `open` only where it is to write. */
function receiverWritten(program: Program, call: ProgramCall): readonly string[] {
  const receiver = receiverOf(program, call);
  if (receiver === undefined || !/\b(Path|PurePath|PosixPath|pathlib)\b/.test(program.own)) return [];
  if (call.name === "open" && !opensToWrite(program, call)) return [];
  return pathsIn(program, receiver);
}

/** The path comes first, and behind the mode where that is written as in a shell. */
function openedPart(program: Program, region: ProgramCall["region"]): ProgramCall["region"] {
  const [first = region] = argumentsOf(program, region);
  const hasModeFirst = textsIn(program, first).some(({ text }) => /^\s*\+?[<>|]/.test(text));
  return program.language.hasBareCalls || hasModeFirst ? region : first;
}

function opensToWrite(program: Program, { region }: ProgramCall): boolean {
  const given = textsIn(program, region).map(({ text }) => text);
  return (
    given.some((text) => MODE_TO_WRITE.test(text) || PERL_MODE_TO_WRITE.test(text)) ||
    FLAG_TO_WRITE.test(program.own.slice(region.start, region.end))
  );
}

function runsHidden(code: string): boolean {
  const first = code.search(RUNS_TEXT);
  return first >= 0 && MAKES_TEXT.test(code.slice(first));
}

/** Neighbours that belong together: the pieces of one text, or the elements of one list. */
function joined(
  code: string,
  literals: readonly Literal[],
  between: RegExp,
  glue: string,
): readonly string[] {
  const groups: string[][] = [];
  literals.forEach((literal, index) => {
    const before = literals[index - 1];
    const gap = before === undefined ? undefined : code.slice(before.end, literal.start);
    const isNext = gap !== undefined && gap.length <= 20 && between.test(gap);
    if (isNext) groups.at(-1)?.push(literal.text);
    else groups.push([literal.text]);
  });
  // In some languages the program stands once more in front of its arguments.
  return groups
    .filter((group) => group.length > 1)
    .flatMap((group) => (glue === "" ? [group.join("")] : [group.join(glue), group.slice(1).join(glue)]));
}
