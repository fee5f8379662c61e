/** The view of a saver that one run has. */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import type { RunFence } from "./checkpoint-rows.js";
import type { InterningCheckpointSaver } from "./interning-checkpoint-saver.js";

/**
 * Once another process has taken the run over, `put` and `putWrites` throw `run_superseded` and change nothing. The
 * run's row must lie in the database of the checkpoints.
 */
export class FencedCheckpointSaver extends BaseCheckpointSaver {
  readonly #saver: InterningCheckpointSaver;
  readonly #fence: RunFence;

  constructor(saver: InterningCheckpointSaver, fence: RunFence) {
    super(saver.serde);
    this.#saver = saver;
    this.#fence = fence;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#saver.getTuple(config);
  }

  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#saver.list(config, options);
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#saver.storeCheckpoint({ config, checkpoint, metadata, newVersions, fence: this.#fence });
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    return this.#saver.storeWrites({ config, writes, taskId, taskPath, fence: this.#fence });
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#saver.deleteThread(threadId);
  }
}
