/** Bytes and text: strict UTF-8, the byte-order mark and the line endings of a file survive every change. */

const BYTE_ORDER_MARK = "\uFEFF";
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A file's text without its byte-order mark; the line endings are as they are on disk. */
export interface FileText {
  readonly text: string;
  readonly byteOrderMark: boolean;
}

/** The text of a file; undefined when the bytes are not valid UTF-8 or hold a NUL, so are no text. */
export function decodeText(bytes: Uint8Array): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const byteOrderMark = whole.startsWith(BYTE_ORDER_MARK);
    return { text: byteOrderMark ? whole.slice(1) : whole, byteOrderMark };
  } catch {
    return undefined;
  }
}

/** The bytes of a text, with exactly one byte-order mark when one is wanted. */
export function encodeText({ text, byteOrderMark }: FileText): Uint8Array {
  const bare = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const marked = byteOrderMark || bare !== text;
  return Buffer.from(marked ? BYTE_ORDER_MARK + bare : bare, "utf8");
}

/** Whether a text can be written as UTF-8 without loss. */
export const isEncodable = (text: string): boolean => !LONE_SURROGATE.test(text);

/** The text as a model sees it: every line ends in one "\n". */
export const withPlainLineEndings = (text: string): string => text.replaceAll("\r\n", "\n");

/** The ending that new lines at the end of a text take: CRLF when every line so far ends so. */
export function lineEndingOf(text: string): "\n" | "\r\n" {
  const lines = text.split("\n").length - 1;
  return lines > 0 && text.split("\r\n").length - 1 === lines ? "\r\n" : "\n";
}
