/** Every way in which something outside the sandbox reads or changes the files of a thread. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { silentLogger } from "@deerflow/harness";
import { extractArchive, type FileBackend } from "@deerflow/harness/filesystem";
import { importInput } from "../../apps/cli/src/import-input.js";
import { SandboxBackend } from "../../packages/harness/src/filesystem/sandbox-backend.js";
import { DEFAULT_RETENTION, storeOffload } from "../../packages/harness/src/middleware/offload-store.js";
import { madeTar, madeZip } from "../../packages/harness/src/testing/made-archives.js";
import { type Dialect, DIALECTS } from "../../packages/harness/src/tools/dialects.js";
import type { ToolKind } from "../../packages/harness/src/tools/face.js";
import { createFileTools } from "../../packages/harness/src/tools/file-tools.js";
import { presentFiles } from "../../packages/harness/src/tools/present-files.js";
import { ffmpegFrames } from "../../packages/harness/src/tools/video-frames.js";
import { OUTPUTS, type PlantedWorld, UPLOADS } from "./planted-world.js";

/** Does one thing at a virtual path. @returns everything that it tells of it */
export type Attempt = (world: PlantedWorld, path: string) => Promise<string>;

const told = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : (JSON.stringify(value) ?? "");

async function answered(request: Promise<Response>): Promise<string> {
  const answer = await request;
  return `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString("latin1")}`;
}

const artifact =
  (query: string, headers: Record<string, string> = {}): Attempt =>
  ({ at }, path) =>
    answered(fetch(at(`/artifacts${path}${query}`), { headers }));

async function piecesOf({ files }: PlantedWorld, path: string): Promise<string> {
  let text = "";
  for await (const piece of (await files.openBytes(path)) ?? []) text += told(piece);
  return text;
}

async function foldersOf({ files }: PlantedWorld, path: string): Promise<string> {
  const folders = await files.openFolders(path);
  for (const folder of folders) await folder.close();
  return folders.map(({ virtualPath }) => virtualPath).join();
}

/** A call of a file tool, whose refusals are answers. */
const tool =
  (dialect: Dialect, kind: ToolKind, args: Record<string, unknown>): Attempt =>
  async (world, path) => {
    const tools = createFileTools({ files: world.files, dialect, videoFrames: ffmpegFrames });
    const { name } = DIALECTS[dialect].faces[kind];
    const call = { type: "tool_call", id: "1", name, args: { path, file_path: path, ...args } };
    return told(await tools.find((each) => each.name === name)?.invoke(call));
  };

const present: Attempt = async ({ files }, path) => {
  const call = { type: "tool_call" as const, id: "1", name: "present_files", args: { filepaths: [path] } };
  return told(await presentFiles(files).invoke(call));
};

const throughSandbox = ({ sandbox }: PlantedWorld): FileBackend =>
  new SandboxBackend({ sandbox, workingDirectory: OUTPUTS });

const hostPathOf = ({ directories }: PlantedWorld, path: string): string =>
  path.replace(OUTPUTS, directories.outputs).replace(UPLOADS, directories.uploads);

const admitAll = (_: number, copyAll: () => Promise<void>) => copyAll();

/** Back into the thread, whose files an input must not lead out of. */
const importFrom: Attempt = async (world, path) => {
  const limits = { maxFiles: 100, maxTotalBytes: 1_000_000 };
  const places = { uploads: world.files, home: world.home, admit: admitAll };
  await importInput(hostPathOf(world, path), places, limits);
  return told((await world.files.read(`${UPLOADS}/${basename(path)}`))?.bytes);
};

const NEEDLE = { pattern: "needle", output_mode: "content" };

export const READERS: Readonly<Record<string, Attempt>> = {
  "an artifact": artifact(""),
  "an artifact to download": artifact("?download=true"),
  "a part of an artifact": artifact("", { range: "bytes=0-99" }),
  "an artifact that is known": artifact("", { "if-none-match": '"0"' }),
  "the list of uploads": ({ at }) => answered(fetch(at("/uploads/list"))),
  "a look": async ({ files }, path) => told(await files.stat(path)),
  "a list": async ({ files }, path) => told(await files.list(path)),
  "a read": async ({ files }, path) => told((await files.read(path))?.bytes),
  "a read in pieces": piecesOf,
  "a folder for a search": foldersOf,
  "a file of the sandbox": async ({ sandbox }, path) => told(await sandbox.files.read(path)),
  "a read by the shell": async (world, path) => told((await throughSandbox(world).read(path))?.bytes),
  "a presented file": present,
  "an input of the command line": importFrom,
  ...Object.fromEntries(
    (["deerflow", "deepagents"] as const).flatMap((dialect) => [
      [`ls (${dialect})`, tool(dialect, "list", {})],
      [`read_file (${dialect})`, tool(dialect, "read", {})],
      [`glob (${dialect})`, tool(dialect, "glob", { pattern: "**/*" })],
      [`glob of everything (${dialect})`, tool(dialect, "glob", { pattern: "**/*", path: "/mnt/user-data" })],
      [`grep (${dialect})`, tool(dialect, "grep", NEEDLE)],
      [`grep of everything (${dialect})`, tool(dialect, "grep", { ...NEEDLE, path: "/mnt/user-data" })],
    ]),
  ),
};

const BYTES = Buffer.from("written");

async function upload(
  { at }: PlantedWorld,
  name: string,
  bytes: Uint8Array,
  extract: boolean,
): Promise<string> {
  const form = new FormData();
  form.append("files", new Blob([new Uint8Array(bytes)]), name);
  if (extract) form.append("extract", "true");
  return answered(fetch(at("/uploads"), { method: "POST", body: form }));
}

async function piecewise({ files }: PlantedWorld, path: string): Promise<string> {
  const writing = await files.openWrite(path);
  await writing.write(BYTES);
  await writing.commit();
  return "";
}

const importTo: Attempt = async ({ files, home }, path) => {
  const folder = mkdtempSync(join(tmpdir(), "deerflow-given-"));
  try {
    writeFileSync(join(folder, basename(path)), BYTES);
    const limits = { maxFiles: 100, maxTotalBytes: 1_000_000 };
    const places = { uploads: files, home, admit: admitAll };
    return told(await importInput(join(folder, basename(path)), places, limits));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const offload: Attempt = ({ files }, path) => {
  const place = { files, folder: path, retention: DEFAULT_RETENTION, logger: silentLogger };
  return storeOffload(place, { origin: "tool", digest: "0123456789ab", extension: "txt" }, "written");
};

const ARCHIVE = [{ name: "key.txt", content: "written" }];

/** Each may leave the path as it is, take what is there away, or write; only never elsewhere. */
export const WRITERS: Readonly<Record<string, Attempt>> = {
  "an upload": (world, path) => upload(world, basename(path), BYTES, false),
  "an uploaded archive": (world, path) => upload(world, `${basename(path)}.zip`, madeZip(ARCHIVE), true),
  "the removal of an upload": ({ at }, path) =>
    answered(fetch(at(`/uploads/${basename(path)}`), { method: "DELETE" })),
  "a write": async ({ files }, path) => files.write(path, BYTES),
  "a write in pieces": piecewise,
  "a write of something new": async ({ files }, path) => files.write(path, BYTES, { expectedVersion: null }),
  "a write below": async ({ files }, path) => files.write(`${path}/folder/key.txt`, BYTES),
  "a removal": async ({ files }, path) => told(await files.remove(path)),
  "a removal below": async ({ files }, path) => told(await files.remove(`${path}/key.txt`)),
  "an archive": async ({ files }, path) =>
    told(await extractArchive(files, madeZip(ARCHIVE), { folder: path })),
  "an archive below": async ({ files }, path) =>
    told(await extractArchive(files, madeTar(ARCHIVE), { folder: `${path}/new` })),
  "an input of the command line": importTo,
  "a long result": offload,
  "a file of the sandbox": async ({ sandbox }, path) => told(await sandbox.files.write(path, BYTES)),
  "a write by the shell": (world, path) => throughSandbox(world).write(path, BYTES),
  ...Object.fromEntries(
    (["deerflow", "deepagents"] as const).flatMap((dialect) => [
      [`write_file (${dialect})`, tool(dialect, "write", { content: "written" })],
      [
        `an edit (${dialect})`,
        tool(dialect, "edit", { old_str: "needle", new_str: "x", old_string: "needle", new_string: "x" }),
      ],
      [`delete (${dialect})`, tool(dialect, "delete", {})],
    ]),
  ),
};
