/** A served installation with a hostile sandbox beside it, and things outside its thread that nobody may reach. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOCAL_PRINCIPAL, threadDirectories, threadFiles } from "@deerflow/harness";
import type { MountedDiskBackend } from "@deerflow/harness/filesystem";
import type { Sandbox } from "@deerflow/harness/sandbox";
import { threadMounts } from "../../packages/harness/src/agent/lead-agent.js";
import { Installation } from "./deerflow-command.js";
import { serveInstallation, type ServedHost } from "./served-host.js";

/** Stands in every text outside the thread and nowhere in it. */
export const HUSH = "hush-9f31";
/** Stands in names of files outside the thread. */
export const HUSH_NAME = "only-outside";
export const MINE = "mine";
const OTHER = "other";

export const OUTPUTS = "/mnt/user-data/outputs";
export const UPLOADS = "/mnt/user-data/uploads";

export interface PlantedWorld {
  readonly served: ServedHost;
  readonly sandbox: Sandbox;
  readonly files: MountedDiskBackend;
  readonly directories: ReturnType<typeof threadDirectories>;
  /** A host folder outside the home, with a file `key.txt`. */
  readonly outside: string;
  readonly home: string;
  /** The address of an API path of the hostile thread. */
  at(path: string): string;
  /** Every file outside the thread with its content and time; to compare. */
  witness(): Readonly<Record<string, string>>;
  /** @throws Error when the command fails */
  run(command: string): Promise<void>;
  close(): Promise<void>;
}

export async function openPlantedWorld(): Promise<PlantedWorld> {
  const installation = new Installation();
  const served = await serveInstallation(installation);
  const outside = mkdtempSync(join(tmpdir(), "deerflow-outside-"));
  const { home } = installation;
  mkdirSync(join(outside, "folder"));
  mkdirSync(join(home, "logs"), { recursive: true });
  const other = threadDirectories(home, LOCAL_PRINCIPAL, OTHER);
  const directories = threadDirectories(home, LOCAL_PRINCIPAL, MINE);
  for (const folder of [...Object.values(other), ...Object.values(directories)] as string[])
    mkdirSync(folder, { recursive: true });
  const secrets = [join(outside, "key.txt"), join(outside, `folder/${HUSH_NAME}.txt`)];
  secrets.push(join(home, `logs/${HUSH_NAME}.log`), join(other.outputs, "key.txt"));
  for (const path of secrets) writeFileSync(path, `${HUSH} needle\n`);
  await served.client.threads.create({ threadId: MINE });
  const spec = { id: "planted", mounts: threadMounts(directories), workingDirectory: OUTPUTS };
  const sandbox = await served.host.sandbox.provider?.acquire(spec);
  if (sandbox === undefined) throw new Error("there is no sandbox");
  return {
    served,
    sandbox,
    files: threadFiles(directories),
    directories,
    outside,
    home,
    at: (path) => `${served.url}/api/threads/${MINE}${path}`,
    witness: () => ({
      ...contents(outside),
      ...contents(join(home, "threads", OTHER)),
      ...contents(join(home, "logs")),
    }),
    async run(command) {
      const { exitCode, output } = await sandbox.execute({ command });
      if (exitCode !== 0) throw new Error(`${command}: ${output}`);
    },
    async close() {
      await served.close();
      installation.remove();
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

const contents = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const path = join(folder, name);
      const stats = statSync(path);
      return [path, stats.isFile() ? `${stats.mtimeMs} ${readFileSync(path, "utf8")}` : "folder"];
    }),
  );

/** Something in the place of a file or folder of the thread. */
export interface Plant {
  readonly name: string;
  /** Makes it. Nothing is at `place` in the folder. */
  plant(world: PlantedWorld, folder: "outputs" | "uploads", place: string): Promise<(() => void) | void>;
}

const linked = (name: string, target: (world: PlantedWorld) => string): Plant => ({
  name,
  plant: (world, folder, place) => world.run(`ln -s '${target(world)}' /mnt/user-data/${folder}/${place}`),
});

const UP = "../".repeat(30);

/** Links are made by a command in the sandbox; what the sandbox cannot make is put there as if it could. */
export const PLANTS: readonly Plant[] = [
  linked("a link to a file", ({ outside }) => `${outside}/key.txt`),
  linked("a link to a folder", ({ outside }) => outside),
  linked("a relative link that climbs out", ({ outside }) => `${UP}${outside}/key.txt`),
  linked("a link to another thread", ({ home }) => `${home}/threads/${OTHER}/user-data/outputs`),
  linked("a link that climbs to another thread", () => `../../../${OTHER}/user-data/outputs/key.txt`),
  linked("a link to the home's logs", ({ home }) => `${home}/logs`),
  linked("a link to the home's database", ({ home }) => `${home}/data/deerflow.db`),
  linked("a link that climbs to the database", () => "../../../../data/deerflow.db"),
  linked("a link to the environment of who opens it", () => "/proc/self/environ"),
  linked("a link to the root of who opens it", () => "/proc/self/root"),
  linked("a link to a descriptor of who opens it", () => "/proc/self/fd/0"),
  linked("a link to itself", () => "./x"),
  linked("a link to passwords", () => "/etc/passwd"),
  {
    name: "a chain of links",
    plant: ({ run, outside }, folder, place) =>
      run(
        `cd /mnt/user-data/${folder} && ln -sfn '${outside}' ${place}-3 && ln -sfn ${place}-3 ${place}-2 && ln -s ${place}-2/key.txt ${place}`,
      ),
  },
  {
    name: "a pipe",
    plant: ({ run }, folder, place) => run(`mkfifo /mnt/user-data/${folder}/${place}`),
  },
  {
    name: "a socket",
    async plant({ directories }, folder, place) {
      const server = await listening(directories[folder], place);
      return () => void server.close();
    },
  },
  ...(process.getuid?.() === 0 ? [device("a device without end", "1", "5"), device("a disk", "7", "0")] : []),
];

/** A short way to the folder, for the path of a socket may have 107 bytes only. */
function listening(folder: string, place: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    const before = process.cwd();
    process.chdir(folder);
    server.once("error", reject);
    server.listen(`./${place}`, () => resolve(server));
    process.chdir(before);
  });
}

function device(name: string, major: string, minor: string): Plant {
  return {
    name,
    async plant({ directories }, folder, place) {
      const kind = name === "a disk" ? "b" : "c";
      execFileSync("mknod", [join(directories[folder], place), kind, major, minor]);
    },
  };
}
