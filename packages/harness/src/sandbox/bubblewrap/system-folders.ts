/**
 * The sandbox's `/etc`: a copy of the few parts of the host's that programs need, and files of its own. A copy,
 * because one mount costs a fraction of the dozen that would show the parts themselves, and because it can leave out
 * what not everybody may read: inside a sandbox of a root host, that would be readable.
 */
import { existsSync, realpathSync } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Clock, systemClock } from "../../base/clock.js";
import { ownedPrefix, sweepAbandoned } from "../owned-names.js";

/** Below `/etc`. None is there for its secrets, and none names this machine's users or network. */
const SYSTEM_PARTS = [
  "alternatives",
  "ca-certificates",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "ssl/certs",
  "ssl/openssl.cnf",
] as const;

/** User and group of a sandbox's processes, as they see themselves. */
export const USER_INSIDE = "1000";

/** Files made for the sandbox, so that it does not learn the host's users and names. */
const OWN_FILES: Readonly<Record<string, (home: string) => string>> = {
  passwd: (home) => `deerflow:x:${USER_INSIDE}:${USER_INSIDE}:DeerFlow:${home}:/bin/bash\n`,
  group: () => `deerflow:x:${USER_INSIDE}:\n`,
  hosts: () => "127.0.0.1 localhost\n::1 localhost\n",
  // Something to mount the host's over, where commands reach the network.
  "resolv.conf": () => "",
};

/** The host's may have changed by then, and what cleans the temporary folder takes nothing that is so young. */
const FRESH_MILLISECONDS = 3_600_000;

/** How the paths of this process's copies begin, where they are made by default. */
export const SYSTEM_FOLDERS = join(realpathSync(tmpdir()), `${ownedPrefix()}etc-`);

interface Made {
  readonly path: string;
  readonly at: number;
}

export interface SystemFoldersOptions {
  /** The host's `/etc`. */
  readonly source?: string;
  /** Where the copies are made. */
  readonly target?: string;
  readonly clock?: Clock;
}

export class SystemFolders {
  readonly #source: string;
  readonly #target: string;
  readonly #clock: Clock;
  /** By home, oldest first; the last but one may still be shown to a running command. */
  readonly #made = new Map<string, readonly Made[]>();
  readonly #making = new Map<string, Promise<Made>>();
  #swept = false;

  constructor({ source = "/etc", target = tmpdir(), clock = systemClock }: SystemFoldersOptions = {}) {
    this.#source = source;
    this.#target = target;
    this.#clock = clock;
  }

  /** The host folder to show at `/etc`, for the user's home folder inside. */
  async folderFor(home: string): Promise<string> {
    const last = this.#made.get(home)?.at(-1);
    const isFresh = last !== undefined && this.#clock.now() - last.at < FRESH_MILLISECONDS;
    if (isFresh && existsSync(join(last.path, "passwd"))) return last.path;
    const running = this.#making.get(home);
    if (running !== undefined) return (await running).path;
    const making = this.#renew(home).finally(() => this.#making.delete(home));
    this.#making.set(home, making);
    return (await making).path;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#making.values());
    const made = [...this.#made.values()].flat();
    this.#made.clear();
    await Promise.all(made.map(({ path }) => remove(path)));
  }

  async #renew(home: string): Promise<Made> {
    if (!this.#swept) sweepAbandoned(MARK, this.#target);
    this.#swept = true;
    const next = { path: await this.#make(home), at: this.#clock.now() };
    const made = this.#made.get(home) ?? [];
    this.#made.set(home, [...made.slice(-1), next]);
    await Promise.all(made.slice(0, -1).map(({ path }) => remove(path)));
    return next;
  }

  async #make(home: string): Promise<string> {
    const path = await mkdtemp(join(this.#target, `${ownedPrefix()}${MARK}`));
    await Promise.all(SYSTEM_PARTS.map((part) => this.#copyPart(part, path)));
    await Promise.all(
      Object.entries(OWN_FILES).map(([name, content]) => writeFile(join(path, name), content(home))),
    );
    await chmod(path, 0o755);
    return path;
  }

  async #copyPart(part: string, path: string): Promise<void> {
    const from = join(this.#source, part);
    if (!existsSync(from)) return;
    await mkdir(dirname(join(path, part)), { recursive: true });
    await copyPublic(await realpath(from), join(path, part), this.#source);
  }
}

const MARK = "etc-";

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // Another user's: it is not ours to remove.
  }
}

const READABLE_BY_ALL = 0o004;

/** Copies files, folders and links that everybody may read. */
async function copyPublic(from: string, to: string, source: string): Promise<void> {
  const entry = await lstat(from);
  if (entry.isSymbolicLink()) return copyLink(from, to, source);
  if ((entry.mode & READABLE_BY_ALL) === 0) return;
  if (entry.isFile()) {
    await copyFile(from, to);
    await chmod(to, 0o644);
  }
  if (!entry.isDirectory()) return;
  await mkdir(to, { recursive: true });
  const names = await readdir(from);
  await Promise.all(names.map((name) => copyPublic(join(from, name), join(to, name), source)));
}

/** A link to a neighbour or out of `/etc` stays one; what it names elsewhere in `/etc` would not be there inside. */
async function copyLink(from: string, to: string, source: string): Promise<void> {
  const target = await readlink(from);
  if (!target.includes("/")) return symlink(target, to);
  // Undefined where it leads nowhere.
  const real = await realpath(from).catch(() => undefined);
  if (real === undefined) return;
  if (!real.startsWith(`${source}/`)) return symlink(real, to);
  if ((await lstat(real)).isFile()) await copyPublic(real, to, source);
}
