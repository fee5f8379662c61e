/** Folders of the control group file system: made with their limits, entered by a program, taken away again. */
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killProcess } from "../kill-tree.js";
import { isAbandoned, ownedPrefix } from "../owned-names.js";
import type { Program } from "./contract.js";

/** A file of a group and what is written into it; one that is not there is passed over when it `mayMiss`. */
export interface Setting {
  readonly file: string;
  readonly value: string;
  readonly mayMiss?: boolean;
}

const REMOVE_MILLISECONDS = 5;
const REMOVE_TRIES = 200;

let made = 0;
/** A name that no other group has, and that tells whose it is. */
export function groupName(): string {
  made += 1;
  return `${ownedPrefix()}${made}`;
}

/** How a group's folder is taken away; the kernel takes its files with it, an imitation in a test does not. */
export type RemoveFolder = (path: string) => void;

export class ControlFolder {
  readonly #path: string;
  readonly #remove: RemoveFolder;
  readonly #entrance: number;
  #isOpen = true;

  /**
   * @param entrance the file that a process writes itself into
   * @throws the system's error; nothing is left then
   */
  constructor(
    path: string,
    entrance: string,
    settings: readonly Setting[],
    remove: RemoveFolder = rmdirSync,
  ) {
    this.#path = path;
    this.#remove = remove;
    mkdirSync(path);
    try {
      for (const { file, value, mayMiss } of settings) {
        if (mayMiss === true && !existsSync(join(path, file))) continue;
        writeFileSync(join(path, file), value);
      }
      // Opened here, for the rights of whoever opens it count, and the program may run under another user.
      this.#entrance = openSync(join(path, entrance), constants.O_WRONLY | constants.O_CREAT);
    } catch (error) {
      remove(path);
      throw error;
    }
  }

  get entrance(): number {
    return this.#entrance;
  }

  /** The number behind `name` in a file of lines `name number`; 0 when it is not there. */
  count(file: string, name: string): number {
    return Number(countLine(this.#read(file), name));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#entrance);
    for (let tries = REMOVE_TRIES; tries > 0; tries -= 1) {
      if (this.#removed()) return;
      // Busy: processes are on their way out, or one escaped the end of its command.
      this.#members().forEach(killQuietly);
      await sleep(REMOVE_MILLISECONDS);
    }
  }

  #removed(): boolean {
    try {
      this.#remove(this.#path);
      return true;
    } catch {
      return !existsSync(this.#path);
    }
  }

  #members(): readonly number[] {
    return this.#read("cgroup.procs")
      .split("\n")
      .filter(Boolean)
      .map(Number)
      .filter((pid) => pid > 0);
  }

  #read(file: string): string {
    try {
      return readFileSync(join(this.#path, file), "utf8");
    } catch {
      return "";
    }
  }
}

function killQuietly(pid: number): void {
  try {
    killProcess(pid);
  } catch {
    // Not ours to end: the folder stays, and the next process of this machine that may takes it away.
  }
}

const countLine = (text: string, name: string): string =>
  text
    .split("\n")
    .map((line) => line.split(" "))
    .find(([first]) => first === name)?.[1] ?? "0";

/** Takes away the groups in `base` whose owners have ended; one with processes in it stays. */
export function sweepGroups(base: string, remove: RemoveFolder = rmdirSync): void {
  for (const name of readdirSync(base).filter(isAbandoned)) {
    try {
      remove(join(base, name));
    } catch {
      // Still in use, or not ours.
    }
  }
}

/** How a shell that starts a program begins its complaints, so that they are told from the program's. */
const SPEAKER = "sandbox";

/** A shell that writes itself into the groups behind the descriptors, and becomes the program. */
export function entering({ file, arguments: rest }: Program, numbers: readonly number[]): Program {
  if (numbers.some((number) => number > 9)) throw new Error("a shell knows descriptors of one digit only");
  const enter = numbers.map((number) => `echo 0 >&${number}`).join(" && ");
  const close = numbers.map((number) => `${number}>&-`).join(" ");
  return { file: "/bin/sh", arguments: ["-c", `${enter} && exec "$@" ${close}`, SPEAKER, file, ...rest] };
}
