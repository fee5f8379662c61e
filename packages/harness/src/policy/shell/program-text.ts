/** Programs in other languages that are given in the command line: what they would have a shell do. */
import { decodeEscapes } from "./values.js";

/** A call that hands a text or a list to the system as a command. */
const RUNS =
  /\b(system|popen\d?|exec\w*|spawn\w*|subprocess|check_(?:call|output)|getoutput|shell_exec|passthru|proc_open|qx|Popen|run)\b|`/;
/** A call that removes a tree. */
const REMOVES = /\b(rmtree|rmSync|rmdirSync|rm|remove_tree|rm_rf|rm_r|FileUtils|rimraf)\b/;
/** A call that writes a file. */
const WRITES = /\b(open\w*\s*\([^)]*["'](?:[wax]|>)|write\w*|append\w*|file_put_contents|copy\w*|rename\w*)/;
/** Running a text that only comes to be on the way. */
const RUNS_HIDDEN =
  /\b(exec|eval|Function|instance_eval|compile|system|popen)\b[^]*\b(b64decode|b85decode|fromhex|unhexlify|urlopen|urlretrieve|requests\.get|fetch|atob|decode_base64|base64_decode|unpack|Net::HTTP|URI\.open|Buffer\.from|codecs)\b/;

const LITERAL = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|`((?:[^`\\]|\\[^])*)`/g;
const LIST = /\[\s*((?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))*)\s*,?\s*\]/g;

export interface ProgramFacts {
  /** Texts that may reach a shell. */
  readonly commands: readonly string[];
  /** Texts that may be the path of a tree to remove. */
  readonly removed: readonly string[];
  /** Every text, for paths that it may open. */
  readonly literals: readonly string[];
  readonly reads: boolean;
  readonly writes: boolean;
  readonly runsHidden: boolean;
}

/** Reads a program's text without understanding it: its string literals, and what they could be for. */
export function programFacts(code: string): ProgramFacts {
  const literals = [...code.matchAll(LITERAL)].map((match) =>
    decodeEscapes((match[1] ?? match[2] ?? match[3] ?? "").replaceAll(/\\(["'`])/g, "$1")),
  );
  const lists = [...code.matchAll(LIST)].map((match) =>
    [...(match[1] ?? "").matchAll(LITERAL)].map((item) => item[1] ?? item[2] ?? "").join(" "),
  );
  return {
    commands: RUNS.test(code) ? [...literals, ...lists] : [],
    removed: REMOVES.test(code) ? literals : [],
    literals,
    reads: /\b(open|read\w*|File|slurp|IO|copy\w*|load)\b/.test(code),
    writes: WRITES.test(code),
    runsHidden: RUNS_HIDDEN.test(code),
  };
}
