import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_VIDEO_LIMITS, ffmpegFrames, type FrameRequest } from "./video-frames.js";

const search = process.env["PATH"];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "deerflow-ffmpeg-"));
  process.env["PATH"] = folder;
});
afterEach(async () => {
  process.env["PATH"] = search;
  await rm(folder, { recursive: true });
});

const request = (more: Partial<FrameRequest> = {}): FrameRequest => ({
  mediaType: "video/mp4",
  open: async () =>
    (async function* () {
      yield Buffer.from("first ");
      yield Buffer.from("second");
    })(),
  startSeconds: 0,
  seconds: 10,
  limits: DEFAULT_VIDEO_LIMITS,
  signal: undefined,
  ...more,
});

/** A program of that name whose body is a shell script; the last but some arguments name the file. */
async function install(body: string): Promise<void> {
  await writeFile(join(folder, "ffmpeg"), `#!/bin/sh\n${body}\n`);
  await chmod(join(folder, "ffmpeg"), 0o755);
}
const JPEG = "printf '\\377\\330A\\377\\331'";
const FIND_INPUT = 'while [ "$1" != "-i" ]; do shift; done';

describe("ffmpegFrames", () => {
  it("is nothing where there is no such program", async () => {
    expect(await ffmpegFrames.extract(request())).toBeUndefined();
  });

  it("gives the program the whole content and takes the pictures that it prints", async () => {
    await install(`${FIND_INPUT}\n/bin/cp "$2" "${folder}/seen"\n${JPEG}\n${JPEG}`);
    const before = await temporaryFolders();
    const set = await ffmpegFrames.extract(request({ startSeconds: 6 }));
    expect(set?.frames.map((frame) => frame.seconds)).toEqual([6, 8]);
    expect(set?.stopped).toBeUndefined();
    expect(await readFile(join(folder, "seen"), "utf8")).toBe("first second");
    expect(await temporaryFolders()).toEqual(before);
  });

  it("keeps what came before the time was over, and ends the program", async () => {
    await install(`${JPEG}\nexec /bin/sleep 60`);
    const limits = { ...DEFAULT_VIDEO_LIMITS, decodeSeconds: 0.5 };
    const set = await ffmpegFrames.extract(request({ limits }));
    expect(set).toMatchObject({ frames: [{ seconds: 0 }], stopped: "time" });
  });

  it("stops a program that prints without end", async () => {
    await install("exec /bin/cat /dev/zero");
    const limits = { ...DEFAULT_VIDEO_LIMITS, maxEmittedBytes: 1000 };
    expect(await ffmpegFrames.extract(request({ limits }))).toEqual({ frames: [], stopped: "bytes" });
  });

  it("gives no frames for what cannot be decoded", async () => {
    await install("exit 1");
    expect(await ffmpegFrames.extract(request())).toEqual({ frames: [], stopped: undefined });
  });

  it("ends with the run", async () => {
    await install("exec /bin/sleep 60");
    const run = new AbortController();
    const frames = ffmpegFrames.extract(request({ signal: run.signal }));
    run.abort(new Error("the user stopped it"));
    await expect(frames).rejects.toThrow("the user stopped it");
  });
});

const temporaryFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("deerflow-video-"));
