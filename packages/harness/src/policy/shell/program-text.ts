/** Programs in other languages that are given in the command line: what they would have a shell do. */
import { decodeEscapes } from "./values.js";

/** A call that hands a text or a list to the system as a command. */
const RUNS =
  /\b(system|popen\d?|exec\w*|spawn\w*|subprocess|check_(?:call|output)|getoutput|shell_exec|passthru|proc_open|qx|Popen|run|child_process)\b|`|%x\W/;
/** Commands in quotes of their own: `qx(…)` and `%x(…)`. */
const QUOTED_COMMAND =
  /(?:\bqx|%x)\s*(?:\(([^)]{1,500})|\{([^}]{1,500})|\[([^\]]{1,500})|([|!/])(.{1,500}?)\4)/g;
/** A call that removes a tree. */
const REMOVES =
  /\b(rmtree|rmSync|rmdirSync|rm|remove_tree|rm_rf|rm_r|FileUtils|rimraf|Remove-Item|removeSync)\b/;
/** A call that writes a file. */
const WRITES =
  /\b(open\w*\s*\([^)]{0,500}["'](?:[wax]|>)|open\b[^;)]{0,200}["']\+?>|write\w*|append\w*|file_put_contents|copy\w*|rename\w*|move|unlink\w*|remove\w*|truncate\w*|chmod\w*|chown\w*|symlink\w*)/;
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
const BETWEEN_ELEMENTS = /^\s*,\s*[[(]?\s*$/;
const BETWEEN_PIECES = /^\s*(?:\+|\.\.?|~|<>)?\s*$/;

export interface ProgramFacts {
  /** Texts that may reach a shell. */
  readonly commands: readonly string[];
  /** Texts that the program may run as a program of its own language. */
  readonly programs: readonly string[];
  /** Texts that may be the path of a tree to remove. */
  readonly removed: readonly string[];
  /** Every text, for paths that it may open. */
  readonly literals: readonly string[];
  readonly reads: boolean;
  readonly writes: boolean;
  readonly runsHidden: boolean;
  /** Whether it runs what it reads from its input. */
  readonly runsInput: boolean;
  readonly opensShell: boolean;
  readonly forks: boolean;
}

interface Literal {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Reads a program's text without understanding it: its string literals, and what they could be for. */
export function programFacts(code: string): ProgramFacts {
  const found = literalsOf(code);
  const own = withoutTexts(code, found);
  const texts = found.map(({ text }) => text);
  const patterns = [...code.matchAll(/<([^<>\s"'=]{1,200})>/g)].map((match) => match[1] ?? "");
  const pieces = joined(code, found, BETWEEN_PIECES, "");
  const quoted = [...code.matchAll(QUOTED_COMMAND)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[5] ?? "",
  );
  const literals = [...texts, ...pieces, ...patterns, ...quoted];
  return {
    commands:
      RUNS.test(own) || pieces.some((piece) => RUNS.test(piece))
        ? [...literals, ...joined(code, found, BETWEEN_ELEMENTS, " ")]
        : [],
    removed: REMOVES.test(own) ? literals : [],
    programs: EVALUATES.test(own) ? texts : [],
    literals,
    reads: /\b(open|read\w*|File|slurp|IO|copy\w*|load|fs|Path|cat)\b/.test(own),
    writes: WRITES.test(own),
    runsHidden: runsHidden(own),
    runsInput: (RUNS.test(own) || EVALUATES.test(own)) && READS_INPUT.test(own),
    opensShell:
      (CONNECTS.test(own) && STARTS.test(own) && NAMES_SHELL.test(code)) ||
      (code.includes("/inet/tcp/") && STARTS.test(own)),
    forks: FORKS.test(own),
  };
}

/** Shorter texts say how a function is meant, as the mode of `open` does. */
const MODE_CHARACTERS = 3;

/** The program without what stands in quotes. In backticks there can be program again, so that stays. */
function withoutTexts(code: string, literals: readonly Literal[]): string {
  let own = "";
  let at = 0;
  for (const { start, end, text } of literals) {
    if (text.length <= MODE_CHARACTERS || code[start] === "`") continue;
    const [mode = ""] = /^[<>+|]{0,2}/.exec(text) ?? [];
    own += code.slice(at, start + 1) + mode;
    at = end - 1;
  }
  return own + code.slice(at);
}

function runsHidden(code: string): boolean {
  const first = code.search(RUNS_TEXT);
  return first >= 0 && MAKES_TEXT.test(code.slice(first));
}

/** The quoted texts; a quote that is never closed opens none. */
function literalsOf(code: string): readonly Literal[] {
  const literals: Literal[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < code.length; at += 1) {
    const quote = code[at] ?? "";
    if (!/["'`]/.test(quote) || unclosed.has(quote)) continue;
    const end = closingOf(code, at + 1, quote);
    if (end === undefined) {
      unclosed.add(quote);
      continue;
    }
    const raw = code.slice(at + 1, end);
    const text = decodeEscapes(raw.replaceAll(/\\(["'`/$])/g, "$1"));
    literals.push({ text, start: at, end: end + 1 });
    at = end;
  }
  return literals;
}

function closingOf(code: string, from: number, quote: string): number | undefined {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === "\\") at += 1;
    else if (code[at] === quote) return at;
  }
  return undefined;
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
