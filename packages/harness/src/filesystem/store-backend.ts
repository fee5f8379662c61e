import { isDeepStrictEqual } from "node:util";
import { type BaseStore, getConfig, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { type Clock, systemClock } from "../base/clock.js";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { assertOptions, optionInvalid } from "./assert-backend.js";
import type { FileBackend, FileContent, FileEntry, ListNotes, Version, WriteOptions } from "./contract.js";
import { fileDataOf } from "./file-data.js";
import {
  assertRemovable,
  assertWritable,
  foldersAbove,
  isBelow,
  keysToRemove,
  listFlat,
  readFlat,
  statFlat,
} from "./key-value-tree.js";

const PAGE = 100;
const LABEL = /^[A-Za-z0-9\-_.@+:~]+$/;
const RESERVED_ROOT = "langgraph";

/** Shared by all store backends of this process. */
const CHANGES = new KeyedLock();

export type StoreNamespace = readonly string[] | ((config: LangGraphRunnableConfig) => readonly string[]);

export interface StoreBackendOptions {
  /**
   * Whose files these are, outermost first: one or more labels of letters, digits and `-_.@+:~`. A function is asked
   * at each call, with the config of the run (`context`, `configurable`), so that every user can have their own.
   */
  readonly namespace: StoreNamespace;
  /** The store of the run by default, which the agent was given. */
  readonly store?: BaseStore;
  readonly clock?: Clock;
}

/**
 * A {@link FileBackend} over a LangGraph store: the files outlive the thread. One item a file, with the path as its key.
 *
 * A store has no compare-and-set of its own. Changes of this process take turns within a namespace, so none is lost
 * here; of two processes that change one file at one time the later wins.
 *
 * All verbs throw DeerflowError `store_missing` where there is no store, and `filesystem_options_invalid` for a
 * namespace that a function got wrong.
 */
export class StoreBackend implements FileBackend {
  readonly #namespace: StoreNamespace;
  readonly #store: BaseStore | undefined;
  readonly #clock: Clock;

  /** @throws DeerflowError `filesystem_options_invalid` for a namespace that is none */
  constructor(options: StoreBackendOptions) {
    assertOptions(options, "namespace");
    const { namespace } = options;
    this.#namespace = typeof namespace === "function" ? namespace : checkedNamespace(namespace);
    this.#store = options.store;
    this.#clock = options.clock ?? systemClock;
  }

  /** Names the namespace. One that depends on the run has no name outside of it, and no files either. */
  get id(): string {
    if (typeof this.#namespace === "function" && getConfig() === undefined) return "store";
    return `store:${this.#resolved().join("/")}`;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    return listFlat(await this.#shelf().all(), path, notes);
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    return statFlat(await this.#shelf().around(path), path);
  }

  async read(path: string): Promise<FileContent | undefined> {
    return readFlat(await this.#shelf().only([path]), path);
  }

  async write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    const shelf = this.#shelf();
    return CHANGES.hold(this.id, async () => {
      const files = await shelf.around(path);
      assertWritable(files, path, options.expectedVersion);
      const file = fileDataOf(content, { now: this.#clock.now(), replaces: files.get(path) });
      await shelf.store.put(shelf.namespace, path, { ...file });
      return sha256(content);
    });
  }

  async remove(path: string): Promise<boolean> {
    assertRemovable(path);
    const shelf = this.#shelf();
    return CHANGES.hold(this.id, async () => {
      const keys = keysToRemove(await shelf.all(), path);
      for (const key of keys) await shelf.store.delete(shelf.namespace, key);
      return keys.length > 0;
    });
  }

  #shelf(): Shelf {
    const store = this.#store ?? getConfig()?.store;
    if (store === undefined) throw new DeerflowError("store_missing");
    return new Shelf(store, this.#resolved().map(storedLabel));
  }

  #resolved(): readonly string[] {
    const namespace = this.#namespace;
    return typeof namespace === "function" ? checkedNamespace(namespace(getConfig() ?? {})) : namespace;
  }
}

/** The items of one namespace. */
class Shelf {
  readonly store: BaseStore;
  readonly namespace: string[];

  constructor(store: BaseStore, namespace: string[]) {
    this.store = store;
    this.namespace = namespace;
  }

  async all(): Promise<Map<string, unknown>> {
    const files = new Map<string, unknown>();
    for await (const [key, value] of this.#items()) files.set(key, value);
    return files;
  }

  async only(paths: readonly string[]): Promise<Map<string, unknown>> {
    const items = await Promise.all(paths.map((path) => this.store.get(this.namespace, path)));
    // A store answers with null or with undefined where nothing is.
    return new Map(items.flatMap((item) => (item ? [[item.key, item.value] as const] : [])));
  }

  /** What tells whether `path` is a file, a folder or free: itself, the folders above, and one key below. */
  async around(path: string): Promise<Map<string, unknown>> {
    const files = await this.only([path, ...foldersAbove(path)]);
    if (files.has(path)) return files;
    for await (const [key, value] of this.#items()) {
      if (isBelow(key, path)) return files.set(key, value);
    }
    return files;
  }

  async *#items(): AsyncGenerator<readonly [key: string, value: unknown]> {
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.store.search(this.namespace, { limit: PAGE, offset });
      // A search also finds what lies in namespaces below this one.
      for (const item of page) {
        if (isDeepStrictEqual(item.namespace, this.namespace)) yield [item.key, item.value];
      }
      if (page.length < PAGE) return;
    }
  }
}

function checkedNamespace(namespace: readonly string[]): readonly string[] {
  const reason = whyNoNamespace(namespace);
  if (reason === undefined) return [...namespace];
  throw optionInvalid("namespace", reason);
}

function whyNoNamespace(namespace: unknown): string | undefined {
  if (!Array.isArray(namespace) || namespace.length === 0) return "it must be a list of at least one label";
  if (namespace[0] === RESERVED_ROOT) return `${RESERVED_ROOT} as its first label belongs to LangGraph`;
  const isWrong = (label: unknown): boolean => typeof label !== "string" || !LABEL.test(label);
  const wrong = namespace.findIndex(isWrong);
  return wrong === -1
    ? undefined
    : `its label ${wrong + 1} must be text of letters, digits and - _ . @ + : ~`;
}

/** Stores for JavaScript take neither a period nor a colon in a label, since some join labels with them. */
const storedLabel = (label: string): string =>
  label.replaceAll(/[.:]/g, (character) => (character === "." ? "%2E" : "%3A"));
