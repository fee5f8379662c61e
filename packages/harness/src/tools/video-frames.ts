/** Still pictures out of a video, by an ffmpeg on PATH. Nothing needs it: without it a video is a note. */
import { spawn } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withTimeLimit } from "../base/abort.js";
import { findExecutable } from "../base/find-executable.js";

export interface VideoLimits {
  /** One picture every so many seconds. */
  readonly secondsPerFrame: number;
  readonly maxFrames: number;
  /** Wall-clock seconds that taking the pictures may last. */
  readonly decodeSeconds: number;
  /** Bytes of all pictures together. */
  readonly maxEmittedBytes: number;
  /** A video with more pixels in a picture is refused. */
  readonly maxPixels: number;
  readonly maxWidth: number;
  readonly maxHeight: number;
}

export const DEFAULT_VIDEO_LIMITS: VideoLimits = {
  secondsPerFrame: 2,
  maxFrames: 64,
  decodeSeconds: 10,
  maxEmittedBytes: 4 * 1024 * 1024,
  maxPixels: 4096 * 4096,
  maxWidth: 1920,
  maxHeight: 1080,
};

export interface FrameRequest {
  readonly mediaType: string;
  /** Gives the content; called only when it is needed. */
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** Where in the video to begin. */
  readonly startSeconds: number;
  /** How much of it to look at. */
  readonly seconds: number;
  readonly limits: VideoLimits;
  readonly signal: AbortSignal | undefined;
}

export interface VideoFrame {
  /** About where in the video it stands. */
  readonly seconds: number;
  readonly jpeg: Uint8Array;
}

export interface FrameSet {
  readonly frames: readonly VideoFrame[];
  /** Which limit ended it before the wanted part was through. */
  readonly stopped: "frames" | "bytes" | "time" | undefined;
}

/** Takes pictures out of a video. */
export interface VideoFrames {
  /** Undefined where there is nothing to do it with. No frames where the content cannot be decoded. */
  extract(request: FrameRequest): Promise<FrameSet | undefined>;
}

/** With the ffmpeg that is on PATH when it is needed. The video is put into a temporary file meanwhile. */
export const ffmpegFrames: VideoFrames = {
  async extract(request) {
    const program = findExecutable("ffmpeg", process.env["PATH"]);
    if (program === undefined) return undefined;
    const folder = await mkdtemp(join(tmpdir(), "deerflow-video-"));
    try {
      const file = join(folder, "video");
      await writeAll(file, await request.open());
      return await runFfmpeg(program, file, request);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function writeAll(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    for await (const piece of content) await handle.write(piece);
  } finally {
    await handle.close();
  }
}

/**
 * How ffmpeg is told what the file is. It never guesses: a playlist that calls itself a video would make it open
 * other files of this machine.
 */
const DEMUXERS: Readonly<Record<string, string>> = {
  "video/mp4": "mov",
  "video/quicktime": "mov",
  "video/3gpp": "mov",
  "video/webm": "matroska",
  "video/x-matroska": "matroska",
  "video/x-msvideo": "avi",
  "video/x-flv": "flv",
  "video/mpeg": "mpeg",
  "video/x-ms-wmv": "asf",
};

/** The arguments for one run; pure. One picture more than allowed shows whether there are more. */
export function ffmpegArguments(file: string, request: FrameRequest): readonly string[] {
  const { limits } = request;
  const { maxWidth, maxHeight, secondsPerFrame } = limits;
  const scale = `scale=w='min(${maxWidth},iw)':h='min(${maxHeight},ih)':force_original_aspect_ratio=decrease`;
  return [
    ["-nostdin", "-hide_banner", "-loglevel", "quiet"],
    ["-protocol_whitelist", "file", "-max_pixels", String(limits.maxPixels)],
    ["-f", DEMUXERS[request.mediaType] ?? "mov"],
    ["-ss", String(request.startSeconds), "-t", String(request.seconds), "-i", file],
    ["-an", "-sn", "-dn", "-vf", `fps=1/${secondsPerFrame},${scale}`],
    ["-frames:v", String(limits.maxFrames + 1)],
    // The scale of the encoder: 4 is about quality 85.
    ["-c:v", "mjpeg", "-q:v", "4", "-f", "image2pipe", "pipe:1"],
  ].flat();
}

const runFfmpeg = (program: string, file: string, request: FrameRequest): Promise<FrameSet> =>
  withTimeLimit(request.limits.decodeSeconds, request.signal, (stop) =>
    runUntil(stop, [program, ...ffmpegArguments(file, request)], request),
  );

async function runUntil(
  stop: AbortSignal,
  [program = "", ...commandLine]: readonly string[],
  request: FrameRequest,
): Promise<FrameSet> {
  const { limits, signal } = request;
  const child = spawn(program, commandLine, {
    stdio: ["ignore", "pipe", "ignore"],
    env: {},
    signal: stop,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("close", () => resolve());
    child.once("error", (error) => (stop.aborted ? undefined : reject(error)));
  });
  const pieces: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (piece: Buffer) => {
    size += piece.length;
    pieces.push(piece);
    if (size > limits.maxEmittedBytes) child.kill("SIGKILL");
  });
  await ended;
  signal?.throwIfAborted();
  const cutBy = size > limits.maxEmittedBytes ? "bytes" : stop.aborted ? "time" : undefined;
  return frameSet(Buffer.concat(pieces), cutBy, request);
}

const PICTURE_BORDER = Buffer.from([0xff, 0xd9, 0xff, 0xd8]);
const PICTURE_END = Buffer.from([0xff, 0xd9]);

/** The whole pictures of a stream of pictures. */
export function splitPictures(stream: Buffer): readonly Buffer[] {
  const pictures: Buffer[] = [];
  let start = 0;
  for (
    let border = stream.indexOf(PICTURE_BORDER);
    border !== -1;
    border = stream.indexOf(PICTURE_BORDER, start)
  ) {
    pictures.push(stream.subarray(start, border + PICTURE_END.length));
    start = border + PICTURE_END.length;
  }
  const last = stream.subarray(start);
  const isWhole = last.length > PICTURE_END.length && last.subarray(-PICTURE_END.length).equals(PICTURE_END);
  return isWhole ? [...pictures, last] : pictures;
}

/** What of the stream may be shown, and which limit ended it; pure. */
export function frameSet(stream: Buffer, cutBy: FrameSet["stopped"], request: FrameRequest): FrameSet {
  const { maxFrames, maxEmittedBytes, secondsPerFrame } = request.limits;
  const pictures = splitPictures(stream);
  const frames: VideoFrame[] = [];
  let size = 0;
  for (const [index, jpeg] of pictures.entries()) {
    if (index === maxFrames) return { frames, stopped: "frames" };
    size += jpeg.length;
    if (size > maxEmittedBytes) return { frames, stopped: "bytes" };
    frames.push({ seconds: request.startSeconds + index * secondsPerFrame, jpeg });
  }
  return { frames, stopped: cutBy };
}
