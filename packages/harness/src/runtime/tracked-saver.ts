/** A checkpointer for one run: it notes the run in every checkpoint, and can say when all is stored. */
import type { BaseCheckpointSaver, CheckpointMetadata } from "@langchain/langgraph-checkpoint";

export interface TrackedSaver {
  /** To be given to the graph. */
  readonly saver: BaseCheckpointSaver;
  /** Resolves when no write is under way any more, whether the writes succeeded or not. */
  settled(): Promise<void>;
}

const WRITES: ReadonlySet<PropertyKey> = new Set(["put", "putWrites"]);

/** The checkpoints of the run's own steps; the graph takes a run for resumed when the newest one names it. */
const STEPS: ReadonlySet<string> = new Set(["input", "loop"]);

/**
 * A stopped graph lets go of its caller at once, while its last checkpoint may still be on its way to the disk;
 * who then builds on the newest checkpoint would build on the one before. So the worker waits here first.
 * @param run what the metadata of the run's checkpoints say besides, such as its id
 */
export function trackSaver(saver: BaseCheckpointSaver, run: Readonly<Record<string, string>>): TrackedSaver {
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(write: Promise<T>): Promise<T> => {
    const over: Promise<unknown> = write.then(
      () => underWay.delete(over),
      () => underWay.delete(over),
    );
    underWay.add(over);
    return write;
  };
  const tracked = new Proxy(saver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name === "put") return (...given: Put) => track(saver.put(...noted(given, run)));
      const method = value.bind(target); // the saver's private fields live on the saver, not on the proxy
      return WRITES.has(name) ? (...given: unknown[]) => track(method(...given)) : method;
    },
  });
  return {
    saver: tracked,
    async settled() {
      do {
        await Promise.all(underWay);
        // The graph hands over a checkpoint when the one before is stored: it may do so only now.
        await new Promise((nextTurn) => setImmediate(nextTurn));
      } while (underWay.size > 0);
    },
  };
}

type Put = Parameters<BaseCheckpointSaver["put"]>;

const noted = ([config, checkpoint, metadata, ...more]: Put, run: Readonly<Record<string, string>>): Put => [
  config,
  checkpoint,
  STEPS.has(metadata.source) ? ({ ...metadata, ...run } as CheckpointMetadata) : metadata, // it may have more keys
  ...more,
];
