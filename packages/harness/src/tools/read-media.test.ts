import type { ToolMessage } from "@langchain/core/messages";
import { HumanMessage } from "@langchain/core/messages";
import { Command, InMemoryStore } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../base/hash.js";
import { StoreBackend } from "../filesystem/store-backend.js";
import type { Sandbox } from "../sandbox/contract.js";
import type { Dialect } from "./dialects.js";
import { createFileTools, type FileToolsOptions } from "./file-tools.js";
import { DEFAULT_MEDIA_LIMITS } from "./limits.js";
import type { FrameRequest, FrameSet, VideoFrames } from "./video-frames.js";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwoFABE0AX7pM/egAAAAABJRU5ErkJggg==",
  "base64",
);
const WAV = Buffer.from("524946460400000057415645ff00", "hex");
const PDF = Buffer.from("%PDF-1.4\n1 0 obj\nendobj\ntrailer\n%%EOF\n");
const MP4 = Buffer.concat([Buffer.from("\0\0\0\x20ftypisom"), Buffer.alloc(20)]);

let files: StoreBackend;
beforeEach(() => {
  files = new StoreBackend({ namespace: ["files"], store: new InMemoryStore() });
});

async function read(
  path: string,
  content: Buffer,
  options: Partial<FileToolsOptions> = {},
  args: Record<string, unknown> = {},
): Promise<ToolMessage> {
  await files.write(path, content);
  const [tool] = createFileTools({ files, kinds: ["read"], ...options });
  return tool?.invoke({ type: "tool_call", id: "c", name: "read_file", args: { path, ...args } });
}

describe.each(["deerflow", "deepagents"] as const)("read_file of the %s dialect", (dialect: Dialect) => {
  it.each([
    ["/a.png", PNG, "image/png", { type: "image" }],
    ["/no-ending", PNG, "image/png", { type: "image" }],
    ["/a.wav", WAV, "audio/wav", { type: "audio" }],
    ["/d/a.pdf", PDF, "application/pdf", { type: "file", metadata: { filename: "a.pdf" } }],
  ])("shows %s as a block behind a text, and says what it read", async (path, content, mimeType, block) => {
    const answer = await read(path, content, { dialect });
    expect(answer.status).toBe("success");
    expect(answer.content).toEqual([
      {
        type: "text",
        text: `[${path} is not UTF-8 text: ${mimeType}, ${content.length} bytes. It follows.]`,
      },
      { ...block, mimeType, data: content.toString("base64") },
    ]);
    expect(answer.additional_kwargs).toEqual({ read_file_path: path, read_file_media_type: mimeType });
    expect(answer.artifact).toMatchObject({ path, version: sha256(content) });
  });

  it("shows text as text, whatever its name", async () => {
    for (const path of ["/a.png", "/a.pdf", "/a.mp4", "/a.docx"]) {
      expect((await read(path, Buffer.from("plain\n"), { dialect })).text).toMatch(/plain\n?$/);
    }
  });

  it.each([
    ["a cut image", "/a.png", PNG.subarray(0, 50), /image\/png, 50 bytes.*cut off or broken/],
    ["a name that lies", "/a.jpg", PNG, /its name does not fit its content, which is image\/png/],
    ["no image at all", "/a.png", Buffer.from([0, 1, 2]), /it holds no image of a kind that can be shown/],
    [
      "a cut document",
      "/a.pdf",
      Buffer.concat([PDF.subarray(0, 20), Buffer.alloc(3)]),
      /document is cut off/,
    ],
    ["a Word file", "/a.docx", Buffer.from("PK\x03\x04\0"), /wordprocessingml.*Its content is not shown\.]/],
    ["bytes", "/a", Buffer.from([0, 1]), /application\/octet-stream, 2 bytes.*not shown\.]/],
    ["a video without anything to take frames", "/a.mp4", MP4, /frames of a video cannot be taken here/],
  ])("only tells of %s", async (_, path, content, text) => {
    const answer = await read(path, content, { dialect });
    expect(typeof answer.content).toBe("string");
    expect(answer).toMatchObject({ status: "success", artifact: { path, version: sha256(content) } });
    expect(answer.text).toMatch(text);
    expect(answer.text).toMatch(/^\[.* is not UTF-8 text: .*\]$/);
    expect(answer.text).not.toMatch(/shell/);
  });

  it("only tells of what is too large, and points to the shell where there is one", async () => {
    const limits = (media: Partial<typeof DEFAULT_MEDIA_LIMITS>) => ({
      dialect,
      limits: { media: { ...DEFAULT_MEDIA_LIMITS, ...media } },
    });
    expect((await read("/a.png", PNG, limits({ maxImageBytes: 10 }))).text).toMatch(/at most 10 bytes/);
    expect((await read("/a.png", PNG, limits({ maxImageSide: 2 }))).text).toMatch(/2 × 3 pixels.*at most 2/);
    expect((await read("/a.wav", WAV, limits({ maxAudioBytes: 3 }))).text).toMatch(/at most 3 bytes/);
    expect((await read("/a.pdf", PDF, limits({ maxDocumentBytes: 9 }))).text).toMatch(/at most 9 bytes/);
    const shell = { kinds: ["read", "execute"] as const, shell: {} as Sandbox };
    expect((await read("/a.docx", Buffer.from("PK\0"), { dialect, ...shell })).text).toMatch(/in the shell/);
  });
});

/** Gives what it is told to, and remembers what it was asked. */
function frames(set: FrameSet | undefined) {
  const requests: Omit<FrameRequest, "open" | "limits" | "signal">[] = [];
  const contents: Buffer[] = [];
  const videoFrames: VideoFrames = {
    async extract({ open, mediaType, startSeconds, seconds }) {
      requests.push({ mediaType, startSeconds, seconds });
      const pieces: Uint8Array[] = [];
      for await (const piece of await open()) pieces.push(piece);
      contents.push(Buffer.concat(pieces));
      return set;
    },
  };
  return { videoFrames, requests, contents };
}

describe("a video", () => {
  const two: FrameSet = {
    frames: [
      { seconds: 4, jpeg: Buffer.from("one") },
      { seconds: 6, jpeg: Buffer.from("two") },
    ],
    stopped: undefined,
  };
  const messagesOf = (answer: unknown): unknown[] => {
    expect(answer).toBeInstanceOf(Command);
    return (answer as { update: { messages: unknown[] } }).update.messages;
  };

  it("becomes its frames in a message behind the answer", async () => {
    const { videoFrames, requests, contents } = frames(two);
    const [answer, media] = messagesOf(
      await read("/v.mp4", MP4, { dialect: "deepagents", videoFrames }, { offset: 4, limit: 9 }),
    );
    expect(answer).toMatchObject({
      text: `[/v.mp4 is not UTF-8 text: video/mp4, ${MP4.length} bytes. 2 frames of seconds 4 to 13 follow.]`,
      status: "success",
      artifact: { version: sha256(MP4), frames: 2 },
    });
    expect(media).toBeInstanceOf(HumanMessage);
    expect(media).toMatchObject({
      additional_kwargs: { read_file_media_result: true, read_file_path: "/v.mp4" },
      content: [
        { type: "text", text: "Frames of /v.mp4, seconds 4 to 13:" },
        { type: "text", text: "At about 4 s:" },
        { type: "image", mimeType: "image/jpeg", data: Buffer.from("one").toString("base64") },
        { type: "text", text: "At about 6 s:" },
        { type: "image", mimeType: "image/jpeg", data: Buffer.from("two").toString("base64") },
      ],
    });
    expect(requests).toEqual([{ mediaType: "video/mp4", startSeconds: 4, seconds: 9 }]);
    expect(contents).toEqual([MP4]);
  });

  it.each([
    ["frames", /no more frames are shown at once\. Go on with offset=8\.\]$/],
    ["bytes", /too large together\. Go on/],
    ["time", /lasted too long\. Go on/],
  ] as const)("says when the limit on %s cut it short", async (stopped, note) => {
    const { videoFrames } = frames({ ...two, stopped });
    const [answer, media] = messagesOf(await read("/v.mp4", MP4, { dialect: "deepagents", videoFrames }));
    expect((answer as ToolMessage).text).toMatch(note);
    expect((media as HumanMessage).text).toMatch(note);
  });

  it("goes on by lines in the other dialect", async () => {
    const { videoFrames, requests } = frames({ ...two, stopped: "frames" });
    const [answer] = messagesOf(await read("/v.mov", MP4, { videoFrames }, { start_line: 5, end_line: 8 }));
    expect((answer as ToolMessage).text).toMatch(/Go on with start_line=9\.\]$/);
    expect(requests).toEqual([{ mediaType: "video/quicktime", startSeconds: 4, seconds: 4 }]);
  });

  it("is refused without seconds, and where nothing of it can be decoded", async () => {
    const { videoFrames, requests } = frames({ frames: [], stopped: undefined });
    const options = { dialect: "deepagents", videoFrames } as const;
    const none = await read("/v.mp4", MP4, options, { limit: 0 });
    expect(none).toMatchObject({ status: "error", artifact: { code: "video_unreadable" } });
    expect(requests).toEqual([]);
    const broken = await read("/v.mp4", MP4, options, { offset: 3, limit: 2 });
    expect(broken.text).toMatch(
      /^Error: \/v\.mp4 cannot be shown as a video \(seconds 3 to 5\): there are no frames/,
    );
    expect(requests).toHaveLength(1);
  });

  it("is a note where it is too large or there is no extractor", async () => {
    const { videoFrames, requests } = frames(two);
    const limits = { media: { ...DEFAULT_MEDIA_LIMITS, maxVideoBytes: 5 } };
    expect((await read("/v.mp4", MP4, { videoFrames, limits })).text).toMatch(/at most 5 bytes of video/);
    expect(requests).toEqual([]);
    expect((await read("/v.mp4", MP4, frames(undefined))).text).toMatch(/cannot be taken here/);
  });
});
