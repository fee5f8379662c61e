/**
 * Real pipes for what programs print, on Linux. What Node gives a child is a socket, and a program cannot open
 * `/dev/stdout` or `/dev/stderr` when they are sockets.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findExecutable } from "../base/find-executable.js";
import { ownedFolder, ownedPrefix, sweepAbandoned } from "./owned-names.js";

/** Descriptors of both ends. Whoever took it closes both. */
export interface OutputPipe {
  readonly reader: number;
  readonly writer: number;
}

const MARK = "pipes-";
/** How the former names of pipes begin, which a program can find out. */
export const PIPES_FOLDER = join(realpathSync(tmpdir()), `${ownedPrefix()}${MARK}`);

/** Made at once, because one process can make many. */
const BATCH = 16;
/** Whoever has one of the descriptors may open it again; the folder of their names is closed to others, and gone soon. */
const MODE = "666";
const run = promisify(execFile);

export class OutputPipes {
  readonly #mkfifo: string;
  #ready: number[] = [];
  #swept = false;
  #making: Promise<void> | undefined;

  constructor(searchPath: string | undefined = process.env["PATH"]) {
    this.#mkfifo = findExecutable("mkfifo", searchPath) ?? "/usr/bin/mkfifo";
  }

  /** A pipe that nothing was ever written to. @throws Error when none can be made */
  async take(): Promise<OutputPipe> {
    for (;;) {
      const next = this.#ready.pop();
      if (next !== undefined) return opened(next);
      await (this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      }));
    }
  }

  /** Lets go of those that nobody took. */
  close(): void {
    for (const reader of this.#ready) closeSync(reader);
    this.#ready = [];
  }

  async #make(): Promise<void> {
    if (!this.#swept) sweepAbandoned(MARK);
    this.#swept = true;
    const folder = ownedFolder(MARK);
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    try {
      await run(this.#mkfifo, ["-m", MODE, ...paths]);
      for (const path of paths) {
        // Without O_NONBLOCK it would wait for a writer.
        this.#ready.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function opened(reader: number): OutputPipe {
  try {
    // The name is gone; the kernel opens the same pipe anew.
    return { reader, writer: openSync(`/proc/self/fd/${reader}`, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
