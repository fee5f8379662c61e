/** Other spellings of a path, for tests that none of them leads around a rule. */

/** Gives numbers from 0 up to, but not including, 1. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the values. */
export function picked<T>(values: readonly T[], random: Random): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("there is nothing to pick from");
  return value;
}

type Respelling = (path: string, random: Random) => string;

/** Puts `text` in the place of a "/" somewhere in the path. */
const atSlash =
  (text: string): Respelling =>
  (path, random) => {
    const slashes = Array.from(path, (character, at) => (character === "/" ? at : -1)).filter(
      (at) => at !== -1,
    );
    const at = slashes.length === 0 ? 0 : picked(slashes, random);
    return path.slice(0, at) + text + path.slice(at + 1);
  };

/** Changes one character to what `change` makes of it. */
const atCharacter =
  (change: (character: string) => string): Respelling =>
  (path, random) => {
    const characters = Array.from(path);
    const at = Math.floor(random() * characters.length);
    return characters.map((character, index) => (index === at ? change(character) : character)).join("");
  };

const RESPELLINGS: readonly Respelling[] = [
  atSlash("//"),
  atSlash("/./"),
  atSlash("/no-such/../"),
  atSlash("/open/../"),
  atSlash("\\"),
  atSlash("/.\\"),
  atSlash("%2f"),
  atSlash("\u2215"), // looks like a slash
  atCharacter((character) => character.toUpperCase()),
  atCharacter((character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`),
  atCharacter((character) => `${character}\u200b`), // a space without width
  atCharacter((character) => `${character}\u0301`),
  (path) => path.toUpperCase(),
  (path) => path.normalize("NFD"),
  (path) => path.normalize("NFC"),
  (path) => path.replaceAll("s", "\u017f"), // a long s, upper case S
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => `${path} `,
  (path) => `${path}.`,
  (path) => `${path}\0`,
  (path) => `${path}\0.txt`,
  (path) => ` ${path}`,
  (path) => `/${path}`,
  (path) => path.slice(1),
  (path) => `~${path}`,
  (path) => `file://${path}`,
  (path) => path,
];

/** The path with up to three changes, some of which lead elsewhere or nowhere. */
export function spelledAnew(path: string, random: Random): string {
  const changes = Array.from({ length: Math.floor(random() * 4) }, () => picked(RESPELLINGS, random));
  return changes.reduce((spelled, change) => change(spelled, random), path);
}

const ALIKE: readonly Respelling[] = [
  atSlash("//"),
  atSlash("/./"),
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `/${path}`,
  (path) => path,
];

/** The path with one change at most, which leads to the same place wherever paths are made canonical first. */
export const spelledAlike = (path: string, random: Random): string => picked(ALIKE, random)(path, random);
