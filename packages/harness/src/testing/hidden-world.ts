/** A tree in which some files are forbidden, and tests that no spelling of a path reaches one. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileBackend } from "../filesystem/contract.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { SandboxBackend } from "../filesystem/sandbox-backend.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { MemoryFiles, type MemoryFilesOptions } from "./memory-files.js";
import { picked, type Random, spelledAnew } from "./path-spellings.js";

/** Stands in the name and in the text of every forbidden file, and nowhere else. */
export const HUSH = "hush";

const SECRETS = ["hush.txt", ".hush", "deep/.er/hush.md", "hush-\u00e9.txt"].map((name) => `secrets/${name}`);
const FORBIDDEN = [...SECRETS, "open/hush.pem"];
const PERMITTED = ["open/plain.txt", "open/sub/plain.md", ".dot/plain", "secretsplain", "plain.pem.txt"];

/** What the tree's rules forbid. */
export const HIDING: readonly FilesystemPermission[] = [
  { operations: ["read", "write"], paths: ["/w/open/plain.txt"] },
  { operations: ["read", "write"], paths: ["/w/secrets/**", "/w/**/*.pem"], mode: "deny" },
];

/** By path from `/w`; targets as the disk has them, or absolute in the virtual tree. */
const LINKS: Readonly<Record<string, string>> = {
  "to-file": "secrets/hush.txt",
  "to-folder": "secrets",
  "to-dot": "secrets/.hush",
  "to-chain": "to-link",
  "to-link": "./to-folder",
  "to-absolute": "/w/secrets",
  self: ".",
  "open/up": "..",
  "open/to-deep": "../to-chain/deep",
  loop: "loop",
  way: "open",
};

/** Ways to go on a disk with the links above, from `/w`; each leads to the folder of that name. */
const WAYS_ON_DISK: Readonly<Record<string, readonly string[]>> = {
  "": ["self", "open/up", "self/self", "way/up", "self/open/up"],
  "secrets/": ["to-folder", "to-chain", "to-link", "to-absolute", "self/to-chain", "way/up/to-folder"],
  "secrets/deep/": ["open/to-deep", "way/to-deep"],
  "open/": ["way", "self/way"],
};

export interface HiddenWorld {
  /** Unguarded. */
  readonly files: FileBackend;
  /** The same files by the shortest way, for a look at what became of them. */
  readonly witness: FileBackend;
  /** Forbidden files and folders above them, and links to them, as they may be asked for. */
  readonly targets: readonly string[];
  close(): Promise<void>;
}

const FOLDERS = ["", "/secrets", "/secrets/deep", "/open"].map((name) => `/w${name}`);

/** Without links. */
export async function hiddenInMemory(options: MemoryFilesOptions): Promise<HiddenWorld> {
  const files = new MemoryFiles(options);
  await plantThrough(files);
  return { files, witness: files, targets: TARGETS, close: async () => {} };
}

/** Makes the files, but no links, by a backend's own verb. */
export async function plantThrough(files: FileBackend): Promise<void> {
  for (const name of [...FORBIDDEN, ...PERMITTED]) await files.write(`/w/${name}`, contentOf(name));
}

/** The same as a sandbox shows it, whose shell follows every link. */
export async function hiddenInSandbox(): Promise<HiddenWorld> {
  const host = await mkdtemp(join(tmpdir(), "deerflow-hidden-"));
  const witness = await plantHidden(host);
  const provider = new BubblewrapProvider();
  const sandbox = await provider.acquire({
    id: host,
    mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }],
    workingDirectory: "/w",
  });
  return {
    files: new SandboxBackend({ sandbox, workingDirectory: "/w" }),
    witness,
    targets: TARGETS_WITH_LINKS,
    close: async () => {
      await provider.close();
      await rm(host, { recursive: true, force: true });
    },
  };
}

/** With links of every kind. */
export async function hiddenOnDisk(): Promise<HiddenWorld> {
  const host = await mkdtemp(join(tmpdir(), "deerflow-hidden-"));
  const files = await plantHidden(host);
  return {
    files,
    witness: files,
    targets: TARGETS_WITH_LINKS,
    close: () => rm(host, { recursive: true, force: true }),
  };
}

/** Makes the files and the links in a host folder, and gives them as they are seen at `/w`. */
export async function plantHidden(host: string): Promise<FileBackend> {
  for (const name of [...FORBIDDEN, ...PERMITTED]) {
    await mkdir(dirname(join(host, name)), { recursive: true });
    await writeFile(join(host, name), contentOf(name));
  }
  for (const [name, target] of Object.entries(LINKS)) await symlink(target, join(host, name));
  return new MountedDiskBackend({ mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }] });
}

const contentOf = (name: string): Uint8Array =>
  Buffer.from(`needle in ${FORBIDDEN.includes(name) ? HUSH : "the open"}\n`);

const detours = (name: string): readonly string[] =>
  Object.entries(WAYS_ON_DISK)
    .filter(([folder]) => name.startsWith(folder))
    .flatMap(([folder, ways]) => ways.map((way) => `${way}/${name.slice(folder.length)}`));

/** A path that may lead to something forbidden, spelled in one way or another. */
export const hiddenPath = (world: HiddenWorld, random: Random): string =>
  spelledAnew(picked(world.targets, random), random);

/** The text of every forbidden file by path, from the witness; for a look whether one was touched. */
export async function hiddenTexts({
  witness,
}: Pick<HiddenWorld, "witness">): Promise<Readonly<Record<string, string | undefined>>> {
  const texts = FORBIDDEN.map(async (name) => {
    const content = await witness.read(`/w/${name}`);
    return [name, content && Buffer.from(content.bytes).toString()] as const;
  });
  const listed = await witness.list("/w/secrets").catch(() => []);
  return { ...Object.fromEntries(await Promise.all(texts)), listed: listed.map(({ path }) => path).join() };
}

/** Where there are no links. */
export const TARGETS: readonly string[] = [...FORBIDDEN.map((name) => `/w/${name}`), ...FOLDERS];

export const TARGETS_WITH_LINKS: readonly string[] = [
  ...TARGETS,
  ...[...FORBIDDEN.flatMap(detours), ...Object.keys(LINKS)].map((name) => `/w/${name}`),
];
