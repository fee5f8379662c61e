/** How the values of secret variables may be spelled in output. */
import type { PathReplacement } from "./path-mask.js";

/** A shorter value is likely to be a word of ordinary output too. */
const SHORTEST = 4;
/** A line of a value of many lines, as a private key has them. */
const SHORTEST_LINE = 8;

/** What hides the values of these variables in output: plain, in base64, in addresses and in JSON. Pure. */
export const secretReplacements = (
  variables: Readonly<Record<string, string>>,
): readonly PathReplacement[] => {
  const spelled = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) {
    for (const spelling of spellings(value)) if (!spelled.has(spelling)) spelled.set(spelling, name);
  }
  return [...spelled].map(([from, name]) => ({ from, to: `[redacted ${name}]`, kind: "text" as const }));
};

function spellings(value: string): readonly string[] {
  if (value.length < SHORTEST) return [];
  const lines = value.split(/\r?\n/);
  const parts = lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_LINE);
  return [value, ...parts].flatMap((text) => [
    text,
    ...ESCAPED.map((escape) => escape(text)),
    ...inBase64(text),
  ]);
}

const ESCAPED: readonly ((text: string) => string)[] = [
  (text) => encodeURIComponent(wellFormed(text)),
  (text) => encodeURIComponent(wellFormed(text)).replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
  (text) => encodeURIComponent(wellFormed(text)).replaceAll("%20", "+"),
  (text) => JSON.stringify(text).slice(1, -1),
];

/** Half a character cannot be put into an address. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const BITS_A_BYTE = 8;
const BITS_A_CHARACTER = 6;

/**
 * What is the same wherever the value stands in a longer text that is encoded, as in `user:value`: the characters
 * that no neighbour has a bit in, for each of the three places at which it may begin.
 */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const found = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const from = Math.ceil((before * BITS_A_BYTE) / BITS_A_CHARACTER);
    const to = Math.floor(((before + bytes.length) * BITS_A_BYTE) / BITS_A_CHARACTER);
    return [encoded.slice(from, to)];
  });
  return found
    .filter((spelling) => spelling.length >= SHORTEST)
    .flatMap((spelling) => [spelling, spelling.replaceAll("+", "-").replaceAll("/", "_")]);
}
