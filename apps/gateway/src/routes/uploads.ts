/** What people give to a thread. A thread that does not exist yet is created by its first upload. */
import { DeerflowError, VIRTUAL_UPLOADS } from "@deerflow/harness";
import type { FileEntry } from "@deerflow/harness/filesystem";
import { artifactUrl, type UploadLimits, type UploadList, type UploadResult } from "@deerflow/protocol";
import { type Context, Hono } from "hono";
import { DEFAULT_UPLOAD_LIMITS, type GatewayDeps, type GatewayVariables } from "../deps.js";
import { isArchiveName } from "../files/extract-upload.js";
import { storeUploads } from "../files/store-uploads.js";
import { safeFileName } from "../files/upload-name.js";
import { flag, limitBody, readForm } from "../http/body.js";
import { isoTime } from "../wire/thread.js";

type UploadDeps = Pick<GatewayDeps, "threads" | "files" | "uploadLimits" | "quota">;
type RequestContext = Context<GatewayVariables>;

/** Room for the multipart frame around the files. */
const ENVELOPE_BYTES = 1024 * 1024;

/** The files of field `files`. @throws DeerflowError `upload_refused` beyond the limits */
export function checkUploads(
  sent: readonly unknown[],
  limits: NonNullable<UploadDeps["uploadLimits"]>,
): File[] {
  const files = sent.filter((part): part is File => part instanceof File);
  if (files.length === 0)
    throw new DeerflowError("invalid_request", { reason: "there is no file in the field files" });
  if (files.length > limits.maxFiles) {
    throw new DeerflowError("upload_refused", {
      reason: `${files.length} files are more than ${limits.maxFiles}`,
    });
  }
  const tooLarge = files.find((file) => file.size > limits.maxFileSize);
  if (tooLarge !== undefined) {
    throw new DeerflowError("upload_refused", {
      reason: `${safeFileName(tooLarge.name)} has ${tooLarge.size} bytes, more than ${limits.maxFileSize}`,
    });
  }
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > limits.maxTotalSize) {
    throw new DeerflowError("upload_refused", {
      reason: `${total} bytes together are more than ${limits.maxTotalSize}`,
    });
  }
  return files;
}

const placeOf = (threadId: string, name: string) => {
  const path = `${VIRTUAL_UPLOADS}/${name}`;
  return { filename: name, path, virtual_path: path, artifact_url: artifactUrl(threadId, path) };
};

/** Stores what was sent, if it may be kept. */
async function receive(deps: UploadDeps, context: RequestContext, threadId: string): Promise<UploadResult> {
  const { threads, files, uploadLimits: limits = DEFAULT_UPLOAD_LIMITS, quota } = deps;
  const form = await readForm(context);
  const sent = checkUploads(form.getAll("files"), limits);
  const extract = wantsExtraction(form);
  const work = async (requireRoom: (added: number) => void) => {
    await threads.create(context.var.principal, { threadId });
    const backend = await files(context.var.principal, threadId);
    return storeUploads(sent, { backend, limits, extract, requireRoom });
  };
  const added = { threadId, bytes: bytesOf(sent, extract) };
  const { stored, skipped } =
    quota === undefined ? await work(() => undefined) : await quota.admit(context.var.principal, added, work);
  const [first] = skipped;
  if (first !== undefined && stored.length === 0) throw first.refusal;
  const body: UploadResult = {
    success: true,
    files: stored.map(({ path, sentName, size }) => ({
      ...placeOf(threadId, path.slice(VIRTUAL_UPLOADS.length + 1)),
      original_filename: sentName,
      size,
    })),
    skipped_files: skipped.map(({ name, refusal }) => ({ filename: name, reason: refusal.sentence })),
    message: `Uploaded ${stored.length} file${stored.length === 1 ? "" : "s"}.`,
  };
  return body;
}

export function uploadRoutes(deps: UploadDeps) {
  const { threads, uploadLimits: limits = DEFAULT_UPLOAD_LIMITS, quota } = deps;
  const list = async (context: RequestContext): Promise<UploadList> => {
    const threadId = context.req.param("thread_id") ?? "";
    await threads.find(context.var.principal, threadId);
    const entries = await listUploads(deps, context, threadId);
    const listed = entries.map((entry) => ({
      ...placeOf(threadId, entry.path.slice(VIRTUAL_UPLOADS.length + 1)),
      size: entry.size,
      modified: isoTime(entry.modifiedAt),
    }));
    return { files: listed, count: listed.length };
  };
  return new Hono<GatewayVariables>()
    .post("/:thread_id/uploads", limitBody(limits.maxTotalSize + ENVELOPE_BYTES), async (context) =>
      context.json(await receive(deps, context, context.req.param("thread_id"))),
    )
    .get("/:thread_id/uploads/limits", (context) => {
      const { maxFiles, maxFileSize, maxTotalSize } = limits;
      const body: UploadLimits = {
        max_files: maxFiles,
        max_file_size: maxFileSize,
        max_total_size: maxTotalSize,
      };
      return context.json(body);
    })
    .get("/:thread_id/uploads", async (context) => context.json(await list(context)))
    .get("/:thread_id/uploads/list", async (context) => context.json(await list(context)))
    .delete("/:thread_id/uploads/:name", async (context) => {
      const { thread_id: threadId, name } = context.req.param();
      await threads.find(context.var.principal, threadId);
      const backend = await deps.files(context.var.principal, threadId);
      const path = `${VIRTUAL_UPLOADS}/${name}`;
      // Only a name that we could have given is looked for, so none can lead elsewhere.
      const entry = safeFileName(name) === name ? await backend.stat(path) : undefined;
      if (entry === undefined) throw new DeerflowError("upload_missing", { threadId, name });
      await backend.remove(path);
      quota?.forget(context.var.principal, threadId);
      return context.json({ success: true, message: `Removed ${name}.` });
    });
}

const wantsExtraction = (form: FormData): boolean => {
  const wish = form.get("extract");
  return typeof wish === "string" && flag(wish);
};

/** What is known before anything is unpacked. */
const bytesOf = (sent: readonly File[], extract: boolean): number =>
  sent.filter(({ name }) => !(extract && isArchiveName(name))).reduce((sum, { size }) => sum + size, 0);

/** The files of the uploads folder; none when it is not there yet. */
async function listUploads(
  deps: UploadDeps,
  context: RequestContext,
  threadId: string,
): Promise<FileEntry[]> {
  const backend = await deps.files(context.var.principal, threadId);
  if ((await backend.stat(VIRTUAL_UPLOADS)) === undefined) return [];
  return (await backend.list(VIRTUAL_UPLOADS)).filter(({ kind }) => kind === "file");
}
