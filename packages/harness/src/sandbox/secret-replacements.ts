/** How the values of secret variables may be spelled in output. */
import type { PathReplacement } from "./path-mask.js";

/** A shorter value is likely to be a word of ordinary output too. */
const SHORTEST = 4;
/** A line of a value of many lines, as a private key has them. */
const SHORTEST_LINE = 8;

/**
 * What hides the values of these variables in output: plain, in base64, as hexadecimal digits, in addresses, in JSON
 * and in HTML. Pure.
 */
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
    ...ESCAPED.flatMap((escape) => escape(text)),
    ...inBase64(text),
  ]);
}

function inHexadecimal(text: string): readonly string[] {
  const digits = Buffer.from(text).toString("hex");
  return [digits, digits.toUpperCase()];
}

/** What an address keeps as it is: as components are escaped, as RFC 3986 has it, and whole addresses. */
const KEPT_IN_ADDRESSES = ["-_.!~*'()", "-_.~", "-_.~/", "-_.!~*'()/", "-_.!~*'();/?:@&=+$,#"] as const;

/** Programs differ in what they escape, in the case of digits, and in what stands for a blank. */
const inAddresses = (text: string): readonly string[] =>
  KEPT_IN_ADDRESSES.flatMap((kept) => {
    const escaped = [...Buffer.from(text)].map((byte) => percented(byte, kept)).join("");
    const small = escaped.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
    return [escaped, small].flatMap((spelling) => [spelling, spelling.replaceAll("%20", "+")]);
  });

function percented(byte: number, kept: string): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9]/.test(character) || kept.includes(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Programs escape what is not ASCII or not, and some a slash. */
function inJson(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const numbered = [false, true].map((isUpper) =>
    plain.replaceAll(/[^ -~]/g, (unit) => {
      const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
      return String.raw`\u${isUpper ? digits.toUpperCase() : digits}`;
    }),
  );
  return [plain, ...numbered].flatMap((spelling) => [spelling, spelling.replaceAll("/", String.raw`\/`)]);
}

/** How programs write quotation marks and apostrophes in HTML. */
const HTML_QUOTES = [
  ['"', "'"],
  ["&quot;", "&#x27;"],
  ["&quot;", "&#39;"],
  ["&quot;", "&#039;"],
  ["&quot;", "&apos;"],
  ["&quot;", "'"],
  ["&#34;", "&#39;"],
] as const;

const inHtml = (text: string): readonly string[] =>
  HTML_QUOTES.map(([quotation, apostrophe]) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', quotation)
      .replaceAll("'", apostrophe),
  );

const ESCAPED: readonly ((text: string) => readonly string[])[] = [
  inHexadecimal,
  inAddresses,
  inJson,
  inHtml,
];

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
