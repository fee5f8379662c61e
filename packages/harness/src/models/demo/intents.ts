/** Decides what the demo model can do with a task: profile a table, survey a folder, or say that it cannot. */
import type { HistoryView } from "./history-view.js";
import type { FileList } from "./tool-results.js";

export type Intent =
  | { readonly kind: "table"; readonly path: string }
  | {
      readonly kind: "folder";
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
  const table = tables.at(0);
  if (table !== undefined && tables.length >= texts.length + code.length)
    return { kind: "table", path: table };
  if (texts.length === 0 && code.length === 0)
    return table === undefined ? { kind: "none" } : { kind: "table", path: table };
  const flavour = code.length > texts.length ? "code" : "text";
  return { kind: "folder", flavour, files: flavour === "code" ? [...code, ...texts] : texts, filesCut };
}

/** The found files that the task names by path, below a named folder, or by file name. */
function namedFiles({ namedPaths, task }: HistoryView, found: readonly string[]): readonly string[] {
  const byPath = found.filter((path) =>
    namedPaths.some((named) => path === named || path.startsWith(`${named.replace(/\/$/, "")}/`)),
  );
  const elsewhere = namedPaths.filter((path) => TABLE.test(path) && !found.includes(path));
  if (byPath.length + elsewhere.length > 0) return [...byPath, ...elsewhere];
  return found.filter((path) => task.includes(path.slice(path.lastIndexOf("/") + 1)));
}
