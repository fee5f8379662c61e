/** What is known about a text that a shell will work with, before it runs. */
import { normalize } from "node:path/posix";

/** Stands in a text for a piece that is not known. No command holds this character: it is refused before. */
export const HOLE = "\0";

/** Where a text comes from, the harmless first. */
const ORIGINS = ["plain", "computed", "decoded", "downloaded"] as const;
export type Origin = (typeof ORIGINS)[number];

/** A text with {@link HOLE}s, as it lies in a file, a variable or a pipe. */
export interface Text {
  readonly text: string;
  readonly origin: Origin;
}

/** One word after expansion. */
export interface Field extends Text {
  /** What reading the path `text` gives, where that is known: the output of a process substitution. */
  readonly content?: Text;
  /** Of `name=(…)`, as a word: the elements. */
  readonly elements?: readonly Field[];
}

export const plain = (text: string): Text => ({ text, origin: "plain" });
export const EMPTY = plain("");
export const UNKNOWN = plain(HOLE);

export const worse = (a: Origin, b: Origin): Origin => (ORIGINS.indexOf(a) > ORIGINS.indexOf(b) ? a : b);

/** Something that no longer has the text of `source`, but its origin. */
export const derivedFrom = (source: Text): Text =>
  source.text === "" && source.origin === "plain" ? UNKNOWN : { text: HOLE, origin: source.origin };

/** Longer values are cut: `x=$x$x` doubles with every turn. */
const VALUE_CHARACTERS = 20_000;

export function concatenate(texts: readonly Text[]): Text {
  let text = "";
  let origin: Origin = "plain";
  for (const each of texts) {
    text += each.text;
    if (each.origin !== "plain") origin = worse(origin, each.origin);
  }
  return { text: cut(text), origin };
}

/** Words with blanks between them. */
export const joinedFields = (fields: readonly Field[]): Text =>
  concatenate(fields.flatMap((field, index) => (index === 0 ? [field] : [plain(" "), field])));

/** Words that a shell will read as the same words. */
export const quotedFields = (fields: readonly Field[]): Text => ({
  ...joinedFields(fields),
  text: cut(fields.map(({ text }) => `'${text.replaceAll("'", "'\\''")}'`).join(" ")),
});

/** `text`, with a hole instead of what is too long. */
export const cut = (text: string): string =>
  text.length > VALUE_CHARACTERS ? text.slice(0, VALUE_CHARACTERS) + HOLE : text;

const ESCAPE = /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[nrt\\])/g;

/** The escapes of `echo -e`, `printf` and `$'…'` that hide letters. */
export const decodeEscapes = (text: string): string =>
  text.replaceAll(ESCAPE, (_whole, escape: string) => {
    if (escape === "n") return "\n";
    if (escape === "t") return "\t";
    if (escape === "r") return "\r";
    if (escape === "\\") return "\\";
    const hexadecimal = /^[xu]/.test(escape);
    const code = Number.parseInt(hexadecimal ? escape.slice(1) : escape, hexadecimal ? 16 : 8);
    // What separates entries is a line here: the character itself stands for a hole.
    return code === 0 ? "\n" : String.fromCharCode(code);
  });

/** The absolute form of a path; of a relative one in an unknown folder, with a hole in front. */
export const absolute = (path: string, folder: string | undefined): string => {
  if (path.startsWith("/")) return stripSlash(normalize(path));
  if (path.startsWith(HOLE)) return path;
  return folder === undefined ? `${HOLE}/${path}` : stripSlash(normalize(`${folder}/${path}`));
};

const stripSlash = (path: string): string => (path.length > 1 ? path.replace(/\/+$/, "") || "/" : path);
