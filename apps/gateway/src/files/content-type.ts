/** What a file is sent as, and whether a browser may show it on our origin. */
import { splitName } from "./upload-name.js";

export interface Presentation {
  readonly contentType: string;
  /** False: the browser must save it, because shown it could run as a page of ours. */
  readonly inline: boolean;
}

const TEXT = "text/plain; charset=utf-8";
const ACTIVE = {
  html: "text/html",
  htm: "text/html",
  xhtml: "application/xhtml+xml",
  xht: "application/xhtml+xml",
  svg: "image/svg+xml",
  xml: "application/xml",
};
const INERT = {
  avif: "image/avif",
  bmp: "image/bmp",
  csv: "text/csv; charset=utf-8",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  ico: "image/x-icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json; charset=utf-8",
  m4a: "audio/mp4",
  markdown: "text/markdown; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  tsv: "text/tab-separated-values; charset=utf-8",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  zip: "application/zip",
};
/** Program text is shown, never run: a script of the agent's must not become a script of our pages. */
const CODE =
  "bash c cc cfg conf cpp cs css diff env go h hpp ini java js jsonl jsx kt lock log lua mjs cjs mts patch php pl properties ps1 py r rb rs scala sh sql swift toml ts tsx txt vue yaml yml".split(
    " ",
  );

const TYPES: ReadonlyMap<string, Presentation> = new Map<string, Presentation>([
  ...Object.entries(ACTIVE).map(([name, contentType]) => [name, { contentType, inline: false }] as const),
  ...Object.entries(INERT).map(([name, contentType]) => [name, { contentType, inline: true }] as const),
  ...CODE.map((name) => [name, { contentType: TEXT, inline: true }] as const),
]);

/** Decided by the name alone; what is not known is a download. */
export function presentationOf(fileName: string): Presentation {
  const { extension } = splitName(fileName);
  return (
    TYPES.get(extension.slice(1).toLowerCase()) ?? { contentType: "application/octet-stream", inline: false }
  );
}

/** Media that a browser shows or plays without running anything of it, and what a file of it is called. */
const SHOWN_MEDIA: ReadonlyMap<string, string> = new Map([
  ["image/avif", "avif"],
  ["image/bmp", "bmp"],
  ["image/gif", "gif"],
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/webp", "webp"],
  ["audio/mp4", "m4a"],
  ["audio/mpeg", "mp3"],
  ["audio/ogg", "ogg"],
  ["audio/wav", "wav"],
  ["video/mp4", "mp4"],
  ["video/webm", "webm"],
]);

/** Decided by the media type that a message names, which is hostile: what is not on the list is a nameless download. */
export function presentationOfMedia(mediaType: string): Presentation & { readonly extension: string } {
  const extension = SHOWN_MEDIA.get(mediaType.toLowerCase());
  if (extension !== undefined) return { contentType: mediaType.toLowerCase(), inline: true, extension };
  if (mediaType === "application/pdf") return { contentType: mediaType, inline: false, extension: "pdf" };
  return { contentType: "application/octet-stream", inline: false, extension: "bin" };
}

/** A Content-Disposition header; names beyond ASCII in the form of RFC 6266. */
export function contentDisposition(kind: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
