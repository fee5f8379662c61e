/** What kinds of media a model takes, and where. Pure decisions over its profile and its class. */
import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { MediaBlock, MediaKind } from "./media-block.js";

/** What is known of the model of a request. */
export interface ModelFacts {
  readonly profile: ModelProfile;
  /** Names of the model's class and of those that it extends, its own first. */
  readonly classes: readonly string[];
}

/**
 * A host's own word on a kind of media; undefined leaves the decision to the model's profile.
 * @param byProfile what the profile says; undefined where it says nothing
 */
export type TakesMedia = (kind: MediaKind, byProfile: boolean | undefined) => boolean | undefined;

/** The flag of the profile for a kind, and the one for the kind inside a tool's answer. */
const FLAGS: Readonly<
  Record<MediaKind, { readonly input?: keyof ModelProfile; readonly toolMessage?: keyof ModelProfile }>
> = {
  image: { input: "imageInputs", toolMessage: "imageToolMessage" },
  audio: { input: "audioInputs" },
  video: { input: "videoInputs" },
  pdf: { input: "pdfInputs", toolMessage: "pdfToolMessage" },
  file: {},
};

/** Clients whose providers take files that are neither text nor PDF. */
const FILE_TAKERS: ReadonlySet<string> = new Set([
  "ChatOpenAI",
  "ChatOpenAICompletions",
  "ChatOpenAIResponses",
  "AzureChatOpenAI",
  "AzureChatOpenAICompletions",
  "AzureChatOpenAIResponses",
  "ChatGoogle",
  "ChatGoogleGenerativeAI",
  "ChatVertexAI",
]);

/** Clients of OpenAI's protocol; many others extend them. In it a tool's answer is text only. */
const OPENAI_CLIENTS: ReadonlySet<string> = new Set([
  "ChatOpenAI",
  "ChatOpenAICompletions",
  "ChatOpenAIResponses",
]);

/** The standard blocks that those clients can translate; on any other they throw before they ask anybody. */
const OPENAI_TRANSLATES: Readonly<Record<MediaKind, (block: MediaBlock) => boolean>> = {
  image: ({ source }) => source !== "id",
  audio: ({ source, mimeType }) =>
    source === "data" && (mimeType === "audio/wav" || mimeType === "audio/mp3"),
  video: () => false,
  pdf: ({ source }) => source !== "url",
  file: ({ source }) => source !== "url",
};

/** Whether the model's client speaks OpenAI's protocol. */
export const speaksOpenAi = ({ classes }: ModelFacts): boolean =>
  classes.some((name) => OPENAI_CLIENTS.has(name));

/** Whether the model takes the block at all. What nobody says is taken. */
export function takesBlock(block: MediaBlock, model: ModelFacts, takes?: TakesMedia): boolean {
  const flag = FLAGS[block.kind].input;
  const byProfile = flag === undefined ? undefined : booleanOf(model.profile[flag]);
  const taken = takes?.(block.kind, byProfile) ?? byProfile;
  if (taken === false) return false;
  if (block.isStandard && speaksOpenAi(model) && !OPENAI_TRANSLATES[block.kind](block)) return false;
  if (block.kind === "file" && taken === undefined) return takesFile(block, model);
  return !(block.kind === "image" && block.source === "url" && model.profile.imageUrlInputs === false);
}

/** Whether a block that the model takes may stand in a tool's answer. */
export function takesInAnswer({ kind }: MediaBlock, model: ModelFacts): boolean {
  const flag = FLAGS[kind].toolMessage;
  return !speaksOpenAi(model) && (flag === undefined || model.profile[flag] !== false);
}

/** A file by address or id is the provider's to fetch, so it knows it. */
function takesFile({ source, mimeType }: MediaBlock, { profile, classes }: ModelFacts): boolean {
  if (source !== "data") return true;
  if (profile.fileMimeTypes !== undefined) {
    return mimeType !== undefined && profile.fileMimeTypes.includes(mimeType);
  }
  return FILE_TAKERS.has(classes[0] ?? "");
}

const booleanOf = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

const MOST_LAYERS = 8;

/** The facts of a model, looked for under what only binds options to it. */
export function modelFacts(model: unknown): ModelFacts {
  let inner = model;
  for (let layers = 0; layers < MOST_LAYERS && isBinding(inner); layers += 1) inner = inner.bound;
  const profile =
    typeof inner === "object" && inner !== null && "profile" in inner ? inner.profile : undefined;
  return {
    // The cast is sound: a chat model's `profile` is one, and each field is compared with a value before it counts.
    profile: typeof profile === "object" && profile !== null ? (profile as ModelProfile) : {},
    classes: classesOf(inner),
  };
}

const isBinding = (model: unknown): model is { readonly bound: unknown } =>
  typeof model === "object" && model !== null && "bound" in model;

function classesOf(model: unknown): readonly string[] {
  if (typeof model !== "object" || model === null) return [];
  const names: string[] = [];
  let prototype: unknown = Object.getPrototypeOf(model);
  while (typeof prototype === "object" && prototype !== null && names.length < MOST_LAYERS) {
    names.push(classNameOf(prototype.constructor));
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

/** The public name of a LangChain class, which survives minifying; a subclass that gives itself none has its own. */
function classNameOf(constructor: { readonly name: string }): string {
  const named = (value: object): string | undefined =>
    "lc_name" in value && typeof value.lc_name === "function" ? String(value.lc_name()) : undefined;
  const own = named(constructor);
  const parent: unknown = Object.getPrototypeOf(constructor);
  const inherited = typeof parent === "function" ? named(parent) : undefined;
  return own === undefined || own === inherited ? constructor.name : own;
}
