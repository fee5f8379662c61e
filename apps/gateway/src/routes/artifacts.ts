/** The files of a thread, as a browser fetches them. They were written by a model: none may act as our page. */
import { DeerflowError, VIRTUAL_USER_DATA } from "@deerflow/harness";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { presentationOf } from "../files/content-type.js";
import { fileResponse } from "../files/file-response.js";
import { flag } from "../http/body.js";

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
    const fileName = path.slice(path.lastIndexOf("/") + 1);
    const presentation = presentationOf(fileName);
    const file = { ...content, fileName, presentation, cacheControl: "private, no-cache" };
    return fileResponse(
      { ...file, sandboxed: !presentation.inline },
      {
        range: context.req.header("range"),
        known: context.req.header("if-none-match"),
        download: flag(context.req.query("download")),
      },
    );
  });
