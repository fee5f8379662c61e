/**
 * Device files of the sandbox's own, for a host whose user owns those of the machine: bubblewrap shows the host's, and
 * a command, which is that user, could change their mode and times for everybody. These belong to another user, who is
 * nobody inside, so they can be read and written and nothing else. Mounting the host's read-only is no way: bubblewrap
 * then makes them unusable.
 */
import { execFile } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DeerflowError, reasonOf } from "../../base/errors.js";
import { findExecutable } from "../../base/find-executable.js";
import { ownedFolder, ownedPrefix, sweepAbandoned } from "../owned-names.js";
import type { Option } from "./bubblewrap-arguments.js";

/** What `bwrap --dev` shows of the host, by the numbers that Linux gives them (Documentation/admin-guide/devices.txt). */
const DEVICES: Readonly<Record<string, readonly [number, number]>> = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
  tty: [5, 0],
};

const MARK = "devices-";
/** How the paths of this process's begin, where they are made by default. */
export const DEVICE_FILES = join(realpathSync(tmpdir()), `${ownedPrefix()}${MARK}`);

/** Nobody, on most machines; any user would do but the host's own. */
const OWNER = 65_534;
const run = promisify(execFile);

export interface DeviceFilesOptions {
  /** Host user of the commands; this process's own when absent. */
  readonly identity?: { readonly uid: number } | undefined;
  /** Where they are made: the first folder in which devices work. */
  readonly folders?: readonly string[];
}

export class DeviceFiles {
  readonly #user: number | undefined;
  readonly #folders: readonly string[];
  #made: Promise<string> | undefined;

  constructor({ identity, folders }: DeviceFilesOptions = {}) {
    this.#user = identity?.uid ?? process.getuid?.();
    // Devices do not work in every temporary folder.
    this.#folders = folders ?? [tmpdir(), "/dev"];
  }

  /**
   * What puts them over the host's; nothing where the host's belong to another user anyhow.
   * @throws DeerflowError `sandbox_failed` when they are needed and cannot be made
   */
  async options(): Promise<readonly Option[]> {
    const names = Object.keys(DEVICES);
    if (!names.some((name) => this.#isOwn(join("/dev", name)))) return [];
    const folder = await this.#folder();
    return names.map((name) => ["--dev-bind", join(folder, name), `/dev/${name}`]);
  }

  async close(): Promise<void> {
    const folder = await this.#made?.catch(() => undefined);
    this.#made = undefined;
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }

  #isOwn(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.uid === this.#user;
  }

  async #folder(): Promise<string> {
    const made = await (this.#made ??= this.#make());
    // What cleans the temporary folder may have taken them.
    if (Object.keys(DEVICES).every((name) => existsSync(join(made, name)))) return made;
    this.#made = this.#make();
    return this.#made;
  }

  async #make(): Promise<string> {
    let reason = "there is no place for them";
    for (const place of this.#folders) {
      try {
        sweepAbandoned(MARK, place);
        return await madeIn(place);
      } catch (error) {
        reason = reasonOf(error);
      }
    }
    this.#made = undefined;
    throw new DeerflowError("sandbox_failed", {
      provider: "bubblewrap",
      reason: `as root it needs device files of its own, which cannot be made (${reason}); run DeerFlow as an ordinary user`,
    });
  }
}

async function madeIn(place: string): Promise<string> {
  const folder = realpathSync(ownedFolder(MARK, place));
  try {
    const mknod = findExecutable("mknod", process.env["PATH"]) ?? "/usr/bin/mknod";
    for (const [name, numbers] of Object.entries(DEVICES)) {
      await run(mknod, ["-m", "666", join(folder, name), "c", ...numbers.map(String)]);
    }
    for (const name of readdirSync(folder)) chownSync(join(folder, name), OWNER, OWNER);
    // Refused where the file system has no devices.
    closeSync(openSync(join(folder, "null"), "r+"));
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
