/** The files of a thread, as a browser fetches them. They were written by a model: none may act as our page. */
import { DeerflowError, VIRTUAL_USER_DATA } from "@deerflow/harness";
import type { FileContent } from "@deerflow/harness/filesystem";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { parseByteRange } from "../files/byte-range.js";
import { contentDisposition, presentationOf } from "../files/content-type.js";
import { flag } from "../http/body.js";

/** Even opened as a page, a file may run no script, send no form and reach nothing. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/**
 * The virtual path in an address, or undefined when it leads out of the user's data.
 * @param encoded what follows `/artifacts` in the address, still percent-encoded
 */
export function artifactPath(encoded: string): string | undefined {
  const segments = encoded.split("/").slice(1).map(decodeSegment);
  if (segments.some((segment) => segment === undefined || /^\.{0,2}$|[/\\\0]/.test(segment)))
    return undefined;
  const path = `/${segments.join("/")}`;
  return path.startsWith(`${VIRTUAL_USER_DATA}/`) ? path : undefined;
}

const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // a stray percent sign: no path of ours is written like this
  }
};

export const artifactRoutes = ({ threads, files }: Pick<GatewayDeps, "threads" | "files">) =>
  new Hono<GatewayVariables>().get("/:thread_id/artifacts/*", async (context) => {
    const threadId = context.req.param("thread_id");
    await threads.find(context.var.principal, threadId);
    const { pathname } = new URL(context.req.url);
    const path = artifactPath(pathname.slice(pathname.indexOf("/artifacts") + "/artifacts".length));
    const backend = await files(context.var.principal, threadId);
    const entry = path === undefined ? undefined : await backend.stat(path);
    const content = path === undefined || entry?.kind !== "file" ? undefined : await backend.read(path);
    if (path === undefined || content === undefined) {
      throw new DeerflowError("artifact_missing", { threadId, path: path ?? "of this name" });
    }
    return fileResponse(content, {
      fileName: path.slice(path.lastIndexOf("/") + 1),
      range: context.req.header("range"),
      known: context.req.header("if-none-match"),
      download: flag(context.req.query("download")),
    });
  });

interface FileRequest {
  readonly fileName: string;
  readonly range: string | undefined;
  /** The version that the client has. */
  readonly known: string | undefined;
  readonly download: boolean;
}

/** The whole file, a part of it, or the word that the client has it already. */
export function fileResponse({ bytes, version }: FileContent, request: FileRequest): Response {
  const { contentType, inline } = presentationOf(request.fileName);
  const headers = {
    "Content-Type": contentType,
    "Content-Disposition": contentDisposition(
      inline && !request.download ? "inline" : "attachment",
      request.fileName,
    ),
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-cache",
    ETag: `"${version}"`,
    "X-Content-Type-Options": "nosniff",
    ...(inline ? {} : { "Content-Security-Policy": SANDBOX }),
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
