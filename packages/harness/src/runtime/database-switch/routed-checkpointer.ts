/** LangGraph's checkpointer over whichever database holds the thread of a call. */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { Principal } from "../../context/principal.js";
import type { RunFence } from "../../persistence/checkpoint/checkpoint-rows.js";
import type { UpkeepSaver } from "../../persistence/upkeep/upkeep-saver.js";
import { storedBytes } from "../quota/thread-usage.js";
import { findMediaFile, type MediaFile } from "../stored-media.js";
import type { DatabaseSide } from "./contract.js";
import type { ThreadRouter } from "./thread-router.js";

export class RoutedCheckpointer extends BaseCheckpointSaver implements UpkeepSaver {
  readonly #router: ThreadRouter;
  readonly #principal: Principal;
  readonly #fence: RunFence | undefined;
  readonly #savers = new WeakMap<DatabaseSide, BaseCheckpointSaver>();

  constructor(router: ThreadRouter, principal: Principal, fence?: RunFence) {
    super(router.current.persistence.checkpointer(principal).serde);
    this.#router = router;
    this.#principal = principal;
    this.#fence = fence;
  }

  /** Of the database in use: upkeep leaves the one that is being left alone. */
  get storage(): UpkeepSaver["storage"] {
    // Our savers without a fence are all ready for upkeep.
    const saver = this.#router.current.persistence.checkpointer(this.#principal) as BaseCheckpointSaver &
      UpkeepSaver;
    return saver.storage;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#router.use(this.#threadOf(config), "read", (side) => this.#on(side).getTuple(config));
  }

  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#router.iterate(this.#threadOf(config), (side) => this.#on(side).list(config, options));
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    // Copied now: it may have to wait, and the caller may go on changing its checkpoint.
    const copy = copyCheckpoint(checkpoint);
    return this.#router.use(this.#threadOf(config), "write", (side) =>
      this.#on(side).put(config, copy, metadata, newVersions),
    );
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    const copy = [...writes];
    return this.#router.use(this.#threadOf(config), "write", (side) =>
      this.#on(side).putWrites(config, copy, taskId, taskPath),
    );
  }

  override deleteThread(threadId: string): Promise<void> {
    const thread = { principal: this.#principal, threadId };
    return this.#router.use(thread, "write", (side) => this.#on(side).deleteThread(threadId));
  }

  override getDeltaChannelHistory(
    options: Parameters<BaseCheckpointSaver["getDeltaChannelHistory"]>[0],
  ): ReturnType<BaseCheckpointSaver["getDeltaChannelHistory"]> {
    return this.#router.use(this.#threadOf(options.config), "read", (side) =>
      this.#on(side).getDeltaChannelHistory(options),
    );
  }

  override getNextVersion(current: number | undefined): number {
    return this.#on(this.#router.current).getNextVersion(current);
  }

  /** One media block of a thread. @param hash of its base64 text, in hexadecimal */
  findMedia(threadId: string, hash: string): Promise<MediaFile | undefined> {
    const thread = { principal: this.#principal, threadId };
    return this.#router.use(thread, "read", (side) => findMediaFile(this.#on(side), threadId, hash));
  }

  /** Bytes of everything that is stored of a thread. */
  threadBytes(threadId: string): Promise<number> {
    const thread = { principal: this.#principal, threadId };
    return this.#router.use(thread, "read", (side) => storedBytes(this.#on(side), threadId));
  }

  #on(side: DatabaseSide): BaseCheckpointSaver {
    const known = this.#savers.get(side) ?? side.persistence.checkpointer(this.#principal, this.#fence);
    this.#savers.set(side, known);
    return known;
  }

  /** A call that names no thread concerns all: it goes where new ones are. */
  #threadOf({ configurable }: RunnableConfig) {
    return { principal: this.#principal, threadId: String(configurable?.["thread_id"] ?? "") };
  }
}
