/** Gives a model only the media that it takes, where it takes them. Changes the request, never the state. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { shownPath } from "../base/virtual-path.js";
import { withContent } from "../tools/define-tool.js";
import { type MediaBlock, readMediaBlock, withSourceType } from "./media-block.js";
import {
  type ModelFacts,
  modelFacts,
  speaksOpenAi,
  type TakesMedia,
  takesBlock,
  takesInAnswer,
} from "./media-support.js";
import { humanMessageWith } from "./offload-message.js";

/** Marks a human message whose content belongs to a tool's answer, such as the frames of a video. */
export const MEDIA_RESULT_KEY = "read_file_media_result";
/** Where a tool's answer says which file its media show. */
export const MEDIA_PATH_KEY = "read_file_path";

export interface MediaMessagesOptions {
  readonly takes?: TakesMedia;
}

export function mediaMessages({ takes }: MediaMessagesOptions = {}) {
  return createMiddleware({
    name: "media-messages",
    wrapModelCall(request, next) {
      const messages = fitMedia(request.messages, modelFacts(request.model), takes);
      return next(messages === request.messages ? request : { ...request, messages });
    },
  });
}

/** The same messages for this model; the very same list when nothing had to change. */
export function fitMedia(messages: BaseMessage[], model: ModelFacts, takes?: TakesMedia): BaseMessage[] {
  const fitted = answersFirst(messages, (answer) => fitAnswer(answer, model, takes)).map((message) =>
    HumanMessage.isInstance(message) ? fitHuman(message, model, takes) : message,
  );
  return isSameList(fitted, messages) ? messages : fitted;
}

const isSameList = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((entry, position) => entry === right[position]);

/** An answer for the model, and what of its content has to stand behind the answers. */
interface FittedAnswer {
  readonly answer: ToolMessage;
  readonly moved: readonly Block[];
}

/**
 * Puts all answers to the calls of one AI message directly behind it, and what else the tools gave behind those:
 * providers refuse anything between a call and its answer.
 */
function answersFirst(messages: readonly BaseMessage[], fit: (answer: ToolMessage) => FittedAnswer) {
  const ordered: BaseMessage[] = [];
  let media: BaseMessage[] = [];
  let moved: Block[] = [];
  let inRun = false;
  const flush = () => {
    if (moved.length > 0) ordered.push(new HumanMessage({ content: moved }));
    ordered.push(...media);
    media = [];
    moved = [];
  };
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      const fitted = fit(message);
      ordered.push(fitted.answer);
      moved.push(...fitted.moved);
    } else if (inRun && isMediaResult(message)) {
      media.push(message);
    } else {
      flush();
      inRun = AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0;
      ordered.push(message);
    }
  }
  flush();
  return ordered;
}

const isMediaResult = (message: BaseMessage): boolean =>
  HumanMessage.isInstance(message) && message.additional_kwargs[MEDIA_RESULT_KEY] === true;

type Block = Exclude<BaseMessage["content"], string>[number];

function fitAnswer(answer: ToolMessage, model: ModelFacts, takes?: TakesMedia): FittedAnswer {
  const moved: Block[] = [];
  const path = pathOf(answer);
  const content = mapMedia(answer, (block, media) => {
    const named = nameMedia(media, path);
    if (!takesBlock(media, model, takes)) return textBlock(leftOut(media, named));
    if (takesInAnswer(media, model)) return block;
    moved.push(textBlock(`${capitalised(named)}, the answer to your call ${answer.tool_call_id}:`));
    moved.push(spellFor(model, block));
    return textBlock(`[${capitalised(named)} follows behind the answers.]`);
  });
  if (content === undefined) return { answer, moved };
  return { answer: withContent(answer, content), moved };
}

function fitHuman(message: HumanMessage, model: ModelFacts, takes?: TakesMedia): HumanMessage {
  const path = pathOf(message);
  // A message of the newest kind is translated as it stands.
  const isNew = message.response_metadata["output_version"] === "v1";
  const content = mapMedia(message, (block, media) => {
    if (!takesBlock(media, model, takes)) return textBlock(leftOut(media, nameMedia(media, path)));
    return isNew ? block : spellFor(model, block);
  });
  return content === undefined ? message : humanMessageWith(message, { content });
}

const spellFor = (model: ModelFacts, block: Block): Block =>
  // The cast is sound: a block with its source's type is a block.
  speaksOpenAi(model) ? (withSourceType(block) as Block) : block;

/** The content with each media block replaced by what `change` gives; undefined when nothing changed. */
function mapMedia(
  { content }: BaseMessage,
  change: (block: Block, media: MediaBlock) => Block,
): Block[] | undefined {
  if (typeof content === "string") return undefined;
  const changed = content.map((block) => {
    const media = readMediaBlock(block);
    return media === undefined ? block : change(block, media);
  });
  return isSameList(changed, content) ? undefined : changed;
}

export const textBlock = (text: string): Block => ({ type: "text", text });

/** The file that a message shows, as its tool noted it. */
export function pathOf(message: BaseMessage): string | undefined {
  const path = message.additional_kwargs[MEDIA_PATH_KEY];
  return typeof path === "string" ? path : undefined;
}

const KIND_NAMES = { image: "image", audio: "audio file", video: "video", pdf: "PDF", file: "file" } as const;
const KINDS_TAKEN = {
  image: "images",
  audio: "such audio",
  video: "video",
  pdf: "PDF files",
  file: "such files",
} as const;

/** The media in words: what it is, where it lies, and its type. */
export function nameMedia(
  { kind, mimeType = "unknown type", name }: MediaBlock,
  path: string | undefined,
): string {
  const place = path ?? name;
  const what = `the ${KIND_NAMES[kind]}`;
  return place === undefined ? `${what} (${mimeType})` : `${what} ${shownPath(place)} (${mimeType})`;
}

const leftOut = ({ kind }: MediaBlock, named: string): string =>
  `[${capitalised(named)} is left out: this model does not take ${KINDS_TAKEN[kind]}.]`;

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
