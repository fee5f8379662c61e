import { createHash } from "node:crypto";

/** The sha-256 of text (as UTF-8) or bytes, in hex. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");
