/** Bytes of a thread as an answer: whole, in part, or as the word that the client has them already. */
import { parseByteRange } from "./byte-range.js";
import { contentDisposition, type Presentation } from "./content-type.js";

/** Even opened as a page, a file may run no script, send no form and reach nothing. */
export const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export interface SentFile {
  readonly bytes: Uint8Array;
  /** What changes when the bytes do. */
  readonly version: string;
  readonly fileName: string;
  readonly presentation: Presentation;
  readonly cacheControl: string;
  /** Whether it is sandboxed; anything that is not shown inline should be. */
  readonly sandboxed: boolean;
}

export interface FileRequest {
  /** The Range header. */
  readonly range: string | undefined;
  /** The version that the client has: the If-None-Match header. */
  readonly known: string | undefined;
  readonly download: boolean;
}

export function fileResponse(file: SentFile, request: FileRequest): Response {
  const { bytes, version, fileName, presentation, cacheControl, sandboxed } = file;
  const disposition = presentation.inline && !request.download ? "inline" : "attachment";
  const headers = {
    "Content-Type": presentation.contentType,
    "Content-Disposition": contentDisposition(disposition, fileName),
    "Accept-Ranges": "bytes",
    "Cache-Control": cacheControl,
    ETag: `"${version}"`,
    "X-Content-Type-Options": "nosniff",
    ...(sandboxed ? { "Content-Security-Policy": SANDBOX } : {}),
  };
  if (request.known === headers.ETag) return new Response(null, { status: 304, headers });
  const range = parseByteRange(request.range, bytes.length);
  if (range === "unsatisfiable") {
    return new Response(null, {
      status: 416,
      headers: { ...headers, "Content-Range": `bytes */${bytes.length}` },
    });
  }
  if (range === undefined) return new Response(Buffer.from(bytes), { headers });
  const part = bytes.subarray(range.first, range.last + 1);
  const contentRange = `bytes ${range.first}-${range.last}/${bytes.length}`;
  return new Response(Buffer.from(part), {
    status: 206,
    headers: { ...headers, "Content-Range": contentRange },
  });
}
