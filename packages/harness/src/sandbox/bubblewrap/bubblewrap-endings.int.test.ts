/** However a command ends, nothing of it is left: no process, and no dead one that nobody reaps. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { compiledFolder, compileRooms } from "../../testing/compile-rooms.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { BubblewrapProvider } from "./bubblewrap-provider.js";

const COMMANDS = 30;
/** Names of the programs that a sandbox is made of. */
const PROGRAMS = new Set(["bwrap", "bash", "sh", "sleep", "mkfifo", "socat"]);
const DEAD = "Z";

/** Name, state and parent from `/proc/<pid>/stat` (proc(5)). */
function processes(): readonly { name: string; state: string; parent: number }[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const end = stat.lastIndexOf(")");
        const [state = "", parent] = stat.slice(end + 2).split(" ");
        return [{ name: stat.slice(stat.indexOf("(") + 1, end), state, parent: Number(parent) }];
      } catch {
        return []; // It ended between the listing and the reading.
      }
    });
}

/** Dead programs of a sandbox that wait for process 1 or for this process to reap them. */
const unreaped = (): number =>
  processes().filter(
    ({ name, state, parent }) =>
      state === DEAD && PROGRAMS.has(name) && (parent === 1 || parent === process.pid),
  ).length;

const works = await bubblewrapWorks();

describe.skipIf(!works)("no dead process is left behind by commands that", () => {
  let opened: FreshSandbox;
  beforeAll(async () => {
    opened = await openSandbox(new BubblewrapProvider());
  });
  afterAll(() => opened.close());

  const many = (run: (index: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: COMMANDS }, (_, index) => run(index)));
  const execute = (command: string, request = {}) => opened.sandbox.execute({ command, ...request });

  it.each<[string, () => Promise<unknown>]>([
    ["end by themselves", () => many(() => execute("true"))],
    ["leave processes in the background", () => many(() => execute("sleep 60 & setsid sleep 60 & true"))],
    ["are killed", () => many(() => execute("kill -9 $$"))],
    ["run out of time", () => many(() => execute("setsid sleep 60 & sleep 60", { timeoutSeconds: 0.3 }))],
    [
      "are stopped before, while and after they start",
      () =>
        many(async (index) => {
          const stop = new AbortController();
          const ended = execute("sleep 60 & sleep 60", { signal: stop.signal });
          setTimeout(() => stop.abort(new Error("stopped")), index * 2);
          await expect(ended).rejects.toThrow("stopped");
        }),
    ],
  ])("%s", async (_what, run) => {
    const before = unreaped();
    await run();
    await expect.poll(unreaped).toBeLessThanOrEqual(before);
  });
});

it.skipIf(!works)("no dead process is left behind by commands behind a bridge to the network", async () => {
  const opened = await openSandbox(
    new BubblewrapProvider({ network: { mode: "allow_list", allow: ["example.com"] } }),
  );
  const before = unreaped();
  const commands = Array.from({ length: 10 }, (_, index) =>
    opened.sandbox.execute({ command: index % 2 === 0 ? "true" : "sleep 60", timeoutSeconds: 3 }),
  );
  const codes = (await Promise.all(commands)).map(({ exitCode }) => exitCode);
  expect(new Set(codes)).toEqual(new Set([0, 124]));
  await expect.poll(unreaped).toBeLessThanOrEqual(before);
  await opened.close();
});

describe.skipIf(!works)("a host that is killed", () => {
  const rooms = compiledFolder("endings");
  const folder = mkdtempSync(join(tmpdir(), "deerflow-killed-"));
  beforeAll(() => compileRooms(["base", "policy", "sandbox"], rooms));
  afterAll(() => {
    rmSync(rooms, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  it("takes its commands with it, whole trees", async () => {
    const seconds = `8765.${process.pid}`;
    const program = `
      import { BubblewrapProvider } from ${JSON.stringify(join(rooms, "sandbox/bubblewrap/bubblewrap-provider.js"))};
      const mounts = [{ virtualPath: "/w", hostPath: ${JSON.stringify(folder)}, mode: "read-write" }];
      const sandbox = await new BubblewrapProvider().acquire({ id: "x", mounts, workingDirectory: "/w" });
      await sandbox.execute({ command: "setsid sleep ${seconds} & nohup sleep ${seconds} & sleep ${seconds}" });`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
    await expect.poll(() => running(seconds)).toBe(3);
    host.kill("SIGKILL");
    await expect.poll(() => running(seconds)).toBe(0);
  });
});

/** How many processes sleep for so many seconds. */
const running = (seconds: string): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`sleep\0${seconds}`);
    } catch {
      return false;
    }
  }).length;
