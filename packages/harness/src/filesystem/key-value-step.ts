/**
 * What the tasks of one step of a graph have done to the files. LangGraph shows a task only its own writes, but parallel
 * tool calls are a task each: here they see each other, so that of two changes of one file neither is lost.
 */
import { isWithin } from "../base/virtual-path.js";
import type { GraphTask, StoredWrite } from "../langgraph/private-keys.js";
import type { FileData } from "./file-data.js";
import { type FilesUpdate, newerFile } from "./files-channel.js";
import type { FlatFiles } from "./key-value-tree.js";

interface Change {
  readonly task: string;
  /** Undefined when the task removed the file. */
  readonly file: unknown;
}

/** The files of a step as all its tasks together have made them so far. Nothing in here waits, so every change is atomic. */
export class StepFiles implements FlatFiles {
  readonly base: Readonly<Record<string, unknown>>;
  /** Oldest first; the last one counts. */
  readonly #changes = new Map<string, readonly Change[]>();
  #removals: readonly { readonly task: string; readonly path: string }[] = [];

  constructor(base: Readonly<Record<string, unknown>>) {
    this.base = base;
  }

  get(path: string): unknown {
    const last = this.#changes.get(path)?.at(-1);
    if (last !== undefined) return last.file;
    return Object.hasOwn(this.base, path) ? (this.base[path] ?? undefined) : undefined;
  }

  *keys(): Iterable<string> {
    for (const key of new Set([...Object.keys(this.base), ...this.#changes.keys()])) {
      if (this.get(key) !== undefined) yield key;
    }
  }

  write(task: string, path: string, file: unknown): void {
    this.#add(path, { task, file });
  }

  remove(task: string, path: string, keys: readonly string[]): void {
    this.#removals = [...this.#removals, { task, path }];
    for (const key of keys) this.#add(key, { task, file: undefined });
  }

  /** True when another task removed `path` or a folder above it: it may be applied before this one or after it. */
  isRemovedByAnother(task: string, path: string): boolean {
    return this.#removals.some((removal) => removal.task !== task && isWithin(path, removal.path));
  }

  /** True when another task wrote `path` or something below it. */
  isWrittenByAnother(task: string, path: string): boolean {
    return [...this.#changes].some(
      ([key, changes]) =>
        isWithin(key, path) && changes.some((change) => change.task !== task && change.file !== undefined),
    );
  }

  /**
   * Takes back what a task did when its writes are no longer there, for it is run a second time.
   * @param own the files with what the task has written
   */
  forgetLost(task: string, own: Readonly<Record<string, unknown>>): void {
    const isLost = [...this.#changes].some(([path, changes]) => {
      const mine = changes.findLast((change) => change.task === task);
      return mine !== undefined && (Object.hasOwn(own, path) ? own[path] : undefined) !== mine.file;
    });
    if (!isLost) return;
    this.#removals = this.#removals.filter((removal) => removal.task !== task);
    for (const [path, changes] of this.#changes) {
      const others = changes.filter((change) => change.task !== task);
      if (others.length > 0) this.#changes.set(path, others);
      else this.#changes.delete(path);
    }
  }

  /** Takes in what finished tasks had written before the run broke off. */
  addStored(writes: readonly StoredWrite[]): void {
    for (const { taskId, update } of writes) {
      // The cast is sound: the channel takes nothing but updates.
      for (const [path, file] of Object.entries((update ?? {}) as FilesUpdate))
        this.#addStored(taskId, path, file);
    }
  }

  #addStored(task: string, path: string, file: FileData | null): void {
    if (file === null) return this.remove(task, path, [path]);
    // The cast is sound for what the tree stores; of anything else only the revision is looked at.
    const current = this.get(path) as FileData | undefined;
    const change = { task, file: newerFile(current, file) };
    if (change.file !== current) this.#add(path, change);
    else this.#changes.set(path, [{ task, file }, ...(this.#changes.get(path) ?? [])]);
  }

  #add(path: string, change: Change): void {
    this.#changes.set(path, [...(this.#changes.get(path) ?? []), change]);
  }
}

// A step is held by its tasks, and goes with the last of them.
const HELD = new WeakMap<object, { readonly step: StepFiles; readonly ready: Promise<void> }>();
type Held = NonNullable<ReturnType<typeof HELD.get>>;
const STEPS = new Map<string, WeakRef<Held>>();
const GONE = new FinalizationRegistry<string>((checkpointId) => {
  if (STEPS.get(checkpointId)?.deref() === undefined) STEPS.delete(checkpointId);
});

/**
 * The files of the step that a task belongs to, the same object for all its tasks.
 * @param base the files as the step began
 */
export async function stepFilesOf(
  task: GraphTask,
  field: string,
  base: Readonly<Record<string, unknown>>,
): Promise<StepFiles> {
  const held = HELD.get(task.life) ?? STEPS.get(task.checkpointId)?.deref();
  // A run that takes up a broken step again reads its checkpoint anew; what the first try did is then no more.
  const current = held?.step.base === base ? held : openStep(task, field, base);
  HELD.set(task.life, current);
  await current.ready;
  return current.step;
}

function openStep(task: GraphTask, field: string, base: Readonly<Record<string, unknown>>): Held {
  const step = new StepFiles(base);
  const held: Held = { step, ready: task.readStored(field).then((writes) => step.addStored(writes)) };
  STEPS.set(task.checkpointId, new WeakRef(held));
  GONE.register(held, task.checkpointId);
  return held;
}
