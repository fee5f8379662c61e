/** What a file holds: what its name says, and what its first bytes say. Pure. */

export type MediaFamily = "image" | "audio" | "document" | "video";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  ico: "image/x-icon",
  heic: "image/heic",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  // Not audio/mpeg: OpenAI's clients take the second half for the format.
  mp3: "audio/mp3",
  wav: "audio/wav",
  aac: "audio/aac",
  aif: "audio/aiff",
  aiff: "audio/aiff",
  ogg: "audio/ogg",
  flac: "audio/flac",
  mp4: "video/mp4",
  mov: "video/quicktime",
  "3gp": "video/3gpp",
  webm: "video/webm",
  mkv: "video/x-matroska",
  avi: "video/x-msvideo",
  flv: "video/x-flv",
  mpg: "video/mpeg",
  mpeg: "video/mpeg",
  wmv: "video/x-ms-wmv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  parquet: "application/vnd.apache.parquet",
  sqlite: "application/vnd.sqlite3",
};

const UNKNOWN = "application/octet-stream";

/** The media type for a path; `application/octet-stream` where the ending says nothing. */
export function mediaTypeOf(path: string): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MEDIA_TYPES, ending) ? (MEDIA_TYPES[ending] ?? "") : UNKNOWN;
}

/** What the first bytes of a file show it to be. */
export interface Signature {
  readonly family: MediaFamily;
  /** The types that begin so, the usual one first. */
  readonly types: readonly string[];
}

interface SignatureRow extends Signature {
  /** Bytes in hex, each at its place from the start. */
  readonly at: Readonly<Record<number, string>>;
}

const hexOf = (text: string): string => Buffer.from(text, "latin1").toString("hex");

/** Only what is shown to a model; the more telling first. */
const SIGNATURES: readonly SignatureRow[] = [
  { family: "image", types: ["image/png"], at: { 0: "89504e470d0a1a0a" } },
  { family: "image", types: ["image/jpeg"], at: { 0: "ffd8ff" } },
  { family: "image", types: ["image/gif"], at: { 0: hexOf("GIF87a") } },
  { family: "image", types: ["image/gif"], at: { 0: hexOf("GIF89a") } },
  { family: "image", types: ["image/webp"], at: { 0: hexOf("RIFF"), 8: hexOf("WEBP") } },
  { family: "document", types: ["application/pdf"], at: { 0: hexOf("%PDF-") } },
  { family: "audio", types: ["audio/wav"], at: { 0: hexOf("RIFF"), 8: hexOf("WAVE") } },
  { family: "audio", types: ["audio/aiff"], at: { 0: hexOf("FORM"), 8: hexOf("AIFF") } },
  { family: "audio", types: ["audio/aiff"], at: { 0: hexOf("FORM"), 8: hexOf("AIFC") } },
  { family: "audio", types: ["audio/ogg"], at: { 0: hexOf("OggS") } },
  { family: "audio", types: ["audio/flac"], at: { 0: hexOf("fLaC") } },
  { family: "audio", types: ["audio/mp3"], at: { 0: hexOf("ID3") } },
  ...["fffb", "fffa", "fff3", "fff2"].map(
    (start): SignatureRow => ({ family: "audio", types: ["audio/mp3"], at: { 0: start } }),
  ),
  ...["fff1", "fff9"].map(
    (start): SignatureRow => ({ family: "audio", types: ["audio/aac"], at: { 0: start } }),
  ),
  {
    family: "video",
    types: ["video/mp4", "video/quicktime", "video/3gpp"],
    at: { 4: hexOf("ftyp") },
  },
  { family: "video", types: ["video/webm", "video/x-matroska"], at: { 0: "1a45dfa3" } },
  { family: "video", types: ["video/x-msvideo"], at: { 0: hexOf("RIFF"), 8: hexOf("AVI ") } },
  { family: "video", types: ["video/x-flv"], at: { 0: hexOf("FLV") } },
  { family: "video", types: ["video/mpeg"], at: { 0: "000001ba" } },
  { family: "video", types: ["video/x-ms-wmv"], at: { 0: "3026b2758e66cf11" } },
];

/** How many bytes {@link signatureOf} looks at. */
export const SIGNATURE_BYTES = 16;

/** What the content is, by its first bytes; undefined for all that no model is shown. */
export function signatureOf(head: Uint8Array): Signature | undefined {
  const hex = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString("hex");
  return SIGNATURES.find(({ at }) =>
    Object.entries(at).every(([place, bytes]) => hex.startsWith(bytes, Number(place) * 2)),
  );
}

/**
 * The type that both the name and the content say; undefined where they do not fit together. A name that says nothing
 * fits every content but a video's, whose type many other files share.
 */
export function agreedType(path: string, signature: Signature): string | undefined {
  const named = mediaTypeOf(path);
  if (named === UNKNOWN) return signature.family === "video" ? undefined : signature.types[0];
  return signature.types.includes(named) ? named : undefined;
}
