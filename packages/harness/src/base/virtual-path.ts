/** Virtual paths: absolute, POSIX, canonical. Whatever a model writes becomes one of these or is refused. */
import { DeerflowError } from "./errors.js";

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const SHOWN_CHARACTERS = 200;
const CONTROL_CHARACTERS = /\p{Cc}/u;
const LINE_BREAKERS = /[\p{Cc}\u2028\u2029]/gu;
/** Two of the format characters belong to the spelling of words and of joined pictures. */
const UNSEEN = /[\p{Cc}\u2028\u2029]|(?![\u200C\u200D])\p{Cf}/gu;
const LONE_SURROGATE = /\p{Surrogate}/u;

const hasParentSegment = (path: string): boolean => path.split(/[/\\]/).includes("..");
const tooLong = (path: string): boolean =>
  Buffer.byteLength(path) > MAX_PATH_BYTES ||
  path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);

/** Why a path is refused, in the order in which the reasons are looked for. */
const REFUSALS: readonly { readonly applies: (path: string) => boolean; readonly reason: string }[] = [
  { applies: (path) => path.trim() === "", reason: "it is empty" },
  { applies: (path) => CONTROL_CHARACTERS.test(path), reason: "it holds a control character" },
  { applies: (path) => LONE_SURROGATE.test(path), reason: "it is not valid Unicode" },
  { applies: tooLong, reason: "it is too long" },
  { applies: (path) => path.startsWith("~"), reason: "~ is not expanded here" },
  { applies: (path) => /^[A-Za-z]:[/\\]/.test(path), reason: "it is a Windows path" },
  { applies: hasParentSegment, reason: "it holds a .. segment" },
  { applies: (path) => !path.startsWith("/"), reason: "it is not absolute" },
];

/**
 * A path as it may stand in a message: cut to a length that a person can read, with control characters, and those that
 * turn the direction of text or are not seen, visible.
 */
export function shownPath(path: string): string {
  const visible = JSON.stringify(path).slice(1, -1).replaceAll(UNSEEN, escaped);
  return visible.length <= SHOWN_CHARACTERS ? visible : `${visible.slice(0, SHOWN_CHARACTERS)}…`;
}

/**
 * A path as one line of a listing: whole, so that it can be used as it stands. Characters that would break the line
 * or steer a terminal are escaped; {@link parseVirtualPath} takes no control characters anyway.
 */
export const listedPath = (path: string): string => path.replaceAll(LINE_BREAKERS, escaped);

const escaped = (character: string): string =>
  character === "\n" ? "\\n" : character.split("").map(escapedUnit).join("");

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * The canonical form of a path that a model gave: `//`, `/./` and a trailing slash are folded.
 * `..` is refused as a whole segment only; `/a..b` is a fine name.
 * @throws DeerflowError `path_invalid`
 */
export function parseVirtualPath(given: string): string {
  const refusal = REFUSALS.find((row) => row.applies(given));
  if (refusal !== undefined) {
    throw new DeerflowError("path_invalid", { path: shownPath(given) || '""', reason: refusal.reason });
  }
  return fromSegments(segmentsOf(given));
}

/** The names on the way from the root; empty for `/`. */
export const segmentsOf = (path: string): string[] =>
  path.split("/").filter((name) => name !== "" && name !== ".");

export const fromSegments = (segments: readonly string[]): string => `/${segments.join("/")}`;

/** The folder above; `/` for the root itself. */
export const parentOf = (path: string): string => fromSegments(segmentsOf(path).slice(0, -1));

/** The last name; empty for the root. */
export const nameOf = (path: string): string => segmentsOf(path).at(-1) ?? "";

export const childOf = (folder: string, name: string): string =>
  folder === "/" ? `/${name}` : `${folder}/${name}`;

/** Whether `path` is `folder` or lies below it. Both canonical. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || folder === "/" || path.startsWith(`${folder}/`);
