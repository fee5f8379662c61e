/** The name under which an uploaded file is stored. */

const MAX_BYTES = 200;
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/**
 * One safe path segment out of whatever name a client sends: no folders, no control characters, no leading dot,
 * nothing that another system reads differently.
 */
export function safeFileName(sent: string): string {
  const last = sent.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const cleaned = [...last]
    .map((character) => (isPlain(character) ? character : "_"))
    .join("")
    .replace(/^[\s.]+/, "")
    .replace(/[\s.]+$/, "");
  const named = DEVICE_NAME.test(cleaned) ? `_${cleaned}` : cleaned;
  return shorten(named === "" ? "file" : named);
}

const UNSAFE: ReadonlySet<string> = new Set(["<", ">", ":", '"', "|", "?", "*", "\u007f"]);

const isPlain = (character: string): boolean => character >= " " && !UNSAFE.has(character);

/** The stem and the extension with its dot; a name without one has an empty extension. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { stem: name, extension: "" } : { stem: name.slice(0, dot), extension: name.slice(dot) };
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const { stem, extension } = splitName(name);
  const kept = Buffer.byteLength(extension) > MAX_BYTES / 4 ? "" : extension;
  let short = "";
  for (const character of kept === "" ? name : stem) {
    if (Buffer.byteLength(short + character + kept) > MAX_BYTES) break;
    short += character;
  }
  return short + kept;
}

/** The `attempt`-th name to try for `name`: itself, then `report_1.pdf`, `report_2.pdf`, … */
export function numberedName(name: string, attempt: number): string {
  if (attempt === 0) return name;
  const { stem, extension } = splitName(name);
  return `${stem}_${attempt}${extension}`;
}
