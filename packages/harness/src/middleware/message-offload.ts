/** Puts very long messages of the user into files; the state keeps the text, a request shows a stub in its place. */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createMiddleware, type ModelRequest } from "langchain";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { Dialect } from "../tools/dialects.js";
import { humanMessageWith } from "./offload-message.js";
import { HOW_TO_READ } from "./offload-rules.js";
import {
  DEFAULT_RETENTION,
  digestOf,
  freePathFor,
  keptFor,
  type OffloadRetention,
  storeOffload,
} from "./offload-store.js";
import { type HowToRead, offloadStub, type PreviewSize, REPLACED_NOTE } from "./offload-stub.js";
import { pageable, textOf, withText } from "./offload-text.js";

/** The key in a message's `additional_kwargs`: the path of the file that holds its text. */
export const EVICTED_TO_KEY = "lc_evicted_to";

export interface MessageOffloadOptions {
  readonly files: FileBackend;
  /** Where the files go: a path of the backend. Default `/conversation_history`. */
  readonly folder?: string;
  /** A message with a longer text is stored; 0 for never. Characters, 200,000 by default. */
  readonly limitCharacters?: number;
  /** How the stub explains reading. Default `deepagents`. */
  readonly dialect?: Dialect;
  readonly howToRead?: HowToRead;
  /** What of the folder is kept. Default 2,000 files and 500 MiB. */
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
  const stubs = new StubShelf(
    options.howToRead ?? HOW_TO_READ[options.dialect ?? "deepagents"],
    keptFor(place),
  );

  const attempt = async (work: () => Promise<string>): Promise<string | undefined> => {
    try {
      return await work();
    } catch (error) {
      logger.warn("A long message could not be stored", { reason: reasonOf(error) });
      return undefined;
    }
  };

  const showOne = async (shown: HumanMessage, original: HumanMessage, threadId: string): Promise<Shown> => {
    const text = textOf(original);
    const known = evictedTo(original);
    if (known !== undefined) return { message: stubs.show(shown, original, known) };
    if (limitCharacters <= 0 || text.length <= limitCharacters) return { message: shown };
    const name = { origin: "message", digest: digestOf([threadId], text), extension: "md" } as const;
    const stored = pageable(text);
    const store = () => attempt(() => storeOffload(place, name, stored));
    // LangGraph takes a step that wrote to the state for done, even if its model call then fails: so write last there.
    const isLate = files.usesGraphState === true;
    const path = await (isLate ? attempt(() => freePathFor(place, name, stored)) : store());
    if (path === undefined) return { message: shown };
    const settle = async () => tag(original, isLate ? await store() : path);
    return { message: stubs.show(shown, original, path), settle };
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
      const settled = await Promise.all(shown.map(({ settle }) => settle?.()));
      const tagged = settled.filter((message) => message !== undefined);
      // A structured response is no message and could not be handed on beside a command; the next request tags then.
      if (tagged.length === 0 || !AIMessage.isInstance(response)) return response;
      return new Command({ update: { messages: tagged } });
    },
  });
}

interface Shown {
  /** As the request holds it. */
  readonly message: BaseMessage;
  /** To be called when the model has answered; gives the message as the state shall hold it from then on. */
  readonly settle?: () => Promise<HumanMessage | undefined>;
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

/** Undefined where nothing was stored, and for a message without an id: the state would take it for another one. */
function tag(message: HumanMessage, path: string | undefined): HumanMessage | undefined {
  if (path === undefined || message.id === undefined) return undefined;
  const additional_kwargs = { ...message.additional_kwargs, [EVICTED_TO_KEY]: path };
  return humanMessageWith(message, { additional_kwargs });
}

/** Makes the stub of a message once, for as long as the message lives. */
class StubShelf {
  readonly #howToRead: HowToRead;
  readonly #kept: string | undefined;
  readonly #stubs = new WeakMap<HumanMessage, { readonly path: string; readonly stub: string }>();

  constructor(howToRead: HowToRead, kept: string | undefined) {
    this.#howToRead = howToRead;
    this.#kept = kept;
  }

  /** What the request showed, with the stub in place of its text; images and other blocks stay. */
  show(shown: HumanMessage, original: HumanMessage, path: string): HumanMessage {
    return humanMessageWith(shown, { content: withText(shown.content, this.#stubOf(original, path)) });
  }

  #stubOf(message: HumanMessage, path: string): string {
    const known = this.#stubs.get(message);
    if (known?.path === path) return known.stub;
    const said = textOf(message);
    const text = pageable(said);
    const stub = offloadStub({
      subject: "This message of the user",
      path,
      text,
      mark: sha256(path).slice(0, MARK_CHARACTERS),
      preview: PREVIEW,
      howToRead: this.#howToRead,
      notes: [this.#kept, text === said ? undefined : REPLACED_NOTE],
    });
    this.#stubs.set(message, { path, stub });
    return stub;
  }
}
