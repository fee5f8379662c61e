/** What a hostile command tries to use up, while the host must go on answering. Everything runs with small limits. */
import { execFileSync } from "node:child_process";
import { chownSync, readdirSync, readFileSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseLimitGroups } from "../limit-groups/choose-limit-groups.js";
import { DISK_NOTICE } from "../disk-watch.js";
import {
  AnsweringHost,
  attackedProvider,
  attackedSandbox,
  IDENTITIES,
  IS_ROOT,
  SMALL_LIMITS,
} from "../../testing/attacked-sandbox.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import type { FreshSandbox } from "../../testing/open-sandbox.js";

/** However busy the machine is otherwise. */
const SLOWEST_ANSWER = 10_000;
const isGrouped = (await chooseLimitGroups()).groups.tier !== "process limits";
if (!isGrouped)
  process.stderr.write("Limits of whole commands are not tested: there are no control groups here.\n");
if (!IS_ROOT) process.stderr.write("Full disks are not tested: only root can mount a small one.\n");

describe.skipIf(!(await bubblewrapWorks())).each(IDENTITIES)(
  "a sandbox of a host that runs as %s is bounded in",
  (_name, identity) => {
    let opened: FreshSandbox;
    let host: AnsweringHost;
    const execute = (command: string, timeoutSeconds = 20) =>
      opened.sandbox.execute({ command, timeoutSeconds });
    const succeeds = async (command: string) => ((await execute(command)).exitCode === 0 ? "yes" : "no");
    /** The result of an attack, during which the host must have answered. */
    const attack = async (command: string, timeoutSeconds = 20) => {
      const { result, answers, slowestMilliseconds } = await host.during(execute(command, timeoutSeconds));
      expect(answers).toBeGreaterThan(0);
      expect(slowestMilliseconds).toBeLessThan(SLOWEST_ANSWER);
      return result;
    };

    beforeAll(async () => {
      opened = await attackedSandbox(identity);
      host = await AnsweringHost.open();
    });
    afterAll(async () => {
      await opened.close();
      await host.close();
    });

    it("the memory of a process", async () => {
      const { exitCode, output } = await attack(
        `node -e 'Buffer.alloc(700 * 2 ** 20).fill(1); console.log("got it")'`,
      );
      expect(output).not.toContain("got it");
      expect(exitCode).not.toBe(0);
    });

    it.skipIf(!isGrouped)("the memory of many processes together, and says so", async () => {
      const hold = "head -c 300M /dev/zero | tail -c 300M | wc -c";
      const { notices, output } = await attack(`for i in 1 2 3 4; do ${hold} & done; wait`);
      expect(output.split(String(300 * 2 ** 20)).length - 1).toBeLessThan(4);
      expect(notices).toEqual(["The system ended a part of it because it used more than 512 MiB of memory."]);
    });

    it("processor time", async () => {
      expect((await attack("while :; do :; done")).exitCode).toBeGreaterThan(128);
    });

    it("the size of files, and the temporary folder", async () => {
      await attack("head -c 4M /dev/zero > big");
      expect(statSync(join(opened.workspace, "big")).size).toBe(SMALL_LIMITS.fileMebibytes * 2 ** 20);
      const fill = "for i in 1 2 3 4; do head -c 2M /dev/zero > /tmp/$i; done";
      expect((await attack(fill)).output).toContain("No space left on device");
    });

    it("open files, of one process and of many", async () => {
      expect(await succeeds("exec 299</dev/null")).toBe("yes");
      expect(await succeeds("exec 300</dev/null")).toBe("no");
      const program = `const fs = require("fs"); let n = 0;
        try { for (;;) { fs.openSync("/dev/null"); n += 1; } } catch (error) { console.log(error.code); }
        setTimeout(() => {}, 300);`;
      writeFileSync(join(opened.workspace, "open.js"), program);
      const { output } = await attack("for i in 1 2 3; do node open.js & done; wait");
      expect(output).toBe("EMFILE\n".repeat(3));
      // The host's own are not used up.
      expect(readFileSync(join(opened.workspace, "open.js"), "utf8")).toBe(program);
    });

    it("output that nobody can hold", async () => {
      const { truncated, output } = await attack("yes | head -c 30000000");
      expect([truncated, output.length < 200_000]).toEqual([true, true]);
    });

    // The kernel does not count the processes of the host's root one by one.
    it.skipIf(IS_ROOT && identity === undefined && !isGrouped)("the number of processes", async () => {
      const script = `let n = 0;
      const next = () => {
        const child = require("child_process").spawn("sleep", ["9"], { stdio: "ignore" });
        child.on("error", (error) => { console.log(n, error.code); process.exit(); });
        child.on("spawn", () => { n += 1; if (n < 250) next(); else process.exit(); });
      };
      next();`;
      writeFileSync(join(opened.workspace, "fork.js"), script);
      const { output, notices } = await attack("node fork.js");
      expect(output).toMatch(/^\d+ EAGAIN\n$/);
      expect(Number.parseInt(output, 10)).toBeLessThan(SMALL_LIMITS.processes);
      const said = [`It could not have more than ${SMALL_LIMITS.processes} processes and threads at once.`];
      expect([undefined, said]).toContainEqual(notices);
    });

    it.skipIf(!isGrouped)("a bomb of processes, of which nothing is left", async () => {
      const seconds = `6543.${process.pid}`;
      const bomb = `f() { sleep ${seconds} & f & f & wait; }; f`;
      const { timedOut, exitCode } = await attack(bomb, 3);
      expect([timedOut, exitCode]).toEqual([true, 124]);
      await expect.poll(() => sleeping(seconds)).toBe(0);
    });

    it.skipIf(!isGrouped)(
      "a bomb whose parts leave their session, of which nothing is left either",
      async () => {
        const seconds = `6544.${process.pid}`;
        await attack(`f() { setsid nohup sleep ${seconds} & (f &) ; (f &) ; }; f; sleep 2`, 5);
        await expect.poll(() => sleeping(seconds)).toBe(0);
      },
    );

    describe.skipIf(!IS_ROOT)("the disk:", () => {
      /** Opens a sandbox whose workspace is a small file system, runs the attack, and gives it with its end. */
      const onSmallDisk = async (options: string, command: string) => {
        const provider = attackedProvider(identity, { freeDiskMebibytes: 16 });
        const folder = join(opened.folder, "read-only");
        execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", folder]);
        try {
          if (identity !== undefined) chownSync(folder, identity.uid, identity.gid);
          const sandbox = await provider.acquire({
            id: "small",
            mounts: [{ virtualPath: "/mnt/small", hostPath: folder, mode: "read-write" }],
            workingDirectory: "/mnt/small",
          });
          const { result } = await host.during(sandbox.execute({ command, timeoutSeconds: 30 }));
          const left = statfsSync(folder);
          const again = await sandbox.execute({ command: "true" }).catch((error: unknown) => error);
          return { result, left, again };
        } finally {
          await provider.close();
          execFileSync("umount", [folder]);
        }
      };

      it("its room", async () => {
        const fill = "for i in {1..100}; do head -c 1M /dev/zero > $i; read -t 0.05 <> <(:); done; echo full";
        const { result, left, again } = await onSmallDisk("size=64m", fill);
        expect(result.notices).toEqual([DISK_NOTICE]);
        expect(result.output).not.toContain("full");
        expect(left.bavail).toBeGreaterThan(0);
        expect(again).toMatchObject({ code: "disk_full" });
      });

      it("its room for files", async () => {
        const fill = "for i in {1..2000}; do : > $i; (( i % 50 )) || read -t 0.05 <> <(:); done; echo full";
        const { result, again } = await onSmallDisk("size=64m,nr_inodes=1000", fill);
        expect(result.notices).toEqual([DISK_NOTICE]);
        expect(again).toMatchObject({ code: "disk_full" });
      });
    });
  },
);

/** How many processes of this machine sleep for so many seconds. */
const sleeping = (seconds: string): number =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`sleep\0${seconds}`);
    } catch {
      return false;
    }
  }).length;
