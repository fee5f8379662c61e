/** What the gate learns of a file at the moment of a call. */
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import { isByteReadable, isLinkFollowing } from "../filesystem/capabilities.js";
import type { FileBackend, Version } from "../filesystem/contract.js";
import { fileVersion } from "../filesystem/view-file.js";

/** What is known of a file. No version: no file. */
export type Inspection =
  | { readonly inspected: true; readonly version: Version | undefined }
  | { readonly inspected: false };

const ERROR_TEXT = Buffer.from("Error:");

/**
 * The file as it is. What fails is logged and counts as not inspected.
 * @throws whatever says that the sandbox may not be used
 */
export async function inspect(
  files: FileBackend,
  path: string,
  { logger, signal }: { readonly logger: Logger; readonly signal?: AbortSignal | undefined },
): Promise<Inspection> {
  try {
    if (isByteReadable(files)) return { inspected: true, version: await fileVersion(files, path, signal) };
    const content = await files.read(path);
    if (content !== undefined && (await isErrorText(files, path, content.bytes))) {
      throw new Error("what was read is the text of an error");
    }
    return { inspected: true, version: content?.version };
  } catch (error) {
    if (deniedSandbox(error) !== undefined || signal?.aborted === true) throw error;
    const reason = reasonOf(error);
    logger.warn("Read-before-write could not inspect a file and lets the call through", { path, reason });
    return { inspected: false };
  }
}

/** Some sandboxes give the text of a failure where a file's content is asked for. Then no file of that size is there. */
async function isErrorText(files: FileBackend, path: string, bytes: Uint8Array): Promise<boolean> {
  if (ERROR_TEXT.compare(bytes.subarray(0, ERROR_TEXT.length)) !== 0) return false;
  const entry = await files.stat(path);
  return entry?.kind !== "file" || entry.size !== bytes.length;
}

/**
 * Where a path really lies, so that one file has one lock and one mark whatever link leads to it.
 * @throws whatever says that the sandbox may not be used
 */
export async function realPathOf(files: FileBackend, path: string): Promise<string> {
  if (!isLinkFollowing(files)) return path;
  try {
    return await files.realPath(path);
  } catch (error) {
    if (deniedSandbox(error) !== undefined) throw error;
    // The path cannot be used; the inspection, and then the tool, will say why.
    return path;
  }
}

/** Gives two spellings of one file the same name. */
export const nameIn =
  ({ foldsCase = false }: FileBackend) =>
  (path: string): string =>
    foldsCase ? path.normalize("NFC").toLowerCase() : path;

const MOST_CAUSES = 10;

/** The refusal to use the sandbox in an error or in what caused it. */
export function deniedSandbox(error: unknown): DeerflowError | undefined {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth += 1) {
    if (DeerflowError.is(cause) && cause.code === "sandbox_unauthorized") return cause;
    cause = cause.cause;
  }
  return undefined;
}
