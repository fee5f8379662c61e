/**
 * Keeps the folders of a thread the same on the host and in a remote sandbox: once before a command and once after
 * it. What is done is decided in `mirror-plan.ts`; this does it, within the caps.
 */
import { sha256 } from "../../base/hash.js";
import type { SandboxMount } from "../contract.js";
import { MirrorBudget, type MirrorCaps } from "./mirror-caps.js";
import { HostFiles, mountOf } from "./mirror-host.js";
import { type Action, type Entry, type Known, planSync, type Step, type Tree } from "./mirror-plan.js";
import { RemoteFiles } from "./mirror-remote.js";
import type { RemoteCalls } from "./remote-calls.js";

/** Bytes and files of one call; a larger file goes alone. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_FILES = 100;
/** Names in one notice. */
const NAMED = 5;

/** Uploaded, but how the sandbox stamped it is not known yet. */
interface Sent {
  readonly hostStamp: string;
  readonly hash: string;
  readonly size: number;
}

/** One mirroring under way. */
interface Pass {
  readonly host: Tree;
  readonly remote: Tree;
  readonly sending: MirrorBudget;
  readonly bringing: MirrorBudget;
  readonly sent: Map<string, Sent>;
  /** Why, and which paths. */
  readonly leftOut: Map<string, string[]>;
  readonly notices: string[];
}

export class Mirror {
  readonly #calls: RemoteCalls;
  readonly #mounts: readonly SandboxMount[];
  readonly #caps: MirrorCaps;
  readonly #host: HostFiles;
  readonly #remote: RemoteFiles;
  readonly #known = new Map<string, Known>();
  /** What was said already, so that a link is not told of after every command. */
  readonly #told = new Set<string>();

  /** @param mounts with links in their host paths resolved */
  constructor(calls: RemoteCalls, mounts: readonly SandboxMount[], caps: MirrorCaps) {
    this.#calls = calls;
    this.#mounts = mounts;
    this.#caps = caps;
    this.#host = new HostFiles(mounts);
    this.#remote = new RemoteFiles(calls, mounts);
  }

  /**
   * Carries what changed, both ways.
   * @returns whole sentences about what was left out or kept twice
   * @throws DeerflowError `sandbox_failed` when the sandbox does not answer
   */
  async sync(): Promise<readonly string[]> {
    const remote = await this.#remote.scan();
    const host = await this.#host.scan(this.#caps.entries);
    const pass: Pass = {
      host: host.side.tree,
      remote: remote.side.tree,
      sending: new MirrorBudget(this.#caps),
      bringing: new MirrorBudget(this.#caps),
      sent: new Map(),
      leftOut: new Map(),
      notices: [],
    };
    leaveOut(pass, "they are links or special files", [...host.passedOver, ...remote.passedOver]);
    if (host.side.seen === "cut" || remote.side.seen === "cut") {
      pass.notices.push("There are more files than are mirrored; removals were not carried over.");
    }
    const isWritable = (path: string) => mountOf(this.#mounts, path)?.mode === "read-write";
    await this.#do(planSync({ before: this.#known, host: host.side, remote: remote.side, isWritable }), pass);
    return [...pass.notices, ...this.#leftOutNotices(pass)];
  }

  #leftOutNotices({ leftOut }: Pass): readonly string[] {
    return [...leftOut].flatMap(([reason, paths]) => {
      const untold = paths.filter((path) => !this.#told.has(`${reason}\n${path}`));
      for (const path of untold) this.#told.add(`${reason}\n${path}`);
      return untold.length === 0 ? [] : [noticeOf(reason, untold)];
    });
  }

  async #do(steps: readonly Step[], pass: Pass): Promise<void> {
    const paths = (action: Action) => steps.flatMap((step) => (step.action === action ? [step.path] : []));
    for (const path of paths("forget")) this.#known.delete(path);
    for (const path of paths("record")) this.#known.set(path, { kind: "folder" });
    leaveOut(pass, "a file on one side is a folder on the other, and both changed", paths("clash"));
    await this.#removeOnHost(paths("remove-host"), pass);
    const removed = paths("remove-remote");
    await this.#remote.remove(removed);
    for (const path of removed) this.#known.delete(path);
    const made = paths("make-remote");
    await this.#remote.makeFolders(made);
    for (const path of made) this.#known.set(path, { kind: "folder" });
    for (const path of paths("make-host")) {
      if (await this.#host.makeFolder(path)) this.#known.set(path, { kind: "folder" });
    }
    await this.#resolve(paths("conflict"), pass);
    await this.#send(paths("upload"), pass);
    await this.#bring(paths("download"), pass);
    await this.#confirm(pass);
  }

  async #removeOnHost(paths: readonly string[], pass: Pass): Promise<void> {
    for (const path of paths) {
      const seen = pass.host.get(path);
      if (seen === undefined || (await this.#host.remove(path, seen))) this.#known.delete(path);
    }
  }

  async #send(paths: readonly string[], pass: Pass): Promise<void> {
    let batch: [string, Uint8Array][] = [];
    let bytes = 0;
    const flush = async () => {
      if (batch.length === 0) return;
      const taken = await this.#calls.upload(batch);
      leaveOut(
        pass,
        "the sandbox refused them",
        batch.flatMap(([path]) => (taken.has(path) ? [] : [path])),
      );
      for (const [path] of batch) if (!taken.has(path)) pass.sent.delete(path);
      batch = [];
      bytes = 0;
    };
    for (const path of paths) {
      const content = await this.#toSend(path, pass);
      if (content === undefined) continue;
      if (bytes + content.length > BATCH_BYTES || batch.length >= BATCH_FILES) await flush();
      batch.push([path, content]);
      bytes += content.length;
    }
    await flush();
  }

  /** The content of a file that has to be sent; undefined where it is left out, or is what the sandbox has. */
  async #toSend(path: string, pass: Pass): Promise<Uint8Array | undefined> {
    const refusal = pass.sending.refuse(sizeOf(pass.host.get(path)));
    if (refusal !== undefined) return leaveOut(pass, refusal, [path]);
    const read = await this.#host.read(path, this.#caps.fileBytes);
    if (read === undefined) return leaveOut(pass, "they changed while they were read", [path]);
    const { content, stamp: hostStamp } = read;
    const hash = sha256(content);
    const known = this.#known.get(path);
    const there = pass.remote.get(path);
    if (known?.kind === "file" && known.hash === hash && stampOf(there) === known.remoteStamp) {
      this.#known.set(path, { ...known, hostStamp });
      return undefined;
    }
    pass.sent.set(path, { hostStamp, hash, size: content.length });
    return content;
  }

  async #bring(paths: readonly string[], pass: Pass): Promise<void> {
    for await (const [path, content] of this.#fetched(paths, pass)) {
      const here = pass.host.get(path);
      const hash = sha256(content);
      const known = this.#known.get(path);
      const remoteStamp = stampOf(pass.remote.get(path));
      const isTouchedOnly = known?.kind === "file" && known.hash === hash && here?.kind === "file";
      const hostStamp = isTouchedOnly ? stampOf(here) : await this.#host.write(path, content, stamp(here));
      if (hostStamp !== undefined) this.#known.set(path, { kind: "file", hostStamp, remoteStamp, hash });
      else await this.#putBeside(path, content, pass);
    }
  }

  /** Both sides have their own version: the host's stays, the sandbox's comes beside it. */
  async #resolve(paths: readonly string[], pass: Pass): Promise<void> {
    const sending: string[] = [];
    for await (const [path, content] of this.#fetched(paths, pass)) {
      const mine = await this.#host.read(path, this.#caps.fileBytes);
      const hash = sha256(content);
      if (mine !== undefined && sha256(mine.content) === hash) {
        const remoteStamp = stampOf(pass.remote.get(path));
        this.#known.set(path, { kind: "file", hostStamp: mine.stamp, remoteStamp, hash });
      } else if (await this.#putBeside(path, content, pass)) sending.push(path);
    }
    await this.#send(sending, pass);
  }

  async #putBeside(path: string, content: Uint8Array, pass: Pass): Promise<boolean> {
    for (let number = 1; number <= NAMED; number += 1) {
      const beside = `${path}.from-sandbox${number === 1 ? "" : `-${number}`}`;
      if ((await this.#host.write(beside, content, undefined)) !== undefined) {
        pass.notices.push(`${path} changed outside meanwhile; the command's version is ${beside}.`);
        return true;
      }
    }
    leaveOut(pass, "they could not be written outside the sandbox", [path]);
    return false;
  }

  /** The contents of files in the sandbox, a few in memory at a time. */
  async *#fetched(paths: readonly string[], pass: Pass): AsyncGenerator<readonly [string, Uint8Array]> {
    for (const batch of this.#batches(paths, pass)) {
      const contents = await this.#calls.download(batch);
      for (const path of batch) {
        const content = contents.get(path);
        // A sandbox may say one size and give another.
        if (content !== undefined && content.length <= this.#caps.fileBytes) yield [path, content];
        else leaveOut(pass, "the sandbox did not give them", [path]);
      }
    }
  }

  *#batches(paths: readonly string[], pass: Pass): Generator<readonly string[]> {
    let batch: string[] = [];
    let bytes = 0;
    for (const path of paths) {
      const size = sizeOf(pass.remote.get(path));
      const refusal = pass.bringing.refuse(size);
      if (refusal !== undefined) {
        leaveOut(pass, refusal, [path]);
        continue;
      }
      if (batch.length > 0 && (bytes + size > BATCH_BYTES || batch.length >= BATCH_FILES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(path);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }

  /** Asks how the sandbox stamped what was sent to it, so that it counts as unchanged from now on. */
  async #confirm({ sent }: Pass): Promise<void> {
    if (sent.size === 0) return;
    const { tree } = (await this.#remote.scan()).side;
    for (const [path, { hostStamp, hash, size }] of sent) {
      const there = tree.get(path);
      if (there?.kind !== "file" || there.size !== size) continue;
      this.#known.set(path, { kind: "file", hostStamp, remoteStamp: there.stamp, hash });
    }
  }
}

const sizeOf = (entry: Entry | undefined): number => (entry?.kind === "file" ? entry.size : 0);
const stamp = (entry: Entry | undefined): string | undefined =>
  entry?.kind === "file" ? entry.stamp : undefined;
const stampOf = (entry: Entry | undefined): string => stamp(entry) ?? "";

function leaveOut({ leftOut }: Pass, reason: string, paths: readonly string[]): undefined {
  if (paths.length > 0) leftOut.set(reason, [...(leftOut.get(reason) ?? []), ...paths]);
}

/** Names may be a sandbox's own and hold anything; JSON keeps them on one line. */
function noticeOf(reason: string, paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map((path) => JSON.stringify(path.slice(0, 200)));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return `Not mirrored, because ${reason}: ${named.join(", ")}${more}.`;
}
