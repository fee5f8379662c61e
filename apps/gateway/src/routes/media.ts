/** What the messages of a thread show: pictures and the like, by the address that stands in the message. */
import { DeerflowError } from "@deerflow/harness";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";
import { presentationOfMedia } from "../files/content-type.js";
import { fileResponse } from "../files/file-response.js";
import { flag } from "../http/body.js";

const HASH = /^[0-9a-f]{64}$/;

export const mediaRoutes = ({ threads }: Pick<GatewayDeps, "threads">) =>
  new Hono<GatewayVariables>().get("/:thread_id/media/:hash", async (context) => {
    const { thread_id: threadId, hash } = context.req.param();
    const { principal } = context.var;
    if (!HASH.test(hash)) {
      await threads.find(principal, threadId);
      throw new DeerflowError("media_missing", { threadId, hash: "of this name" });
    }
    const { bytes, mediaType } = await threads.media(principal, threadId, hash);
    const { extension, ...presentation } = presentationOfMedia(mediaType);
    const fileName = `${hash.slice(0, 12)}.${extension}`;
    // The address names the content: it never changes.
    const cacheControl = "private, max-age=31536000, immutable";
    const file = { bytes, version: hash, fileName, presentation, cacheControl, sandboxed: true };
    return fileResponse(file, {
      range: context.req.header("range"),
      known: context.req.header("if-none-match"),
      download: flag(context.req.query("download")),
    });
  });
