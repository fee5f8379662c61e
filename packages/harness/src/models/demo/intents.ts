/** Decides what the demo model can do with a task: profile a table, survey a folder, or say that it cannot. */
import type { HistoryView } from "./history-view.js";
import type { FileList } from "./tool-results.js";

export type Intent =
  | {
      readonly kind: "table";
      /** Tables to choose from. */
      readonly paths: readonly string[];
      /** Files that are left alone whichever is chosen. */
      readonly others: readonly string[];
    }
  | {
      readonly kind: "folder";
      readonly others: readonly string[];
      readonly flavour: "text" | "code";
      readonly files: readonly string[];
      /** True when the search for files did not show all of them. */
      readonly filesCut: boolean;
    }
  | { readonly kind: "none" };

const TABLE = /\.(?:csv|tsv|tab|psv)$/i;
const TEXT = /\.(?:md|markdown|mdx|txt|rst|adoc|org)$/i;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|vue|svelte|lua|r|pl|ex|exs|css|html)$/i;
const WORK =
  /\b(?:profil|report|total|sum|mean|average|count|table|csv|tsv|column|survey|analy[sz]|summar|overview|index|folder|files?|upload|todo|code|statistic|data|chart)|分析|报告|统计|汇总|总结|表格|文件|数据|目录/i;

/** False for talk that has nothing to do with files, so that a greeting does not set the tools going. Pure. */
export const isWork = (view: HistoryView): boolean =>
  view.hasUploads || view.namedPaths.length > 0 || WORK.test(view.task);

/** Chooses among the files that the tools found. Files that the task names go first. Pure. */
export function detectIntent(view: HistoryView, { files: found, cut: filesCut }: FileList): Intent {
  const named = namedFiles(view, found);
  const files = named.length > 0 ? named : found;
  const tables = files.filter((path) => TABLE.test(path));
  const texts = files.filter((path) => TEXT.test(path));
  const code = files.filter((path) => CODE.test(path));
  const without = (chosen: readonly string[]) => found.filter((path) => !chosen.includes(path));
  if (tables.length > 0 && tables.length >= texts.length + code.length)
    return { kind: "table", paths: tables, others: without(tables) };
  if (texts.length === 0 && code.length === 0) return { kind: "none" };
  const flavour = code.length > texts.length ? "code" : "text";
  const surveyed = flavour === "code" ? [...code, ...texts] : texts;
  return { kind: "folder", flavour, files: surveyed, filesCut, others: without(surveyed) };
}

/** Words of the one thing that the script does with files. */
const ROUTINE =
  /\b(?:profil|report|totals?\b|sums?\b|analy[sz]|survey|overview|statistic)|分析|报告|统计|汇总/i;

/** Whether a task asks for more than the script's routine, as a question does. Pure. */
export const asksForMore = (task: string): boolean =>
  task !== "" && (/[?？]/.test(task) || !ROUTINE.test(task));

/** The found files that the task names by path, below a named folder, or by file name. */
function namedFiles({ namedPaths, task }: HistoryView, found: readonly string[]): readonly string[] {
  const byPath = found.filter((path) =>
    namedPaths.some((named) => path === named || path.startsWith(`${named.replace(/\/$/, "")}/`)),
  );
  const elsewhere = namedPaths.filter((path) => TABLE.test(path) && !found.includes(path));
  if (byPath.length + elsewhere.length > 0) return [...byPath, ...elsewhere];
  return found.filter((path) => task.includes(path.slice(path.lastIndexOf("/") + 1)));
}
