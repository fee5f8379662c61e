/** Files of a thread: what a person uploads and what the agent hands over. */
import { z } from "zod";

export const uploadedFile = z.object({
  /** The stored name: safe, and unique in the thread. Of a file from an archive: with its folders, `notes/a/b.md`. */
  filename: z.string(),
  /** The name as it was sent; of a file from an archive, the archive's. */
  original_filename: z.string(),
  /** Bytes. */
  size: z.number().int(),
  /** Where the agent sees the file. */
  path: z.string(),
  virtual_path: z.string(),
  /** Where a client fetches it. */
  artifact_url: z.string(),
});
export type UploadedFile = z.output<typeof uploadedFile>;

/** A file that was not stored, and why: an archive that could not be unpacked. */
export const skippedFile = z.object({ filename: z.string(), reason: z.string() });

/**
 * POST /api/threads/{id}/uploads (multipart, field `files`, repeated). With the field `extract` as `true` each .zip, .tar,
 * .tar.gz and .tgz is unpacked into a folder named after it, within the limits of uploads; the archive is not kept. When
 * not one file could be stored, the answer is the refusal of the first.
 */
export const uploadResult = z.object({
  success: z.boolean(),
  files: z.array(uploadedFile),
  skipped_files: z.array(skippedFile),
  message: z.string(),
});
export type UploadResult = z.output<typeof uploadResult>;

/** GET /api/threads/{id}/uploads and …/uploads/list */
export const uploadList = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      size: z.number().int(),
      path: z.string(),
      virtual_path: z.string(),
      artifact_url: z.string(),
      /** ISO 8601. */
      modified: z.string(),
    }),
  ),
  count: z.number().int(),
});
export type UploadList = z.output<typeof uploadList>;

/** GET /api/threads/{id}/uploads/limits; sizes in bytes. Answers before the thread exists. */
export const uploadLimits = z.object({
  max_files: z.number().int(),
  max_file_size: z.number().int(),
  max_total_size: z.number().int(),
});
export type UploadLimits = z.output<typeof uploadLimits>;

/** The address of a file by its virtual path, e.g. `/mnt/user-data/outputs/report.md`; relative to the server. */
export const artifactUrl = (threadId: string, virtualPath: string): string =>
  `/api/threads/${encodeURIComponent(threadId)}/artifacts${virtualPath.split("/").map(encodeURIComponent).join("/")}`;
