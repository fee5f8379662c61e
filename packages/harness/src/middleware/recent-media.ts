/** Gives the model the recent media of a conversation, not all there ever was. Changes the request, never the state. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { isRecord } from "../base/json.js";
import { operationOf, withContent } from "../tools/define-tool.js";
import { type MediaBlock, readMediaBlock } from "./media-block.js";
import { capitalised, nameMedia, pathOf, textBlock } from "./media-messages.js";
import { modelFacts, type TakesMedia, takesBlock } from "./media-support.js";
import { humanMessageWith } from "./offload-message.js";

export interface RecentMediaLimits {
  /** Pictures of one request; 0 for no limit. */
  readonly maxImages: number;
  /** Characters of base64 of one request, which are bytes on the wire; 0 for no limit. */
  readonly maxBytes: number;
}

const MEBIBYTE = 1024 * 1024;

/** The numbers, each with its reason. */
export const MEDIA_CAPS = {
  maxImages: {
    value: 20,
    because: "Beyond 20 pictures Anthropic refuses each that is wider or higher than 2000 pixels.",
  },
  maxBytes: {
    value: 16 * MEBIBYTE,
    because: "Gemini takes 20 MB of a request, Anthropic 32 MB, texts and tools with them.",
  },
  imagesOfNewest: {
    value: 100,
    because: "What the model has not seen yet is shown whole, and no provider takes more than 100 for sure.",
  },
  keptShare: {
    value: 0.5,
    because:
      "A cut that goes down to half is followed by many calls whose prompt begins alike, so caches hold.",
  },
} as const;

export const DEFAULT_RECENT_MEDIA: RecentMediaLimits = {
  maxImages: MEDIA_CAPS.maxImages.value,
  maxBytes: MEDIA_CAPS.maxBytes.value,
};

export interface RecentMediaOptions extends RecentMediaLimits {
  readonly takes?: TakesMedia;
}

export function recentMedia({ takes, ...limits }: RecentMediaOptions) {
  return createMiddleware({
    name: "recent-media",
    wrapModelCall(request, next) {
      const model = modelFacts(request.model);
      const left = olderMedia(request.messages, limits, (media) => takesBlock(media, model, takes));
      if (left.size === 0) return next(request);
      const reading = request.tools.find((tool) => operationOf(tool) === "read");
      const readTool = typeof reading?.name === "string" ? reading.name : undefined;
      return next({ ...request, messages: withoutMedia(request.messages, left, readTool) });
    },
  });
}

/** Where a block stands: a tool may give one and the same object twice. */
const placeOf = (message: number, block: number): string => `${message}.${block}`;

/** One media block, with what it weighs. */
interface Shown {
  readonly place: string;
  readonly images: number;
  readonly bytes: number;
}

type Weight = Pick<Shown, "images" | "bytes">;

const weightOf = (shown: readonly Weight[]): Weight => ({
  images: shown.reduce((sum, { images }) => sum + images, 0),
  bytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
});

/**
 * The places of the blocks that a request leaves out. Rounds (what stands between two answers of the model) come into a window one
 * after the other, as they came into the conversation. A window that grows too large loses its oldest rounds until it
 * is half full; so what was left out once stays so, and a longer conversation changes nothing before the last cut.
 * The newest round stays whole as far as a provider takes it, because the model has not seen it yet.
 */
export function olderMedia(
  messages: readonly BaseMessage[],
  limits: RecentMediaLimits,
  takes: (media: MediaBlock) => boolean,
): ReadonlySet<string> {
  const left = new Set<string>();
  let window: (readonly Shown[])[] = [];
  const drop = (shown: readonly Shown[]) => shown.forEach(({ place }) => left.add(place));
  for (const round of roundsOf(messages, takes)) {
    window.push(round);
    if (fits(weightOf(window.flat()), limits)) continue;
    while (window.length > 1 && !fits(weightOf(window.flat()), limits, MEDIA_CAPS.keptShare.value)) {
      drop(window[0] ?? []);
      window = window.slice(1);
    }
  }
  const newest = window.at(-1) ?? [];
  const most = { maxImages: MEDIA_CAPS.imagesOfNewest.value, maxBytes: limits.maxBytes };
  if (window.length === 1) drop(overflowOf(newest, limits.maxImages === 0 ? limits : most));
  return left;
}

const fits = ({ images, bytes }: Weight, { maxImages, maxBytes }: RecentMediaLimits, share = 1): boolean =>
  (maxImages === 0 || images <= maxImages * share) && (maxBytes === 0 || bytes <= maxBytes * share);

/** The oldest of one round that must go so that the others fit. */
function overflowOf(round: readonly Shown[], limits: RecentMediaLimits): readonly Shown[] {
  const start = round.findIndex((_, index) => fits(weightOf(round.slice(index)), limits));
  return round.slice(0, start === -1 ? round.length : start);
}

/** What the model is shown between two of its answers, oldest first; rounds without media are left out. */
function roundsOf(
  messages: readonly BaseMessage[],
  takes: (media: MediaBlock) => boolean,
): readonly (readonly Shown[])[] {
  const rounds: Shown[][] = [[]];
  messages.forEach((message, index) => {
    if (AIMessage.isInstance(message)) rounds.push([]);
    else if (canChange(message)) rounds.at(-1)?.push(...mediaIn(message, index, takes));
  });
  return rounds.filter((round) => round.length > 0);
}

const canChange = (message: BaseMessage): message is HumanMessage | ToolMessage =>
  HumanMessage.isInstance(message) || ToolMessage.isInstance(message);

function mediaIn(
  { content }: BaseMessage,
  message: number,
  takes: (media: MediaBlock) => boolean,
): readonly Shown[] {
  if (typeof content === "string") return [];
  return content.flatMap((block, index) => {
    const media = readMediaBlock(block);
    if (media === undefined || !takes(media)) return [];
    const bytes = media.source === "data" ? lengthOf(block) : 0;
    return [{ place: placeOf(message, index), images: media.kind === "image" ? 1 : 0, bytes }];
  });
}

/** The characters that a block takes in a request, roughly: those of its texts, also one level deeper. */
const lengthOf = (value: object): number =>
  Object.values(value).reduce((sum: number, item: unknown) => {
    if (typeof item === "string") return sum + item.length;
    if (item instanceof Uint8Array) return sum + Math.ceil(item.length / 3) * 4;
    return sum + (isRecord(item) ? lengthOf(item) : 0);
  }, 0);

const withoutMedia = (
  messages: readonly BaseMessage[],
  left: ReadonlySet<string>,
  readTool: string | undefined,
): BaseMessage[] =>
  messages.map((message, index) => {
    if (!canChange(message) || typeof message.content === "string") return message;
    const isLeft = (block: number): boolean => left.has(placeOf(index, block));
    if (!message.content.some((_, block) => isLeft(block))) return message;
    const said = new Set<string>();
    const content = message.content.flatMap((block, position) => {
      const media = isLeft(position) ? readMediaBlock(block) : undefined;
      if (media === undefined) return [block];
      const text = leftOut(media, pathOf(message), readTool);
      // The frames of a video are one file: it is named once.
      if (said.has(text)) return [];
      said.add(text);
      return [textBlock(text)];
    });
    return HumanMessage.isInstance(message)
      ? humanMessageWith(message, { content })
      : withContent(message, content);
  });

/** What stands in the place of media: what it was, and how to see it again. */
function leftOut(media: MediaBlock, path: string | undefined, readTool: string | undefined): string {
  const what = `${capitalised(nameMedia(media, path))} was shown here and is left out now, to keep the request small.`;
  if (path !== undefined && readTool !== undefined)
    return `[${what} Call ${readTool} on it to see it again.]`;
  return path === undefined ? `[${what} Ask for it if it is needed again.]` : `[${what}]`;
}
