/** What a file that is no text shows to a model: a picture, a sound, a document, frames of a video, or nothing. */
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import { isByteReadable } from "../filesystem/capabilities.js";
import { readExisting } from "../filesystem/change-file.js";
import type { FileBackend, FileContent, Version } from "../filesystem/contract.js";
import type { BinaryView } from "../filesystem/view-file.js";
import type { Workplace } from "./face.js";
import { imageSize } from "./image-size.js";
import type { MediaLimits } from "./limits.js";
import { agreedType, mediaTypeOf, type MediaFamily, type Signature, signatureOf } from "./media-type.js";
import type { FrameSet } from "./video-frames.js";

interface Held {
  readonly version: Version;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
}

/** Something that a model is shown as it is. */
export interface ShownMedia extends Held {
  readonly kind: "shown";
  readonly family: Exclude<MediaFamily, "video">;
  readonly bytes: Uint8Array;
}

export interface ShownVideo extends Held {
  readonly kind: "video";
  readonly startSeconds: number;
  readonly seconds: number;
  readonly taken: FrameSet;
}

/** Something that a model is only told about. */
export interface OpaqueFile extends Held {
  readonly kind: "opaque";
  /** Why it is not shown, where it might have been. */
  readonly reason?: string;
}

export type MediaResult = ShownMedia | ShownVideo | OpaqueFile;

/** The part of a video that is asked for, in the measure of a text: lines for seconds. */
export interface MediaRequest {
  readonly path: string;
  readonly startLine: number;
  readonly maxLines: number;
}

const PDF = "application/pdf";

/** @throws DeerflowError `video_unreadable`, and what the backend throws */
export async function readMedia(
  request: MediaRequest,
  view: BinaryView,
  workplace: Workplace,
): Promise<MediaResult> {
  const { path } = request;
  const signature = signatureOf(await headOf(workplace.files, path));
  const held = { version: view.version, size: view.size, mediaType: mediaTypeOf(path) };
  const verdict = judgeMedia(path, view.size, signature, workplace.limits.media);
  if (verdict.kind === "opaque") return { ...held, ...verdict };
  const { mediaType } = verdict;
  return verdict.signature.family === "video"
    ? readVideo(request, { ...held, mediaType }, workplace)
    : readShown({ path, signature: verdict.signature, mediaType }, workplace);
}

/**
 * A file of text as what it shows: of all that is shown, only a PDF may be written in plain characters throughout.
 * Undefined for any other text; a name alone makes no document of it.
 */
export async function readPlainPdf(path: string, workplace: Workplace): Promise<MediaResult | undefined> {
  if (mediaTypeOf(path) !== PDF) return undefined;
  const signature = signatureOf(await headOf(workplace.files, path));
  if (signature?.family !== "document") return undefined;
  return readShown({ path, signature, mediaType: PDF }, workplace);
}

/** The first bytes of a file, without the rest where the backend can. */
async function headOf(files: FileBackend, path: string): Promise<Uint8Array> {
  for await (const piece of await contentOf(files, path)) {
    if (piece.length > 0) return piece;
  }
  return new Uint8Array();
}

async function contentOf(files: FileBackend, path: string): Promise<AsyncIterable<Uint8Array>> {
  const pieces = isByteReadable(files) ? await files.openBytes(path) : undefined;
  return pieces ?? oneByOne([(await readExisting(files, path)).bytes]);
}

async function* oneByOne(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

type Verdict =
  | { readonly kind: "fit"; readonly signature: Signature; readonly mediaType: string }
  | { readonly kind: "opaque"; readonly reason?: string };

const NAMES: Readonly<Record<MediaFamily, string>> = {
  image: "image",
  audio: "sound",
  document: "document",
  video: "video",
};

const SIZE_LIMITS: Readonly<Record<MediaFamily, keyof MediaLimits>> = {
  image: "maxImageBytes",
  audio: "maxAudioBytes",
  document: "maxDocumentBytes",
  video: "maxVideoBytes",
};

/** Whether a file may be shown, by its name, its first bytes and its size; else why not. Pure. */
export function judgeMedia(
  path: string,
  size: number,
  signature: Signature | undefined,
  limits: MediaLimits,
): Verdict {
  if (signature === undefined) {
    const named = mediaTypeOf(path).split("/")[0] ?? "";
    if (!Object.hasOwn(NAMES, named)) return { kind: "opaque" };
    return { kind: "opaque", reason: `it holds no ${named} of a kind that can be shown` };
  }
  const mediaType = agreedType(path, signature);
  const held = signature.types[0] ?? "";
  if (mediaType === undefined)
    return { kind: "opaque", reason: `its name does not fit its content, which is ${held}` };
  const limit = limits[SIZE_LIMITS[signature.family]];
  if (size <= limit) return { kind: "fit", signature, mediaType };
  return { kind: "opaque", reason: `at most ${limit} bytes of ${NAMES[signature.family]} can be shown` };
}

interface Candidate {
  readonly path: string;
  readonly signature: Signature;
  readonly mediaType: string;
}

async function readShown(
  { path, signature, mediaType }: Candidate,
  workplace: Workplace,
): Promise<MediaResult> {
  const { bytes, version } = await readExisting(workplace.files, path);
  const held = { version, size: bytes.length, mediaType };
  // Judged once more: it may be another file by now.
  const verdict = judgeMedia(path, bytes.length, signatureOf(bytes), workplace.limits.media);
  if (verdict.kind === "opaque") return { ...held, ...verdict };
  const reason = faultOf(mediaType, bytes, workplace.limits.media);
  if (reason !== undefined) return { ...held, kind: "opaque", reason };
  // The cast is sound: a video is read by readVideo.
  return { ...held, kind: "shown", family: signature.family as ShownMedia["family"], bytes };
}

const PDF_END = Buffer.from("%%EOF");
const PDF_TAIL_BYTES = 4096;

/** What a provider would refuse about a content; undefined where it may be sent. Pure. */
export function faultOf(
  mediaType: string,
  bytes: FileContent["bytes"],
  limits: MediaLimits,
): string | undefined {
  if (mediaType === PDF) {
    const tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - PDF_TAIL_BYTES)));
    return tail.includes(PDF_END) ? undefined : "the document is cut off or broken";
  }
  if (!mediaType.startsWith("image/")) return undefined;
  const size = imageSize(mediaType, bytes);
  if (size === undefined) return "the image is cut off or broken";
  const { width, height } = size;
  if (Math.max(width, height) <= limits.maxImageSide) return undefined;
  return `it has ${width} × ${height} pixels, and a side may have at most ${limits.maxImageSide}`;
}

async function readVideo(request: MediaRequest, held: Held, workplace: Workplace): Promise<MediaResult> {
  const { path, startLine, maxLines } = request;
  const { files, videoFrames, signal } = workplace;
  const limits = workplace.limits.video;
  const startSeconds = startLine - 1;
  const seconds = Math.min(maxLines, (limits.maxFrames + 1) * limits.secondsPerFrame);
  const unreadable = (reason: string) =>
    new DeerflowError("video_unreadable", {
      path: shownPath(path),
      part: `seconds ${startSeconds} to ${startSeconds + seconds}`,
      reason,
    });
  if (maxLines <= 0) throw unreadable("no seconds of it are asked for");
  const taken = await videoFrames?.extract({
    mediaType: held.mediaType,
    open: () => contentOf(files, path),
    startSeconds,
    seconds,
    limits,
    signal,
  });
  if (taken === undefined)
    return { ...held, kind: "opaque", reason: "frames of a video cannot be taken here" };
  if (taken.frames.length === 0) throw unreadable("there are no frames that can be decoded");
  return { ...held, kind: "video", startSeconds, seconds, taken };
}
