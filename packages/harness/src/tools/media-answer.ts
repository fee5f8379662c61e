/** How a file that is no text is answered: what it is in words, then what it shows. The same in every dialect. */
import { HumanMessage } from "@langchain/core/messages";
import type { ContentBlock } from "langchain";
import { counted } from "../base/counted.js";
import { nameOf, shownPath } from "../base/virtual-path.js";
import type { ToolOutcome } from "./define-tool.js";
import type { Surroundings } from "./face.js";
import type { MediaResult, OpaqueFile, ShownMedia, ShownVideo } from "./read-media.js";
import type { FrameSet } from "./video-frames.js";

export interface MediaAnswerOptions {
  readonly path: string;
  readonly surroundings: Surroundings;
  /** The arguments with which a video goes on at a second, such as `offset=128`. */
  readonly goOn: (second: number) => string;
}

export function mediaAnswer(result: MediaResult, options: MediaAnswerOptions): ToolOutcome {
  switch (result.kind) {
    case "shown":
      return shownAnswer(result, options);
    case "video":
      return videoAnswer(result, options);
    case "opaque":
      return opaqueAnswer(result, options);
  }
}

/** The words begin alike in every case: programs look for them. */
const whatItIs = (path: string, { mediaType, size }: MediaResult): string =>
  `${shownPath(path)} is not UTF-8 text: ${mediaType}, ${counted(size, "byte")}.`;

const factsOf = (path: string, { version, size, mediaType }: MediaResult) => ({
  path,
  version,
  size,
  media_type: mediaType,
});

const marksOf = (path: string, { mediaType }: MediaResult) => ({
  read_file_path: path,
  read_file_media_type: mediaType,
});

function shownAnswer(result: ShownMedia, { path }: MediaAnswerOptions): ToolOutcome {
  return {
    text: `[${whatItIs(path, result)} It follows.]`,
    blocks: [blockOf(result, nameOf(path))],
    marks: marksOf(path, result),
    facts: factsOf(path, result),
  };
}

function blockOf(
  { family, mediaType, bytes }: ShownMedia,
  filename: string,
): ContentBlock.Multimodal.Standard {
  const content = { mimeType: mediaType, data: base64Of(bytes) };
  // OpenAI wants a name for a document.
  return family === "document"
    ? { type: "file", ...content, metadata: { filename } }
    : { type: family, ...content };
}

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function opaqueAnswer(result: OpaqueFile, { path, surroundings }: MediaAnswerOptions): ToolOutcome {
  const why = result.reason === undefined ? "." : `: ${result.reason}.`;
  const next = surroundings.visible.has("execute")
    ? " Use a program in the shell to convert it or to look into it."
    : "";
  return {
    text: `[${whatItIs(path, result)} Its content is not shown${why}${next}]`,
    facts: factsOf(path, result),
  };
}

const STOPS: Readonly<Record<NonNullable<FrameSet["stopped"]>, string>> = {
  frames: "no more frames are shown at once",
  bytes: "the frames became too large together",
  time: "taking them lasted too long",
};

function videoAnswer(result: ShownVideo, { path, surroundings, goOn }: MediaAnswerOptions): ToolOutcome {
  const { taken, startSeconds, seconds } = result;
  const count = counted(taken.frames.length, "frame");
  const last = taken.frames.at(-1)?.seconds ?? startSeconds;
  const note =
    taken.stopped === undefined
      ? ""
      : ` [Cut short: ${STOPS[taken.stopped]}. Go on with ${goOn(last + surroundings.limits.video.secondsPerFrame)}.]`;
  const part = `seconds ${startSeconds} to ${startSeconds + seconds}`;
  const marks = marksOf(path, result);
  const frames = new HumanMessage({
    content: [
      { type: "text", text: `Frames of ${shownPath(path)}, ${part}:` },
      ...taken.frames.flatMap((frame): ContentBlock.Standard[] => [
        { type: "text", text: `At about ${frame.seconds} s:` },
        { type: "image", mimeType: "image/jpeg", data: base64Of(frame.jpeg) },
      ]),
      ...(note === "" ? [] : [{ type: "text" as const, text: note.trim() }]),
    ],
    additional_kwargs: { read_file_media_result: true, ...marks },
  });
  return {
    text: `[${whatItIs(path, result)} ${count} of ${part} follow.]${note}`,
    marks,
    facts: { ...factsOf(path, result), frames: taken.frames.length },
    followedBy: [frames],
  };
}
