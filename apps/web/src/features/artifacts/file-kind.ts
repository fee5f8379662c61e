/** How a file can be shown, read from its name. */

export type FileKind = "markdown" | "table" | "page" | "image" | "text" | "other";

const KINDS: Readonly<Record<string, FileKind>> = {
  md: "markdown",
  markdown: "markdown",
  csv: "table",
  tsv: "table",
  html: "page",
  htm: "page",
  png: "image",
  jpg: "image",
  jpeg: "image",
  gif: "image",
  webp: "image",
  avif: "image",
  svg: "image",
};

const TEXTS: ReadonlySet<string> = new Set(
  (
    "txt log json jsonl yaml yml toml ini xml js mjs cjs ts tsx jsx py rb go rs java kt c h cpp hpp cs php sh bash sql css scss " +
    "r lua swift diff patch tex bib env conf vue svelte"
  ).split(" "),
);

export function fileKind(path: string): FileKind {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (Object.hasOwn(KINDS, extension)) return KINDS[extension] ?? "other";
  return TEXTS.has(extension) ? "text" : "other";
}
