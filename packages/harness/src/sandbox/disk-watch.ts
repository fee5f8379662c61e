/** Keeps a command from filling the disks behind its writable mounts. */
import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { DeerflowError } from "../base/errors.js";
import type { SandboxMount } from "./contract.js";

/** What is free of a file system, as statfs(2) has it. `files` is 0 where it does not count them. */
export interface DiskSpace {
  readonly bsize: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

export interface DiskWatchOptions {
  readonly freeMebibytes: number;
  /** By host path; the system's own by default. */
  look?(path: string): Promise<DiskSpace>;
  /** Calls again and again until the returned function is called; an interval by default. */
  every?(milliseconds: number, call: () => void): () => void;
}

const LOOK_MILLISECONDS = 250;
/** A file system without room for another file is as full as one without room for its content. */
const FREE_FILES = 0.02;
const MEBIBYTE = 1024 * 1024;

/** What is said to the model about a command that was ended for the disk. */
export const DISK_NOTICE =
  "It was ended because the disk is almost full; remove what it wrote and is not needed.";

/** How full a disk is: what is missing to what must stay free. Pure. */
export function shortOf(space: DiskSpace, freeMebibytes: number): string | undefined {
  const free = Math.floor((space.bavail * space.bsize) / MEBIBYTE);
  if (free < freeMebibytes) return `it has ${free} MiB left, and ${freeMebibytes} MiB must stay free`;
  if (space.files === 0 || space.ffree >= space.files * FREE_FILES) return undefined;
  return `it has room for ${space.ffree} more files, and for ${Math.ceil(space.files * FREE_FILES)} there must be`;
}

export class DiskWatch {
  readonly #freeMebibytes: number;
  readonly #look: (path: string) => Promise<DiskSpace>;
  readonly #every: (milliseconds: number, call: () => void) => () => void;

  constructor({ freeMebibytes, look = statfs, every = interval }: DiskWatchOptions) {
    this.#freeMebibytes = freeMebibytes;
    this.#look = look;
    this.#every = every;
  }

  /** @throws DeerflowError `disk_full` when a disk behind a writable mount is too full to begin */
  async check(mounts: readonly SandboxMount[]): Promise<void> {
    const full = await this.#full(writable(mounts));
    if (full !== undefined) throw new DeerflowError("disk_full", full);
  }

  /** Looks until the returned function is called. `onFull` is called once at most. */
  watch(mounts: readonly SandboxMount[], onFull: () => void): () => void {
    const disks = writable(mounts);
    let isOver = false;
    let isLooking = false;
    const stop = this.#every(LOOK_MILLISECONDS, () => void look());
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      const full = await this.#full(disks);
      isLooking = false;
      if (full === undefined || isOver) return;
      end();
      onFull();
    };
    const end = () => {
      isOver = true;
      stop();
    };
    return end;
  }

  async #full(
    mounts: readonly SandboxMount[],
  ): Promise<{ readonly path: string; readonly reason: string } | undefined> {
    const looks = mounts.map(async ({ virtualPath, hostPath }) => {
      // Gone, or of a kind that cannot be looked at: bubblewrap says so, if it matters.
      const space = await this.#look(hostPath).catch(() => undefined);
      const reason = space && shortOf(space, this.#freeMebibytes);
      return reason === undefined ? undefined : { path: virtualPath, reason };
    });
    return (await Promise.all(looks)).find((full) => full !== undefined);
  }
}

/** One mount a file system. */
function writable(mounts: readonly SandboxMount[]): readonly SandboxMount[] {
  const byDevice = new Map<number | string, SandboxMount>();
  for (const mount of mounts.filter(({ mode }) => mode === "read-write")) {
    const device = statSync(mount.hostPath, { throwIfNoEntry: false })?.dev ?? mount.hostPath;
    if (!byDevice.has(device)) byDevice.set(device, mount);
  }
  return [...byDevice.values()];
}

function interval(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  return () => clearInterval(timer);
}
