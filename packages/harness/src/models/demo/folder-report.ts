/** Counts and texts about a folder of text or code. All from tool results. */
import { counted } from "./counted.js";
import { otherFiles } from "./closing.js";
import { inline, markdownTable } from "./markdown.js";
import type { FilePage, GrepHits } from "./tool-results.js";

export interface FileSurvey {
  readonly path: string;
  readonly lines: number;
  /** Runs of characters between blanks, as `wc -w` counts them. */
  readonly words: number;
  /** Markdown headings outside of code. */
  readonly headings: readonly string[];
  /** Markdown links outside of code. */
  readonly links: number;
  /** True when only the first part could be read, so that the counts are too low. */
  readonly partial: boolean;
}

export interface UnreadFile {
  readonly path: string;
  /** The end of a sentence that begins with the file's name. */
  readonly problem: string;
}

export interface FolderFindings {
  readonly flavour: "text" | "code";
  readonly folder: string;
  /** Every file that belongs to the survey, read or not. */
  readonly files: readonly string[];
  /** True when the search for files did not show all of them. */
  readonly filesCut: boolean;
  readonly surveys: readonly FileSurvey[];
  readonly unreadable: readonly UnreadFile[];
  /** Files that do not belong to the survey. */
  readonly others: readonly string[];
  /** `undefined` when there was no search. */
  readonly todos: GrepHits | undefined;
}

export const NOTES =
  "\n## How this was made\n\nThe counts come from reading the files with the agent's tools. Words are what stands between blanks.\n";

const MARKDOWN = /\.(?:md|markdown|mdx)$/i;

export function surveyFile(path: string, page: FilePage): FileSurvey {
  const lines = page.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const prose = MARKDOWN.test(path) ? outsideFences(lines) : [];
  return {
    path,
    lines: page.totalLines ?? lines.length,
    words: page.text.match(/\S+/g)?.length ?? 0,
    headings: prose.flatMap((line) => /^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$/.exec(line.trimEnd())?.[1] ?? []),
    links: prose.join("").match(/(?<!!)\[[^\]\n]*\]\([^)\n]+\)/g)?.length ?? 0,
    partial: page.nextLine !== undefined || page.lineCut,
  };
}

function outsideFences(lines: readonly string[]): string[] {
  let fence: string | undefined;
  return lines.filter((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) return fence === undefined;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return false;
  });
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  tsx: "TypeScript",
  mts: "TypeScript",
  cts: "TypeScript",
  js: "JavaScript",
  jsx: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  py: "Python",
  go: "Go",
  rs: "Rust",
  java: "Java",
  kt: "Kotlin",
  rb: "Ruby",
  php: "PHP",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  cs: "C#",
  swift: "Swift",
  scala: "Scala",
  sh: "Shell",
  sql: "SQL",
  vue: "Vue",
  svelte: "Svelte",
  lua: "Lua",
  r: "R",
  pl: "Perl",
  ex: "Elixir",
  exs: "Elixir",
  css: "CSS",
  html: "HTML",
  md: "Markdown",
  markdown: "Markdown",
  mdx: "Markdown",
  txt: "Text",
};

const languageOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return LANGUAGES[ending] ?? ending;
};

/** Languages with their files and lines, most lines first. */
export function languagesOf(
  surveys: readonly FileSurvey[],
): { language: string; files: number; lines: number }[] {
  const totals = new Map<string, { files: number; lines: number }>();
  for (const { path, lines } of surveys) {
    const before = totals.get(languageOf(path)) ?? { files: 0, lines: 0 };
    totals.set(languageOf(path), { files: before.files + 1, lines: before.lines + lines });
  }
  return [...totals]
    .map(([language, counts]) => ({ language, ...counts }))
    .toSorted((left, right) => right.lines - left.lines);
}

interface Totals {
  readonly lines: number;
  readonly words: number;
  readonly headings: number;
  readonly links: number;
}

export const totalsOf = (surveys: readonly FileSurvey[]): Totals =>
  surveys.reduce<Totals>(
    (sum, { lines, words, headings, links }) => ({
      lines: sum.lines + lines,
      words: sum.words + words,
      headings: sum.headings + headings.length,
      links: sum.links + links,
    }),
    { lines: 0, words: 0, headings: 0, links: 0 },
  );

const shortPath = ({ folder }: FolderFindings, path: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

export function folderReport(found: FolderFindings): string {
  const sections = [
    `# Survey of ${inline(found.folder)}`,
    "Made by the demo model of DeerFlow (scripted, no AI).",
    overview(found),
    ...gaps(found),
    "## Files",
    filesTable(found),
    ...(found.flavour === "code" ? ["## Languages", languagesTable(found)] : outline(found)),
    ...openWork(found),
  ];
  return `${sections.join("\n\n")}\n`;
}

function overview({ surveys, flavour, todos }: FolderFindings): string {
  const { lines, words, headings, links } = totalsOf(surveys);
  const text =
    flavour === "text"
      ? `, ${counted(words, "word")}, ${counted(headings, "heading")}, ${counted(links, "link")}`
      : "";
  const open =
    todos === undefined
      ? ""
      : `, ${todos.cut ? "at least " : ""}${counted(todos.hits.length, "note")} of open work (TODO, FIXME)`;
  return `${counted(surveys.length, "file")} with ${counted(lines, "line")}${text}${open}.`;
}

function gaps({ files, filesCut, surveys, unreadable, others }: FolderFindings): string[] {
  const unread = files.length - surveys.length - unreadable.length;
  const partial = surveys.filter((survey) => survey.partial).length;
  return [
    ...(filesCut ? ["There are more files than the search for them shows."] : []),
    ...(unread > 0 ? [`${counted(unread, "further file")} ${unread === 1 ? "was" : "were"} not read.`] : []),
    ...(partial > 0
      ? [
          `Of ${counted(partial, "long file")} only the first part was read, so the count of words is too low.`,
        ]
      : []),
    ...unreadableText(unreadable),
    ...otherFiles(others),
  ];
}

export const unreadableText = (unreadable: readonly UnreadFile[]): string[] =>
  unreadable.map(({ path, problem }) => `${inline(path)} ${problem}.`);

function filesTable(found: FolderFindings): string {
  if (found.flavour === "code") {
    return markdownTable(
      ["File", "Lines"],
      found.surveys.map(({ path, lines }) => [shortPath(found, path), lines]),
    );
  }
  return markdownTable(
    ["File", "Lines", "Words", "Headings", "Links"],
    found.surveys.map(({ path, lines, words, headings, links }) => [
      shortPath(found, path),
      lines,
      words,
      headings.length,
      links,
    ]),
  );
}

const languagesTable = ({ surveys }: FolderFindings): string =>
  markdownTable(
    ["Language", "Files", "Lines"],
    languagesOf(surveys).map(({ language, files, lines }) => [language, files, lines]),
  );

function outline(found: FolderFindings): string[] {
  const lines = found.surveys.flatMap(({ path, headings }) =>
    headings.slice(0, 10).map((heading) => `- ${inline(shortPath(found, path))}: ${inline(heading)}`),
  );
  return lines.length === 0 ? [] : ["## Headings", lines.join("\n")];
}

function openWork(found: FolderFindings): string[] {
  const lines = (found.todos?.hits ?? [])
    .slice(0, 50)
    .map(
      ({ path, line, text }) => `- ${inline(shortPath(found, path))}, line ${line}: ${inline(text.trim())}`,
    );
  return lines.length === 0 ? [] : ["## Open work", lines.join("\n")];
}

export const folderSummary = (found: FolderFindings): string =>
  [`${inline(found.folder)}: ${overview(found)}`, ...gaps(found)].join("\n");
