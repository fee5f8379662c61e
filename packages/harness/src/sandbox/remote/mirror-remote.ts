/** The sandbox's side of a mirror: what lies there, asked of its shell, and folders made and things removed in bulk. */
import { randomBytes } from "node:crypto";
import type { SandboxMount } from "../contract.js";
import { quoted } from "../file-scripts.js";
import { mountOf } from "./mirror-host.js";
import type { Entry, Side } from "./mirror-plan.js";
import { type RemoteCalls, remoteFailed } from "./remote-calls.js";

/** Bytes of a listing; of a longer one the rest is not seen. */
const LISTING_BYTES = 4 * 1024 * 1024;
/** Bytes of paths in one command. */
const PATHS_BYTES = 50_000;

/**
 * `$1` file for the answer, `$2` file of the token, then the mounted folders. The answer: the token, then `KIND SIZE
 * STAMP PATH` for each path, then END when nothing is missing, each ended by NUL.
 */
const LIST = `set -o pipefail
out=$1 token=$2; shift 2
list() {
  if find . -maxdepth 0 -printf '' 2>/dev/null; then find "$@" -mindepth 1 -printf '%y %s %T@/%C@ %p\\0'
  else find "$@" -mindepth 1 -print0 | while IFS= read -r -d '' p; do
    k=o; if [ -L "$p" ]; then :; elif [ -d "$p" ]; then k=d; elif [ -f "$p" ]; then k=f; fi
    printf '%s %s %s\\0' "$k" "$(stat -c '%s %Y/%Z' -- "$p")" "$p"
  done; fi
}
whole=; there=()
for folder; do [ -d "$folder" ] && there+=("$folder"); done
{
  head -c 64 -- "$token" 2>/dev/null; printf '\\0'
  if [ "\${#there[@]}" = "$#" ] && list "$@" 2>/dev/null | head -c ${LISTING_BYTES}; then printf 'END\\0'; fi
} >"$out"
true`;

/** Makes folders, with the rights of the administrator where those of the user do not suffice and it may use them. */
const MAKE_ROOTS = `for folder; do
  mkdir -p -- "$folder" 2>/dev/null && [ -w "$folder" ] && continue
  sudo -n mkdir -p -- "$folder" && sudo -n chown "$(id -u):$(id -g)" "$folder" || exit 1
done 2>/dev/null`;

const EMPTY = `for folder; do find "$folder" -mindepth 1 -delete || exit 1; done`;
const REMOVE = `for path; do if [ -d "$path" ] && [ ! -L "$path" ]; then rmdir -- "$path"; else rm -f -- "$path"; fi; done; true`;
const MAKE = `mkdir -p -- "$@"; true`;

export class RemoteFiles {
  readonly #calls: RemoteCalls;
  readonly #mounts: readonly SandboxMount[];
  readonly #token = randomBytes(16).toString("hex");
  readonly #tokenFile = `/tmp/.deerflow-mirror-${this.#token}`;
  #isPrepared = false;

  constructor(calls: RemoteCalls, mounts: readonly SandboxMount[]) {
    this.#calls = calls;
    this.#mounts = mounts;
  }

  /** What is there. The first time the folders are made and emptied; later a lost sandbox gets its folders back. */
  async scan(): Promise<{ readonly side: Side; readonly passedOver: readonly string[] }> {
    if (!this.#isPrepared) await this.#prepare(EMPTY);
    this.#isPrepared = true;
    const listing = await this.#list();
    if (listing.token === this.#token) return { side: listing.side, passedOver: listing.passedOver };
    // Another machine, or a command removed the token: what is missing was not removed by a command.
    await this.#prepare();
    const { side, passedOver } = await this.#list();
    return { side: { tree: side.tree, seen: "fresh" }, passedOver };
  }

  /** Removes files and empty folders, in this order. */
  async remove(paths: readonly string[]): Promise<void> {
    for (const batch of inBatches(paths)) await this.#calls.script(REMOVE, batch);
  }

  async makeFolders(paths: readonly string[]): Promise<void> {
    for (const batch of inBatches(paths)) await this.#calls.script(MAKE, batch);
  }

  async #prepare(then = "true"): Promise<void> {
    const folders = this.#mounts.map(({ virtualPath }) => virtualPath);
    const mark = `printf %s ${this.#token} >${quoted(this.#tokenFile)}`;
    await this.#calls.script(`${MAKE_ROOTS}\n${then}\n${mark}`, folders);
  }

  async #list() {
    const answer = `/tmp/.deerflow-listing-${this.#token}`;
    const folders = this.#mounts.map(({ virtualPath }) => virtualPath);
    await this.#calls.script(LIST, [answer, this.#tokenFile, ...folders]);
    const content = (await this.#calls.download([answer])).get(answer);
    if (content === undefined) throw remoteFailed("its list of files could not be read");
    return parseListing(content.subarray(0, LISTING_BYTES + 1000), this.#mounts);
  }
}

export function* inBatches(paths: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    if (bytes > PATHS_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(path);
    bytes += Buffer.byteLength(path) + 3;
  }
  if (batch.length > 0) yield batch;
}

const RECORD = /^(\S) (\d{1,15}) (\S{1,80}) ([^]+)$/;

/** What a listing says; names that are not plain paths inside a mount are passed over. Pure. */
export function parseListing(content: Uint8Array, mounts: readonly SandboxMount[]) {
  const [token = "", ...records] = Buffer.from(content).toString("utf8").split("\0");
  const isWhole = records.at(-2) === "END";
  const tree = new Map<string, Entry>();
  const passedOver: string[] = [];
  for (const record of records.slice(0, isWhole ? -2 : -1)) {
    const [, kind, size, stamp = "", path = ""] = RECORD.exec(record) ?? [];
    const isInside = mountOf(mounts, path) !== undefined;
    if (kind === "d" && isInside) tree.set(path, { kind: "folder" });
    else if (kind === "f" && isInside) {
      tree.set(path, { kind: "file", size: Number(size), stamp: `${size} ${stamp}` });
    } else if (!mounts.some(({ virtualPath }) => virtualPath === path)) passedOver.push(path);
  }
  const seen: Side["seen"] = isWhole ? "whole" : "cut";
  return { token, side: { tree, seen } satisfies Side, passedOver };
}
