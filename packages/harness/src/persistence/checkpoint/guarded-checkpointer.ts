/** A checkpoint saver that asks before each write whether it may. */
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

/**
 * For a condition that the database of the checkpoints cannot see: what changes between the question and the write
 * is not noticed by that write, and by every later one.
 */
export class GuardedCheckpointer extends BaseCheckpointSaver {
  readonly #saver: BaseCheckpointSaver;
  readonly #guard: () => Promise<void>;
  #asking: Promise<void> | undefined;

  /** @param guard - throws to refuse the write */
  constructor(saver: BaseCheckpointSaver, guard: () => Promise<void>) {
    super(saver.serde);
    this.#saver = saver;
    this.#guard = guard;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#saver.getTuple(config);
  }

  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#saver.list(config, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    // Copied now: the caller may go on changing its checkpoint.
    const copy = copyCheckpoint(checkpoint);
    await this.#allowed();
    return this.#saver.put(config, copy, metadata, newVersions);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    const copy = [...writes];
    await this.#allowed();
    return this.#saver.putWrites(config, copy, taskId, taskPath);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#allowed();
    return this.#saver.deleteThread(threadId);
  }

  override getDeltaChannelHistory(
    options: Parameters<BaseCheckpointSaver["getDeltaChannelHistory"]>[0],
  ): ReturnType<BaseCheckpointSaver["getDeltaChannelHistory"]> {
    return this.#saver.getDeltaChannelHistory(options);
  }

  override getNextVersion(current: number | undefined): number {
    return this.#saver.getNextVersion(current);
  }

  /** Writes that come while a question is open share its answer, so that their order stays. */
  #allowed(): Promise<void> {
    this.#asking ??= this.#guard().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
}
