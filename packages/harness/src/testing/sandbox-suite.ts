/** What every sandbox must keep. A provider is done when this passes; run it from an `.int.test.ts` file. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandRequest, Sandbox, SandboxProvider } from "../sandbox/contract.js";

/** One acquired sandbox whose working directory is `/mnt/user-data/workspace`. */
export interface OpenSandbox {
  readonly provider: SandboxProvider;
  readonly sandbox: Sandbox;
  /** The host folder behind the working directory. */
  readonly workspace: string;
  /** Lets the sandbox go and removes its folders. */
  close(): Promise<void>;
}

const WORKSPACE = "/mnt/user-data/workspace";
const SECRET = "DEERFLOW_TEST_SECRET_TOKEN";

/** How many processes of this host have `mark` in their command line. */
const processesMarked = (mark: string): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(mark)).length;

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It ended between the listing and the reading.
  }
}

let marks = 0;
/** A number of seconds that no other process sleeps for. */
const uniqueSleep = (): string => {
  marks += 1;
  return `7654.${process.pid}${marks}`;
};

export interface SandboxTraits {
  /** False where output is only known at the end of a command. */
  readonly hasLiveOutput?: boolean;
  /** Seconds after which a test kills a command; more than the start of one takes on a busy machine. Default 0.7. */
  readonly timeoutSeconds?: number;
}

/**
 * @param open makes one sandbox of the provider under test
 * @example sandboxSuite("bubblewrap", () => openBubblewrap());
 */
export function sandboxSuite(
  name: string,
  open: () => Promise<OpenSandbox>,
  { hasLiveOutput = true, timeoutSeconds = 0.7 }: SandboxTraits = {},
): void {
  describe(`${name} keeps the Sandbox contract`, () => {
    let opened: OpenSandbox;
    const execute = (command: string, request: Partial<CommandRequest> = {}) =>
      opened.sandbox.execute({ command, ...request });
    const outputOf = async (command: string, request: Partial<CommandRequest> = {}) =>
      (await execute(command, request)).output;

    beforeAll(async () => {
      process.env[SECRET] = "hunter2-hunter2";
      opened = await open();
    });
    afterAll(async () => {
      delete process.env[SECRET];
      await opened.close();
    });

    describe("a command's result", () => {
      it("holds the exit code and both streams in the order of writing", async () => {
        const { durationMilliseconds, ...result } = await execute(
          "echo one; echo two >&2; echo three; exit 7",
        );
        expect(result).toEqual({
          output: "one\ntwo\nthree\n",
          exitCode: 7,
          truncated: false,
          timedOut: false,
        });
        expect(durationMilliseconds).toBeGreaterThanOrEqual(0);
      });

      it("is a result also for a program that is not there or a command that bash cannot read", async () => {
        expect(await execute("no-such-program")).toMatchObject({ exitCode: 127 });
        expect((await execute("echo 'open")).exitCode).toBe(2);
      });

      it("keeps both ends of a flood of output, while the caller hears all of it", async () => {
        let heard = 0;
        const result = await execute("echo BEGIN; seq 1 60000; echo END", {
          onOutput: (chunk) => {
            heard += chunk.length;
          },
        });
        expect(result).toMatchObject({ truncated: true, exitCode: 0 });
        expect(result.output).toMatch(/^BEGIN\n[^]*characters left out[^]*\nEND\n$/);
        expect(result.output.length).toBeLessThan(101_000);
        expect(heard).toBeGreaterThan(300_000);
      });

      it("holds text of many bytes a character whole", async () => {
        expect(await outputOf("printf 'ä€😀%.0s' {1..3000}")).toBe("ä€😀".repeat(3000));
      });
    });

    describe("a command's surroundings", () => {
      it("are the working directory, or the one that was asked for", async () => {
        expect((await execute("pwd")).output.trim()).toBe(WORKSPACE);
        await execute("mkdir -p inner/deep");
        expect((await outputOf("pwd", { cwd: `${WORKSPACE}/inner/deep` })).trim()).toBe(
          `${WORKSPACE}/inner/deep`,
        );
      });

      it("are a failing result when the working directory is not there", async () => {
        const { exitCode, output } = await execute("pwd", { cwd: "/mnt/user-data/workspace/missing" });
        expect({ exitCode, output }).toEqual({
          exitCode: 1,
          output: expect.stringContaining("No such file or directory"),
        });
      });

      it("hold nothing of the host's environment", async () => {
        const output = await outputOf("env; cat /proc/self/environ");
        expect(output).not.toContain(SECRET);
        expect(output).not.toContain("hunter2");
      });

      it("hold the variables of the request", async () => {
        expect(await outputOf('echo "$GREETING"', { env: { GREETING: "a b'c\n$d" } })).toBe("a b'c\n$d\n");
      });

      it("hold the secrets of the request, which no output shows", async () => {
        let heard = "";
        const { output } = await execute(
          'echo "$KEY"; echo "${KEY:0:9}"; env | grep KEY; printf %s "user:$KEY" | base64; echo ${#KEY}',
          {
            secrets: { KEY: "s3cret-of-the-request" },
            onOutput: (chunk) => {
              heard += chunk;
            },
          },
        );
        const encoded = Buffer.from("user:s3cret-of-the-request").toString("base64");
        const [plain, part, variable, inBase64, length] = output.split("\n");
        expect([plain, part, variable, length]).toEqual([
          "[redacted KEY]",
          "s3cret-of",
          "KEY=[redacted KEY]",
          "21",
        ]);
        expect(inBase64).toContain("[redacted KEY]");
        expect(inBase64).not.toContain(encoded.slice(10, -4));
        expect(heard).toBe(output);
      });

      it("have an empty standard input", async () => {
        expect(await execute("cat; echo done")).toMatchObject({ output: "done\n", exitCode: 0 });
      });

      it("have node, bash and a folder for temporary files of the command's own", async () => {
        const [first, second] = await Promise.all([
          outputOf("node --version && touch $TMPDIR/x && echo $TMPDIR"),
          outputOf("node --version && touch $TMPDIR/x && echo $TMPDIR"),
        ]);
        expect(first).toContain(process.version);
        expect(first).not.toBe(second);
      });
    });

    describe("files", () => {
      it("written inside are there on the host, and can be changed and removed from both sides", async () => {
        await execute("echo inside > shared.txt; mkdir folder; echo x > folder/y");
        expect(readFileSync(join(opened.workspace, "shared.txt"), "utf8")).toBe("inside\n");
        expect(statSync(join(opened.workspace, "shared.txt")).uid).toBe(statSync(opened.workspace).uid);
        writeFileSync(join(opened.workspace, "shared.txt"), "host\n");
        expect(await outputOf("cat shared.txt && echo again >> shared.txt && rm -r folder && ls")).toContain(
          "host\n",
        );
        expect(readFileSync(join(opened.workspace, "shared.txt"), "utf8")).toBe("host\nagain\n");
      });

      it("never show their host path in output", async () => {
        const output = await outputOf(`ls -la; pwd -P; readlink -f .; ls ${WORKSPACE}/nowhere`);
        expect(output).toContain(`${WORKSPACE}/nowhere`);
        expect(output).not.toContain(opened.workspace);
      });
    });

    describe("the end of a command", () => {
      const background = (seconds: string) =>
        `sleep ${seconds} & setsid sleep ${seconds} & nohup sleep ${seconds} >/dev/null 2>&1 & (setsid nohup sleep ${seconds} &)`;
      const gone = (seconds: string) => expect.poll(() => processesMarked(`sleep\0${seconds}`)).toBe(0);

      it("does not wait for processes in the background, and leaves none", async () => {
        const seconds = uniqueSleep();
        expect(await execute(`${background(seconds)}; echo started`)).toMatchObject({
          output: "started\n",
          exitCode: 0,
        });
        await gone(seconds);
      });

      it("comes with the timeout, for the whole tree", async () => {
        const seconds = uniqueSleep();
        const result = await execute(`echo before; ${background(seconds)}; sleep ${seconds}`, {
          timeoutSeconds,
        });
        expect(result).toMatchObject({ output: "before\n", timedOut: true, exitCode: 124 });
        await gone(seconds);
      });

      it.runIf(hasLiveOutput)(
        "comes with the abort signal, for the whole tree, and rejects with its reason",
        async () => {
          const seconds = uniqueSleep();
          const stop = new AbortController();
          const command = execute(`${background(seconds)}; echo ready; sleep ${seconds}`, {
            signal: stop.signal,
            onOutput: () => stop.abort(new Error("the user stopped it")),
          });
          await expect(command).rejects.toThrow("the user stopped it");
          await gone(seconds);
        },
      );

      it("comes at once when the signal has aborted before", async () => {
        const command = execute("touch never.txt", { signal: AbortSignal.abort(new Error("too late")) });
        await expect(command).rejects.toThrow("too late");
        expect(readdirSync(opened.workspace)).not.toContain("never.txt");
      });

      it.runIf(hasLiveOutput)("comes with the release of the sandbox", async () => {
        const other = await open();
        const command = other.sandbox.execute({
          command: "echo ready; sleep 60",
          onOutput: () => void other.provider.release(other.sandbox.id),
        });
        await expect(command).rejects.toMatchObject({ code: "sandbox_released" });
        await other.close();
      });
    });

    it("runs commands side by side without mixing them up", async () => {
      const numbers = Array.from({ length: 8 }, (_, index) => String(index));
      const outputs = await Promise.all(numbers.map((n) => outputOf(`echo ${n} > n${n}; cat n${n}`)));
      expect(outputs).toEqual(numbers.map((n) => `${n}\n`));
    });

    it("takes any time limit above zero, and none at all", async () => {
      const limits = [Number.POSITIVE_INFINITY, 1e10, 3e6];
      const results = await Promise.all(limits.map((timeoutSeconds) => execute("true", { timeoutSeconds })));
      expect(results.map(({ exitCode, timedOut }) => [exitCode, timedOut])).toEqual(
        limits.map(() => [0, false]),
      );
    });

    it.each([
      ["an empty command", { command: " " }],
      ["a NUL character", { command: "echo a\0b" }],
      ["a NUL character in a variable", { command: "env", env: { A: "x\0--bind" } }],
      ["a variable without a valid name", { command: "env", env: { "A=B": "x" } }],
      ["a relative working directory", { command: "pwd", cwd: "inner" }],
      ["a command of 200,000 bytes", { command: `: ${"x".repeat(200_000)}` }],
      ["a variable of 200,000 bytes", { command: "true", env: { A: "x".repeat(200_000) } }],
      ["no time at all", { command: "true", timeoutSeconds: 0 }],
      ["a time limit that is no number", { command: "true", timeoutSeconds: Number.NaN }],
    ])("refuses %s", async (_name, request) => {
      await expect(opened.sandbox.execute(request)).rejects.toMatchObject({ code: "command_invalid" });
    });
  });
}
