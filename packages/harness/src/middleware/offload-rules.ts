/** Which results are long, and how much of them is shown, per dialect. Decisions and tables only. */
import type { Operation } from "../tools/define-tool.js";
import type { Dialect } from "../tools/dialects.js";
import type { HowToRead, PreviewSize } from "./offload-stub.js";

/** What is shown of a result that could not be stored, or was never. */
export interface CutSize {
  /** Longer results are cut. Characters. */
  readonly aboveCharacters: number;
  readonly headCharacters: number;
  readonly tailCharacters: number;
}

export interface OffloadRules {
  /** A longer result goes into a file; 0 for never. Characters of text. */
  readonly limitCharacters: number;
  /** Tools with a limit of their own, by name; 0 for never. */
  readonly limitsByTool: Readonly<Record<string, number>>;
  /** Tools whose results are never touched, by name. */
  readonly exemptTools: readonly string[];
  readonly preview: PreviewSize;
  /** Says what the text is: the keys of a JSON document, the columns of a table, the outline of code. */
  readonly synopsis: boolean;
  /** Absent: what cannot be stored stays as it is. */
  readonly cut?: CutSize;
}

const DEEPAGENTS: OffloadRules = {
  limitCharacters: 80_000,
  limitsByTool: {},
  exemptTools: [],
  preview: { headLines: 5, tailLines: 5, lineCharacters: 1000 },
  synopsis: true,
};

const DEERFLOW: OffloadRules = {
  limitCharacters: 11_999,
  limitsByTool: {},
  exemptTools: ["read_file", "read_file_tool"],
  preview: { headCharacters: 2000, tailCharacters: 1000 },
  synopsis: true,
  cut: { aboveCharacters: 30_000, headCharacters: 8000, tailCharacters: 3000 },
};

export const OFFLOAD_RULES: Readonly<Record<Dialect, OffloadRules>> = {
  deepagents: DEEPAGENTS,
  deerflow: DEERFLOW,
};

export const HOW_TO_READ: Readonly<Record<Dialect, HowToRead>> = {
  deepagents: (path, lines) =>
    `Read it in parts with read_file: file_path "${path}", offset 0, limit ${lines}; each part says where the next begins.`,
  deerflow: (path, lines) =>
    `Read it in parts with read_file: path "${path}", start_line 1, end_line ${lines}; a part that was cut says how to go on.`,
};

/** The file tools bound their own results, and a read of an offloaded file must not be offloaded again. */
const BOUNDED_OPERATIONS: ReadonlySet<Operation> = new Set([
  "list",
  "glob",
  "grep",
  "read",
  "edit",
  "write",
  "delete",
]);

/** The most characters that a result of this tool may have; undefined when it may have any number. */
export function limitFor(
  { limitCharacters, limitsByTool, exemptTools }: OffloadRules,
  tool: string,
  operation: Operation | undefined,
): number | undefined {
  if (exemptTools.includes(tool)) return undefined;
  if (operation !== undefined && BOUNDED_OPERATIONS.has(operation)) return undefined;
  const limit = Object.hasOwn(limitsByTool, tool) ? limitsByTool[tool] : limitCharacters;
  return limit === undefined || limit <= 0 ? undefined : limit;
}
