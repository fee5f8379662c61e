/** The spellings under which a path may be one file, for path rules. */
import { segmentsOf } from "../base/virtual-path.js";

/** A path as names, in each form that rules are compared in. */
export interface Spelling {
  /** As it was given: another form is another file, as far as an allow rule knows. */
  readonly exact: readonly string[];
  /** Composed (NFC): one file on a disk that normalises names. */
  readonly normalised: readonly string[];
  /** Without case and invisible characters: one file on a disk that folds case. */
  readonly folded: readonly string[];
  /** The same with every backslash read as a slash; undefined when there is none. */
  readonly slashed: Spelling | undefined;
}

/** The spelling of an absolute path; undefined for one that is relative or holds a `..` segment. */
export function spellingOf(path: string): Spelling | undefined {
  if (!path.startsWith("/") || path.split(/[/\\]/).includes("..")) return undefined;
  return { ...formsOf(path), slashed: path.includes("\\") ? withSlashes(path) : undefined };
}

const withSlashes = (path: string): Spelling => ({
  ...formsOf(path.replaceAll("\\", "/")),
  slashed: undefined,
});

function formsOf(path: string): Omit<Spelling, "slashed"> {
  const exact = segmentsOf(path);
  // Only ASCII: there is nothing to compose.
  if (/^[\u0020-\u007e]*$/.test(path)) {
    return { exact, normalised: exact, folded: exact.map((name) => name.toLowerCase()) };
  }
  return { exact, normalised: exact.map(normalise), folded: exact.map(foldCase) };
}

export const normalise = (text: string): string => text.normalize("NFC");

/**
 * Full case folding, as near as JavaScript comes: by way of upper case, so that ß is ss and ſ is s, and character by
 * character, so that a final sigma is no exception. Characters that some file systems ignore are left out.
 */
export const foldCase = (text: string): string =>
  Array.from(text.normalize("NFD").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ""), foldCharacter)
    .join("")
    .normalize("NFC");

const foldCharacter = (character: string): string =>
  Array.from(character.toUpperCase(), (upper) => upper.toLowerCase()).join("");
