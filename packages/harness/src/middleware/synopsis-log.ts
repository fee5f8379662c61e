/** What a log holds: how many lines of each level, and the first and last that report an error. */
import { linesWithin, type NumberedLine, oneLine } from "./offload-text.js";

const SCANNED_CHARACTERS = 1_000_000;
const LEVEL_WITHIN_CHARACTERS = 200;
const LINE_CHARACTERS = 200;
const LEAST_LINES = 5;
const LEAST_SHARE = 0.3;

const NAMES = "trace|debug|info|notice|warn|warning|error|fatal|critical";
/** A level stands in capitals, in brackets, or behind `level=`; the bare word is part of many sentences. */
const LEVEL = new RegExp(
  `\\b(${NAMES.toUpperCase()})\\b|\\[(${NAMES})\\]|\\blevel["']?[=:] ?["']?(${NAMES})\\b`,
);

/** In the order in which they are told. */
const LEVELS = ["fatal", "error", "warning", "notice", "info", "debug", "trace"] as const;
type Level = (typeof LEVELS)[number];
const SYNONYMS: Readonly<Record<string, Level>> = { warn: "warning", critical: "fatal" };
const FAILURES: ReadonlySet<Level> = new Set(["fatal", "error"]);

/** Undefined when too few lines name a level. */
export function logSynopsis(text: string): string | undefined {
  const counts = new Map<Level, number>();
  let lines = 0;
  let levelled = 0;
  let first: NumberedLine | undefined;
  let last: NumberedLine | undefined;
  for (const line of linesWithin(text, SCANNED_CHARACTERS)) {
    if (line.text === "") continue;
    lines += 1;
    const level = levelOf(line.text);
    if (level === undefined) continue;
    levelled += 1;
    counts.set(level, (counts.get(level) ?? 0) + 1);
    if (!FAILURES.has(level)) continue;
    first ??= line;
    last = line;
  }
  if (levelled < LEAST_LINES || levelled < lines * LEAST_SHARE) return undefined;
  const told = LEVELS.filter((level) => counts.has(level)).map((level) => `${level} ${counts.get(level)}`);
  const scope = text.length > SCANNED_CHARACTERS ? ` in the first ${SCANNED_CHARACTERS} characters` : "";
  return [
    `Log. Lines by level${scope}: ${told.join(", ")}.`,
    ...(first === undefined
      ? []
      : [`First error, line ${first.number}: ${oneLine(first.text, LINE_CHARACTERS)}`]),
    ...(last === undefined || last === first
      ? []
      : [`Last error, line ${last.number}: ${oneLine(last.text, LINE_CHARACTERS)}`]),
  ].join("\n");
}

function levelOf(line: string): Level | undefined {
  const match = LEVEL.exec(line.slice(0, LEVEL_WITHIN_CHARACTERS));
  const name = (match?.[1] ?? match?.[2] ?? match?.[3])?.toLowerCase();
  // The cast is sound: the pattern matches levels and their synonyms only.
  return name === undefined ? undefined : (SYNONYMS[name] ?? (name as Level));
}
