/** Sends one file to a thread. In a browser the progress is told, which fetch cannot do. */
import { uploadResult, type UploadedFile } from "@deerflow/protocol";
import { GatewayError, sentenceOf } from "./gateway-error.js";
import { parseJson } from "./json.js";

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  onProgress?(share: number): void;
}

const formOf = (file: File): FormData => {
  const form = new FormData();
  form.append("files", file, file.name);
  return form;
};

/** Reads the gateway's answer; a skipped file is an error with the reason. */
export function uploadedFrom(status: number, body: string): UploadedFile {
  if (status < 200 || status > 299) throw new GatewayError("refused", sentenceOf(body, status), status);
  const parsed = uploadResult.safeParse(parseJson(body));
  if (!parsed.success) throw new GatewayError("broken", "The gateway's answer has an unknown shape.", status);
  const skipped = parsed.data.skipped_files[0];
  const file = parsed.data.files[0];
  if (file !== undefined) return file;
  throw new GatewayError("refused", skipped?.reason ?? parsed.data.message, status);
}

function sendWithProgress(address: string, file: File, options: UploadOptions): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    options.signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const fail = () => reject(new GatewayError("offline", "The gateway does not answer. Is it running?"));
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) options.onProgress?.(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      try {
        resolve(uploadedFrom(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener("error", fail);
    request.addEventListener("abort", () => reject(options.signal.reason));
    options.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.open("POST", address);
    request.send(formOf(file));
  });
}

/**
 * Uploads one file; the thread need not exist yet.
 *
 * @throws GatewayError when the gateway refuses the file or does not answer
 */
export async function uploadFile(address: string, file: File, options: UploadOptions): Promise<UploadedFile> {
  if (typeof XMLHttpRequest !== "undefined") return sendWithProgress(address, file, options);
  const response = await fetch(address, { method: "POST", body: formOf(file), signal: options.signal });
  return uploadedFrom(response.status, await response.text());
}
