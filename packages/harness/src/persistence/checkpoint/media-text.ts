/** Tells media in a message from text: base64 and data URLs that are long enough to be stored apart. */

/** Shorter media stays in its message: a row of its own would cost as much as it saves. */
export const MEDIA_FROM_CHARACTERS = 1024;

export interface MediaText {
  /** What stands before the base64 text, such as `data:image/png;base64,`; mostly empty. */
  readonly prefix: string;
  /** Canonical: decoded and encoded again it is the same. */
  readonly base64: string;
  /** The media type that the prefix names. */
  readonly mediaType: string | undefined;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,/;
/** Longest prefix that is looked for. */
const PREFIX_CHARACTERS = 200;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The media that a text is; undefined for any other text, and where taking it apart would not give it back. */
export function readMediaText(text: string): MediaText | undefined {
  if (text.length < MEDIA_FROM_CHARACTERS) return undefined;
  const found = DATA_URL.exec(text.slice(0, PREFIX_CHARACTERS));
  const prefix = found?.[0] ?? "";
  const base64 = text.slice(prefix.length);
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) return undefined;
  // The last characters may carry bits that decoding drops.
  const tail = base64.slice(-4);
  if (Buffer.from(tail, "base64").toString("base64") !== tail) return undefined;
  return { prefix, base64, mediaType: found?.[1] };
}
