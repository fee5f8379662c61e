import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../base/logger.js";
import type { FileData } from "../filesystem/file-data.js";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { StateBackend } from "../filesystem/state-backend.js";
import { withShell } from "../filesystem/with-shell.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { scriptedSandbox } from "../testing/scripted-sandbox.js";
import { verbsOnly } from "../testing/verbs-only.js";
import { commandOutputFiles } from "./command-output-files.js";
import { createFilesystemMiddleware } from "./filesystem.js";
import { DEFAULT_RETENTION } from "./offload-store.js";

let host: string;
beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), "deerflow-outputs-"));
});
afterEach(() => rmSync(host, { recursive: true }));

const disk = () =>
  new MountedDiskBackend({ mounts: [{ virtualPath: "/", hostPath: host, mode: "read-write" }] });
const place = { folder: "/results", retention: DEFAULT_RETENTION, logger: silentLogger };

describe("commandOutputFiles", () => {
  it("puts outputs into files with names of their own, whole or not at all", async () => {
    const outputs = commandOutputFiles({ ...place, files: disk() }, 1000);
    const [first, second, given] = await Promise.all([1, 2, 3].map(() => outputs.open("my tool")));
    for (const file of [first, second, given]) await file?.write(Buffer.from("out"));
    const paths = [await first?.commit(), await second?.commit()];
    await given?.abort();
    for (const path of paths) expect(path).toMatch(/^\/results\/my_tool-[0-9a-f]{12}\.log$/);
    expect(readdirSync(join(host, "results")).sort()).toEqual(paths.map((path) => path?.slice(9)).sort());
    expect(readFileSync(join(host, paths[0] ?? ""), "utf8")).toBe("out");
    expect(first?.maxBytes).toBe(1000);
  });

  it("takes less for files that are only taken whole", async () => {
    const outputs = commandOutputFiles({ ...place, files: verbsOnly(disk()) });
    const file = await outputs.open("bash");
    expect(file.maxBytes).toBe(10 * 1024 * 1024);
    for (const piece of ["one ", "two"]) await file.write(Buffer.from(piece));
    const path = await file.commit();
    expect(readFileSync(join(host, path), "utf8")).toBe("one two");
  });

  it("removes the oldest beyond the retention", async () => {
    const outputs = commandOutputFiles({
      ...place,
      files: disk(),
      retention: { maxFiles: 1, maxBytes: 100 },
    });
    let last: string | undefined;
    for (let count = 0; count < 3; count += 1) last = await (await outputs.open("bash")).commit();
    expect(readdirSync(join(host, "results"))).toEqual([last?.slice(9)]);
  });

  it("says so when the folder was moved away meanwhile", async () => {
    const file = await commandOutputFiles({ ...place, files: disk() }).open("bash");
    rmSync(join(host, "results"), { recursive: true });
    await expect(file.commit()).rejects.toThrow();
  });
});

describe("a long output under createFilesystemMiddleware", () => {
  const whole = "0123456789\n".repeat(20_000);
  const sandbox = scriptedSandbox(async ({ onOutput }) => {
    for (let at = 0; at < whole.length; at += 10_000) await onOutput?.(whole.slice(at, at + 10_000));
    return { output: `${whole.slice(0, 50_000)}\n[…]\n${whole.slice(-50_000)}`, truncated: true };
  });
  const shell = { sandbox, workingDirectory: "/", reachesHost: false };
  const pathIn = (message: BaseMessage | undefined) =>
    /in the file (\S+)\]/.exec(message?.text ?? "")?.[1] ?? "none";
  const turns = () =>
    new ScriptedModel([
      { calls: [{ name: "execute", args: { command: "x" } }] },
      (messages) => ({
        calls: [
          { name: "read_file", args: { file_path: pathIn(messages.at(-1)), offset: 19_999, limit: 5 } },
        ],
      }),
      { text: "done" },
    ]);
  const answersOf = (messages: readonly BaseMessage[]) =>
    messages.filter((message) => ToolMessage.isInstance(message));

  it("lies in the state of the graph where the files are, once, and can be read there", async () => {
    const backend = withShell(new StateBackend(), shell);
    const agent = createAgent({ model: turns(), middleware: [createFilesystemMiddleware({ backend })] });
    const { messages, ...state } = await agent.invoke({ messages: [new HumanMessage("go")] });
    const [stub, read] = answersOf(messages);
    const { files = {} } = state as { files?: Record<string, FileData> };
    expect(Object.keys(files)).toEqual([pathIn(stub)]);
    expect(stub?.text).toContain(`${whole.length} characters in 20000 lines. All of it is in the file`);
    expect(read?.text).toContain("0123456789");
  });

  it("goes past rules that leave it readable, and into no file that rules hide", async () => {
    const run = async (path: string) => {
      const files = withShell(new StateBackend(), shell);
      const backend = new CompositeBackend(files, { "/kept/": disk() }, { artifactsRoot: "/kept" });
      const permissions = [{ operations: ["write"] as const, paths: ["/kept/**"], mode: "deny" as const }];
      const hidden = [{ operations: ["read"] as const, paths: [path], mode: "deny" as const }];
      const agent = createAgent({
        model: turns(),
        middleware: [createFilesystemMiddleware({ backend, permissions: [...hidden, ...permissions] })],
      });
      return answersOf((await agent.invoke({ messages: [new HumanMessage("go")] })).messages);
    };
    const [stub, read] = await run("/kept/private/**");
    expect(stub?.artifact.full_output_path).toMatch(/^\/kept\/large_tool_results\/execute-/);
    expect(read?.text).toContain("0123456789");
    expect(readdirSync(join(host, "large_tool_results"))).toHaveLength(1);
    const [cut] = await run("/kept/large_tool_results/**");
    expect(cut?.artifact).not.toHaveProperty("full_output_path");
  });
});
