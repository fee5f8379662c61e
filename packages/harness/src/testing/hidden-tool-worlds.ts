/** The tree with forbidden files in every backend, for tests of what is built on them. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import type { FileBackend } from "../filesystem/contract.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import { filesChannel } from "../filesystem/files-channel.js";
import { LocalShellBackend } from "../filesystem/local-shell-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { StoreBackend } from "../filesystem/store-backend.js";
import {
  hiddenInSandbox,
  hiddenTexts,
  plantHidden,
  plantThrough,
  TARGETS,
  TARGETS_WITH_LINKS,
} from "./hidden-world.js";
import { MemoryFiles } from "./memory-files.js";

export interface ToolWorld {
  /** Unguarded. */
  readonly files: FileBackend;
  /** The same files by other ways; each has all that is forbidden at its place in `/w`. */
  readonly witnesses: readonly FileBackend[];
  /** What calls are aimed at. */
  readonly targets: readonly string[];
  close(): Promise<void>;
}

/** Opens worlds of one kind. */
export interface ToolWorlds {
  open(): Promise<ToolWorld>;
  /** Calls the work where these files can be used. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

/** The texts of all forbidden files, for a look whether one was touched. */
export const allHiddenTexts = ({ witnesses }: ToolWorld): Promise<readonly unknown[]> =>
  Promise.all(witnesses.map((witness) => hiddenTexts({ witness })));

async function planted(files: FileBackend): Promise<ToolWorld> {
  await files.remove("/w");
  await plantThrough(files);
  return { files, witnesses: [files], targets: TARGETS, close: async () => {} };
}

/** Host folders that go away with the world. */
async function onHost(
  prepare: (host: string) => Promise<Omit<ToolWorld, "close"> & Partial<ToolWorld>>,
): Promise<ToolWorld> {
  const host = await mkdtemp(join(tmpdir(), "deerflow-hidden-"));
  const world = await prepare(host);
  const close = async () => {
    await world.close?.();
    await rm(host, { recursive: true, force: true });
  };
  return { ...world, close };
}

const anywhere = <T>(work: () => Promise<T>): Promise<T> => work();

const memory = (open: () => FileBackend): ToolWorlds => ({ open: () => planted(open()), within: anywhere });

/** As the disk of a plain agent, with a link that the mounts of a sandbox would not understand. */
const disk = (open: (rootDir: string) => FileBackend): ToolWorlds => ({
  within: anywhere,
  open: () =>
    onHost(async (host) => {
      const below = join(host, "w");
      const witness = await plantHidden(below);
      await symlink(join(below, "secrets"), join(below, "to-host"));
      const targets = [...TARGETS_WITH_LINKS, "/w/to-host", "/w/to-host/hush.txt", "/w/to-host/.hush"];
      return { files: open(host), witnesses: [witness], targets };
    }),
});

const mounts: ToolWorlds = {
  within: anywhere,
  open: () =>
    onHost(async (host) => {
      const files = await plantHidden(host);
      return { files, witnesses: [files], targets: TARGETS_WITH_LINKS };
    }),
};

/** The secrets are a route, which hides those of the default's disk; links of that disk lead to the hidden ones. */
const composite: ToolWorlds = {
  within: anywhere,
  open: () =>
    onHost(async (host) => {
      const [own, routed] = [join(host, "own"), join(host, "routed")];
      const witnesses = [await plantHidden(join(own, "w")), await plantHidden(routed)];
      const files = new CompositeBackend(new FilesystemBackend({ rootDir: own }), {
        "/w/secrets/": new FilesystemBackend({ rootDir: join(routed, "secrets") }),
      });
      return { files, witnesses, targets: TARGETS_WITH_LINKS };
    }),
};

const state: ToolWorlds = {
  open: () => planted(new StateBackend()),
  async within<T>(work: () => Promise<T>): Promise<T> {
    const done: T[] = [];
    const graph = new StateGraph(new StateSchema({ files: filesChannel }))
      .addNode("work", async () => {
        done.push(await work());
        return {};
      })
      .addEdge(START, "work")
      .compile();
    await graph.invoke({ files: {} });
    const [result] = done;
    if (result === undefined) throw new Error("the node did not run");
    return result;
  },
};

export const WORLDS: Readonly<Record<string, ToolWorlds>> = {
  "the state of a graph": state,
  "a store": memory(() => new StoreBackend({ namespace: ["files"], store: new InMemoryStore() })),
  "memory that folds case": memory(() => new MemoryFiles({ foldsCase: true })),
  "memory that composes names": memory(() => new MemoryFiles({ normalises: true })),
  "a folder": disk((rootDir) => new FilesystemBackend({ rootDir })),
  "a folder beside a shell": disk((rootDir) => new LocalShellBackend({ rootDir })),
  "mounts with links": mounts,
  "routes between two folders": composite,
};

export const SANDBOXED: ToolWorlds = {
  within: anywhere,
  async open() {
    const { witness, ...world } = await hiddenInSandbox();
    return { ...world, witnesses: [witness] };
  },
};
