import { type Clock, systemClock } from "../base/clock.js";
import { DeerflowError } from "../base/errors.js";
import { sha256 } from "../base/hash.js";
import { shownPath } from "../base/virtual-path.js";
import { currentTask, type GraphTask } from "../langgraph/private-keys.js";
import type { FileBackend, FileContent, FileEntry, ListNotes, Version, WriteOptions } from "./contract.js";
import { fileDataOf, revisionOf } from "./file-data.js";
import { FILES_FIELD } from "./files-channel.js";
import { type StepFiles, stepFilesOf } from "./key-value-step.js";
import { assertWritable, keysToRemove, listFlat, readFlat, statFlat } from "./key-value-tree.js";

export interface StateBackendOptions {
  readonly clock?: Clock;
}

/**
 * A {@link FileBackend} over the field `files` of a graph's state, which needs {@link filesChannel} in its schema.
 * It works wherever the graph runs code: tools, hooks, nodes; whose thread it is, it learns there. A change is seen at
 * once by the task that made it and by the tasks beside it, and is stored with the step. Of two parallel calls that
 * change one file, both are applied, or one is refused with `file_changed`.
 *
 * All verbs throw DeerflowError `graph_state_missing` outside of a running graph and `graph_field_missing` in one
 * without the field.
 *
 * LangGraph takes a task that wrote something and then failed for finished, so do not throw after a change.
 */
export class StateBackend implements FileBackend {
  readonly usesGraphState = true;
  readonly #clock: Clock;

  constructor(options: StateBackendOptions = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Names the thread whose files these are; without a thread the step. Outside of a graph there are no files. */
  get id(): string {
    const task = currentTask();
    if (task === undefined) return "state";
    return `state:${task.threadId ?? task.checkpointId}:${task.namespace}`;
  }

  async list(path: string, notes?: ListNotes): Promise<readonly FileEntry[]> {
    return listFlat((await open()).files, path, notes);
  }

  async stat(path: string): Promise<FileEntry | undefined> {
    return statFlat((await open()).files, path);
  }

  async read(path: string): Promise<FileContent | undefined> {
    return readFlat((await open()).files, path);
  }

  async write(path: string, content: Uint8Array, options: WriteOptions = {}): Promise<Version> {
    const { task, files } = await openToChange();
    assertWritable(files, path, options.expectedVersion);
    if (files.isRemovedByAnother(task.id, path)) throw changedMeanwhile(path);
    const replaces = files.get(path);
    const revision = (revisionOf(replaces) ?? 0) + 1;
    const file = fileDataOf(content, { now: this.#clock.now(), replaces, revision });
    task.write(FILES_FIELD, { [path]: file });
    files.write(task.id, path, file);
    return sha256(content);
  }

  async remove(path: string): Promise<boolean> {
    const { task, files } = await openToChange();
    const keys = keysToRemove(files, path);
    if (keys.length === 0) return false;
    if (files.isWrittenByAnother(task.id, path)) throw changedMeanwhile(path);
    task.write(FILES_FIELD, Object.fromEntries(keys.map((key) => [key, null])));
    files.remove(task.id, path, keys);
    return true;
  }
}

/** A run that was stopped changes nothing more: its writes would go nowhere, or pass for those of a finished task. */
async function openToChange(): ReturnType<typeof open> {
  const opened = await open();
  opened.task.throwIfStopped();
  return opened;
}

async function open(): Promise<{ readonly task: GraphTask; readonly files: StepFiles }> {
  const task = currentTask();
  if (task === undefined) throw new DeerflowError("graph_state_missing");
  const files = await stepFilesOf(task, FILES_FIELD, fieldOf(task.read(FILES_FIELD)));
  if (task.mayRepeat) files.forgetLost(task.id, fieldOf(task.readOwn(FILES_FIELD)));
  return { task, files };
}

function fieldOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  throw new DeerflowError("graph_field_missing", { field: FILES_FIELD });
}

const changedMeanwhile = (path: string): DeerflowError =>
  new DeerflowError("file_changed", { path: shownPath(path) });
