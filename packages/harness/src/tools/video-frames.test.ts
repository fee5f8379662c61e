import { describe, expect, it } from "vitest";
import {
  DEFAULT_VIDEO_LIMITS,
  ffmpegArguments,
  type FrameRequest,
  frameSet,
  splitPictures,
} from "./video-frames.js";

const picture = (...body: number[]) => Buffer.from([0xff, 0xd8, ...body, 0xff, 0xd9]);
const request: FrameRequest = {
  mediaType: "video/webm",
  open: async () => (async function* () {})(),
  startSeconds: 10,
  seconds: 30,
  limits: { ...DEFAULT_VIDEO_LIMITS, maxFrames: 2, maxEmittedBytes: 14 },
  signal: undefined,
};

describe("splitPictures", () => {
  it("gives the whole pictures of a stream and leaves the broken end out", () => {
    const [one, two] = [picture(1), picture(2, 0xff, 0xd9, 3)];
    expect(splitPictures(Buffer.concat([one, two]))).toEqual([one, two]);
    expect(splitPictures(Buffer.concat([one, two.subarray(0, 4)]))).toEqual([one]);
    expect(splitPictures(Buffer.alloc(0))).toEqual([]);
  });
});

describe("frameSet", () => {
  it("counts the seconds from where it began, and stops at each limit", () => {
    const three = Buffer.concat([picture(1), picture(2), picture(3)]);
    expect(frameSet(three, undefined, request)).toEqual({
      frames: [
        { seconds: 10, jpeg: picture(1) },
        { seconds: 12, jpeg: picture(2) },
      ],
      stopped: "frames",
    });
    const large = Buffer.concat([picture(1), picture(...Array(9).fill(7))]);
    expect(frameSet(large, undefined, request)).toMatchObject({
      frames: [{ seconds: 10 }],
      stopped: "bytes",
    });
    expect(frameSet(picture(1), "time", request)).toMatchObject({ stopped: "time" });
    expect(frameSet(picture(1), undefined, request).stopped).toBeUndefined();
  });
});

describe("ffmpegArguments", () => {
  it("fix the format and the protocol, so that a playlist opens no other file", () => {
    const given = ffmpegArguments("/t/video", request).join(" ");
    expect(given).toContain("-protocol_whitelist file");
    expect(given).toMatch(/-f matroska -ss 10 -t 30 -i \/t\/video /);
    expect(given).toContain("fps=1/2,");
    expect(given).toContain("-frames:v 3 ");
  });
});
