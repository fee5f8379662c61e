/** Puts very long messages of the user into files; the state keeps the text, a request shows a stub in its place. */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createMiddleware, type ModelRequest } from "langchain";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { humanMessageWith } from "./offload-message.js";
import { HOW_TO_READ, type OffloadDialect } from "./offload-rules.js";
import { DEFAULT_RETENTION, digestOf, type OffloadRetention, storeOffload } from "./offload-store.js";
import { type HowToRead, offloadStub, type PreviewSize } from "./offload-stub.js";
import { textOf, withText } from "./offload-text.js";

/** The key in a message's `additional_kwargs`: the path of the file that holds its text. */
export const EVICTED_TO_KEY = "lc_evicted_to";

export interface MessageOffloadOptions {
  readonly files: FileBackend;
  /** Where the files go: a path of the backend. Default `/conversation_history`. */
  readonly folder?: string;
  /** A message with a longer text is stored; 0 for never. Characters, 200,000 by default. */
  readonly limitCharacters?: number;
  /** How the stub explains reading. Default `deepagents`. */
  readonly dialect?: OffloadDialect;
  readonly howToRead?: HowToRead;
  /** What of the folder is kept. Default 200 files and 200 MiB. */
  readonly retention?: OffloadRetention;
  readonly logger?: Logger;
}

export const DEFAULT_CONVERSATION_FOLDER = "/conversation_history";
const DEFAULT_LIMIT_CHARACTERS = 200_000;
const MARK_CHARACTERS = 12;
const PREVIEW: PreviewSize = { headLines: 5, tailLines: 5, lineCharacters: 1000 };

/**
 * Stores each message of the user that is longer than the limit and notes the path on it. Works on the request: the
 * stored message is written back to the state with its own id and whole, beside whatever the model says. When
 * storing fails nothing changes, and the next request tries again.
 */
export function messageOffload(options: MessageOffloadOptions) {
  const { files, folder = DEFAULT_CONVERSATION_FOLDER, logger = silentLogger } = options;
  const { limitCharacters = DEFAULT_LIMIT_CHARACTERS, retention = DEFAULT_RETENTION } = options;
  const place = { files, folder, retention, logger };
  const stubs = new StubShelf(options.howToRead ?? HOW_TO_READ[options.dialect ?? "deepagents"]);

  /** Undefined when the message could not be stored. */
  const store = async (message: HumanMessage, threadId: string): Promise<string | undefined> => {
    const text = textOf(message);
    const name = { origin: "message", digest: digestOf([threadId], text), extension: "md" } as const;
    try {
      return await storeOffload(place, name, text);
    } catch (error) {
      logger.warn("A long message could not be stored", { reason: reasonOf(error) });
      return undefined;
    }
  };

  const showOne = async (shown: HumanMessage, original: HumanMessage, threadId: string): Promise<Shown> => {
    const known = evictedTo(original);
    const isLong = limitCharacters > 0 && textOf(original).length > limitCharacters;
    const path = known ?? (isLong ? await store(original, threadId) : undefined);
    if (path === undefined) return { message: shown };
    const message = stubs.show(shown, original, path);
    // Without an id it would be added to the state a second time.
    const isNew = known === undefined && original.id !== undefined;
    return isNew ? { message, tagged: tag(original, path) } : { message };
  };

  return createMiddleware({
    name: "message-offload",

    async wrapModelCall(request, next) {
      const originals = new Map(messagesOf(request).map((message) => [message.id, message]));
      const threadId = String(request.runtime.configurable?.thread_id ?? "");
      const shown = await Promise.all(
        request.messages.map(async (message): Promise<Shown> => {
          if (!HumanMessage.isInstance(message)) return { message };
          return showOne(message, originalOf(message, originals), threadId);
        }),
      );
      const response = await next({ ...request, messages: shown.map(({ message }) => message) });
      const tagged = shown.flatMap((each) => each.tagged ?? []);
      // A structured response is no message and could not be handed on beside a command; the next request tags then.
      if (tagged.length === 0 || !AIMessage.isInstance(response)) return response;
      return new Command({ update: { messages: tagged } });
    },
  });
}

interface Shown {
  /** As the request holds it. */
  readonly message: BaseMessage;
  /** As the state shall hold it from now on. */
  readonly tagged?: HumanMessage;
}

const messagesOf = ({ state }: ModelRequest): readonly BaseMessage[] => state.messages ?? [];

/**
 * The message of the user behind what a request shows: the state's own where it has one. An outer middleware may
 * have put something in front of the text; what is stored is what the user wrote.
 */
function originalOf(
  shown: HumanMessage,
  originals: ReadonlyMap<string | undefined, BaseMessage>,
): HumanMessage {
  const original = shown.id === undefined ? undefined : originals.get(shown.id);
  return HumanMessage.isInstance(original) ? original : shown;
}

/** The path that is noted on a message; undefined for what is no path, for a client may have written it. */
export function evictedTo(message: HumanMessage): string | undefined {
  const path = message.additional_kwargs[EVICTED_TO_KEY];
  if (typeof path !== "string") return undefined;
  try {
    return parseVirtualPath(path);
  } catch (error) {
    if (DeerflowError.is(error)) return undefined;
    throw error;
  }
}

const tag = (message: HumanMessage, path: string): HumanMessage =>
  humanMessageWith(message, { additional_kwargs: { ...message.additional_kwargs, [EVICTED_TO_KEY]: path } });

/** Makes the stub of a message once, for as long as the message lives. */
class StubShelf {
  readonly #howToRead: HowToRead;
  readonly #stubs = new WeakMap<HumanMessage, { readonly path: string; readonly stub: string }>();

  constructor(howToRead: HowToRead) {
    this.#howToRead = howToRead;
  }

  /** What the request showed, with the stub in place of its text; images and other blocks stay. */
  show(shown: HumanMessage, original: HumanMessage, path: string): HumanMessage {
    return humanMessageWith(shown, { content: withText(shown.content, this.#stubOf(original, path)) });
  }

  #stubOf(message: HumanMessage, path: string): string {
    const known = this.#stubs.get(message);
    if (known?.path === path) return known.stub;
    const stub = offloadStub({
      subject: "This message of the user",
      path,
      text: textOf(message),
      mark: sha256(path).slice(0, MARK_CHARACTERS),
      preview: PREVIEW,
      howToRead: this.#howToRead,
    });
    this.#stubs.set(message, { path, stub });
    return stub;
  }
}
