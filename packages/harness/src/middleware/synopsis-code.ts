/** The outline of source code: which functions and types are defined, and in which lines. */
import { linesWithin, oneLine } from "./offload-text.js";

const SCANNED_CHARACTERS = 500_000;
const MAX_LINES = 50_000;
const MAX_LINE_CHARACTERS = 300;
const MAX_SHOWN = 40;
const SHOWN_CHARACTERS = 80;
const LEAST_DEFINITIONS = 3;
/** Prose has a line now and then that looks like a definition; code has one in this many at least. */
const MOST_LINES_A_DEFINITION = 150;

/** One row a kind of definition. Applied to short lines only and without their last spaces, so none can take long. */
const DEFINITIONS: readonly RegExp[] = [
  // JavaScript, TypeScript, PHP
  /^\s{0,8}(?:export )?(?:default )?(?:async )?function\*? ?[\w$]+ ?[(<]/,
  /^\s{0,4}(?:export )?const [\w$]+(?:: ?[^=]{1,80})? ?= ?(?:async ?)?(?:\([^)]{0,200}\)|[\w$]+)(?:: ?[^=]{1,80})? ?=>/,
  /^\s{0,4}(?:export )?type [\w$]+(?:<[^>]{1,80}>)? ?= /,
  // Classes and their like in most languages
  /^\s{0,8}(?:export |default |public |private |protected |internal |abstract |final |static |sealed |data |pub ){0,5}(?:class|interface|enum|trait|struct|record|namespace) [\w$.]+(?![\w$.]).{0,200}[{:;(,)]$/,
  // Python, Ruby
  /^\s{0,12}(?:async )?def [\w.?!]+(?:[ (:]|$)/,
  /^\s{0,8}class \w+(?!\w).{0,200}:$/,
  // Go
  /^func (?:\([^)]{1,100}\) )?\w+[([]/,
  /^type \w+ (?:struct|interface|func)\b/,
  // Rust
  /^\s{0,8}(?:pub(?:\([^)]{1,30}\))? )?(?:async |unsafe |const ){0,3}fn \w+[(<]/,
  /^\s{0,8}impl(?:<[^>]{1,80}>)? [\w:<>' ]{1,100} ?\{/,
  // Java, C#, C, C++
  /^\s{0,8}(?:(?:public|private|protected|static|final|virtual|override|async|inline|extern|const|unsigned) ){1,4}[\w<>[\],:*&]{1,60} [\w:~*&]{1,80}\([^;]{0,200}\{$/,
  // Shell
  /^(?:function )?[\w-]+ ?\(\) ?\{/,
];

/** Undefined when there are too few definitions for the text to be code. */
export function codeSynopsis(text: string): string | undefined {
  const shown: string[] = [];
  let definitions = 0;
  let lines = 0;
  for (const line of linesWithin(text, SCANNED_CHARACTERS)) {
    lines += 1;
    if (lines > MAX_LINES) break;
    if (!isDefinition(line.text.trimEnd())) continue;
    definitions += 1;
    if (shown.length < MAX_SHOWN) shown.push(`${line.number}: ${oneLine(line.text, SHOWN_CHARACTERS)}`);
  }
  if (definitions < LEAST_DEFINITIONS || lines > definitions * MOST_LINES_A_DEFINITION) return undefined;
  const more = definitions > shown.length ? [`and ${definitions - shown.length} more`] : [];
  return ["Code. Definitions by line:", ...shown, ...more].join("\n");
}

const isDefinition = (line: string): boolean =>
  line !== "" && line.length <= MAX_LINE_CHARACTERS && DEFINITIONS.some((row) => row.test(line));
