/**
 * What a process that starts must know of a switch: which database holds what, when the last one was killed in the
 * middle of it, or when it ended and the configuration still names the old database.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { makeFolder } from "../../base/make-folder.js";
import { databaseSwitchFolder } from "../../context/home-paths.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import type { ThreadKey } from "./contract.js";
import { keyOf } from "./pending-threads.js";

export interface SwitchRecord {
  readonly version: 1;
  /** Of this switch; its moves are noted under it. */
  readonly id: string;
  readonly phase: "draining" | "done";
  /** The name of the place that the configuration held when it was switched. */
  readonly configured: string;
  readonly from: DatabaseLocation;
  /** With its credentials: without them the next start could not open it. */
  readonly to: DatabaseLocation;
  readonly copy: boolean;
  readonly startedAt: number;
  /** What the old one held when new runs began to go to the new one. */
  readonly threads: readonly ThreadKey[];
}

const OWNER_ONLY = 0o600;

/** The files of one installation. */
export class SwitchRecords {
  readonly folder: string;

  constructor(home: string) {
    this.folder = databaseSwitchFolder(home);
  }

  /** Held by the process that moves threads. */
  get lockFile(): string {
    return join(this.folder, "lock");
  }

  /** @throws DeerflowError `database_switch_unreadable` */
  read(): SwitchRecord | undefined {
    if (!existsSync(this.#record)) return undefined;
    try {
      // Written by this program alone; another version would be another number.
      const record = JSON.parse(readFileSync(this.#record, "utf8")) as SwitchRecord;
      if (record.version !== 1) throw new Error(`its version is ${String(record.version)}`);
      return record;
    } catch (error) {
      const details = { path: this.#record, reason: reasonOf(error) };
      throw new DeerflowError("database_switch_unreadable", details, error);
    }
  }

  /** Durable when it returns. */
  write(record: SwitchRecord): void {
    makeFolder(this.folder);
    const draft = `${this.#record}.draft`;
    writeDurably(draft, "w", JSON.stringify(record));
    renameSync(draft, this.#record);
    syncFolder(this.folder);
    if (record.phase === "done") this.#removeMoves();
  }

  /** Keys of the threads that the new database holds for good. */
  moved({ id }: SwitchRecord): Set<string> {
    const path = this.#moves(id);
    if (!existsSync(path)) return new Set();
    const lines = readFileSync(path, "utf8").split("\n");
    // Behind the last end of a line is what a killed process did not finish.
    return new Set(lines.slice(0, -1).filter((line) => line !== ""));
  }

  /** Durable when it returns. */
  noteMoved({ id }: SwitchRecord, thread: ThreadKey): void {
    // The end of a line before it too: the last one may have been cut off.
    writeDurably(this.#moves(id), "a", `\n${keyOf(thread)}\n`);
  }

  /** Puts back what was there before a write that failed. */
  restore(before: SwitchRecord | undefined): void {
    if (before === undefined) rmSync(this.#record, { force: true });
    else writeFileSync(this.#record, JSON.stringify(before), { mode: OWNER_ONLY });
  }

  makeFolder(): void {
    makeFolder(this.folder);
  }

  remove(): void {
    rmSync(this.#record, { force: true });
    this.#removeMoves();
  }

  get #record(): string {
    return join(this.folder, "record.json");
  }

  #moves(id: string): string {
    return join(this.folder, `moved-${id}.log`);
  }

  #removeMoves(): void {
    if (!existsSync(this.folder)) return;
    for (const name of readdirSync(this.folder)) {
      if (/^moved-.*\.log$/.test(name)) rmSync(join(this.folder, name), { force: true });
    }
  }
}

function writeDurably(path: string, flag: "w" | "a", text: string): void {
  const file = openSync(path, flag, OWNER_ONLY);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** So that a new name in it outlives a power cut. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
