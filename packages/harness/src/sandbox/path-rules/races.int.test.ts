import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FilesystemPermission } from "../../policy/file-permission.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { scaled } from "../../testing/test-scale.js";
import { BubblewrapProvider } from "../bubblewrap/bubblewrap-provider.js";
import type { CommandRequest, Sandbox } from "../contract.js";
import { HostFolder } from "./host-folder.js";
import { PathKeeper } from "./path-keeper.js";

const W = "/mnt/user-data/workspace";
/** Puts the folder `d` and the link `l` in each other's place, again and again. Linux' renameat2(). */
const EXCHANGE = `import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
while True: libc.renameat2(-100, (sys.argv[1] + "d").encode(), -100, (sys.argv[1] + "l").encode(), 2)`;

const deny = (operation: "read" | "write", ...paths: readonly string[]): FilesystemPermission => ({
  operations: [operation],
  paths,
  mode: "deny",
});
const keeping = (sandbox: Sandbox, ...rules: readonly FilesystemPermission[]): Sandbox => {
  const kept = sandbox.keeping?.({ rules, home: W });
  if (kept === undefined) throw new Error("this sandbox keeps no rules");
  return kept;
};

describe.skipIf(!(await bubblewrapWorks()))("commands beside a command with rules", () => {
  let opened: FreshSandbox;
  beforeEach(async () => {
    opened = await openSandbox(new BubblewrapProvider());
  });
  afterEach(() => opened.close());

  const host = (path: string) => join(opened.workspace, path);
  const run = (sandbox: Sandbox, command: string, more: Partial<CommandRequest> = {}) =>
    sandbox.execute({ command, timeoutSeconds: 60, ...more });

  it("wait for it, and it for them, also where another provider has the same folder", async () => {
    const other = new BubblewrapProvider();
    const mounts = [{ virtualPath: "/elsewhere", hostPath: opened.workspace, mode: "read-write" }] as const;
    const elsewhere = await other.acquire({ id: "other", mounts, workingDirectory: "/elsewhere" });
    const kept = keeping(opened.sandbox, deny("write", `${W}/*.md`));
    const order = ": > $0-began; sleep 0.5; [ $(ls *-began | wc -l) = 1 ] || echo beside; rm $0-began";
    const named = (name: string) => `bash -c '${order}' ${name}`;
    try {
      const ends = await Promise.all([
        run(elsewhere, named("a")),
        run(kept, named("b")),
        run(opened.sandbox, named("c")),
        run(kept, named("d")),
      ]);
      expect(ends.map(({ output }) => output)).toEqual(["", "", "", ""]);
    } finally {
      await other.close();
    }
  });

  it("never make it show what is on the host, by putting links in the place of folders", async () => {
    const secret = mkdtempSync(join(tmpdir(), "deerflow-races-"));
    try {
      writeFileSync(join(secret, "x.pem"), "of the host\n");
      mkdirSync(host("d"));
      writeFileSync(host("d/x.pem"), "of the agent\n");
      symlinkSync(secret, host("l"));
      const kept = keeping(opened.sandbox, deny("write", `${W}/**/*.pem`));
      for (let round = 0; round < scaled(60, 6); round += 1) {
        const attack = run(opened.sandbox, `timeout 0.2 python3 -c '${EXCHANGE}' ""; true`);
        const { output } = await run(kept, "cat */x.pem; true");
        expect(output).not.toContain("of the host");
        await attack;
      }
    } finally {
      rmSync(secret, { recursive: true });
    }
  });

  it("take of its time while it waits for them", async () => {
    const kept = keeping(opened.sandbox, deny("write", `${W}/*.md`));
    const first = run(opened.sandbox, ": > began; while [ ! -e over ]; do sleep 0.05; done");
    await expect.poll(() => existsSync(host("began"))).toBe(true);
    const second = await run(kept, ": > ran", { timeoutSeconds: 0.3 });
    writeFileSync(host("over"), "");
    await first;
    expect(second).toMatchObject({ exitCode: 124, timedOut: true, output: "" });
    expect(second.notices).toEqual([expect.stringContaining("waited for another command")]);
    expect(second.durationMilliseconds).toBeGreaterThanOrEqual(300);
    expect(existsSync(host("ran"))).toBe(false);
  });
});

describe.skipIf(!(await bubblewrapWorks()))("what a command leaves against the rules", () => {
  let opened: FreshSandbox;
  beforeEach(async () => {
    opened = await openSandbox(new BubblewrapProvider({ environment: { EVERYWHERE_KEY: "known-to-all" } }));
  });
  afterEach(() => opened.close());

  const host = (path: string) => join(opened.workspace, path);

  it("is told without secrets, host paths and what would steer a terminal", async () => {
    const { notices = [] } = await keeping(opened.sandbox, deny("write", `${W}/**/*.lock`)).execute({
      command: `: > "x-$TOK.lock"; : > "y-$EVERYWHERE_KEY.lock"; : > "z-$(printf %s "$TOK" | base64).lock"
        : > $'e\\e[31m\\u202e\\u200b\\U000e0041.lock'; mkdir -p "./$WHERE" && : > "./$WHERE/h.lock"
        : > "$(printf '%0150d' 0)$TOK.lock"`,
      secrets: { TOK: "very-secret-value" },
      env: { WHERE: opened.workspace },
    });
    const told = notices.join("\n");
    expect(told).toContain("x-[redacted TOK].lock");
    expect(told).toContain("y-[redacted EVERYWHERE_KEY].lock");
    expect(told).toContain("h.lock");
    expect(told).toContain(String.raw`e\u001b[31m\u202e\u200b\udb40\udc41.lock`);
    for (const secret of ["very-secret", "known-to-all", opened.workspace, "dmVyeS1zZWNyZXQ"]) {
      expect(told).not.toContain(secret);
    }
    expect(told).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.each([["."], [".."], ["sub"], ["/etc"]])(
    "goes elsewhere where a link to %s has the name of its folder, which stays a link like any",
    async (target) => {
      const kept = keeping(opened.sandbox, deny("write", `${W}/*.lock`));
      const first = await kept.execute({
        command: `mkdir sub; ln -s ${target} .refused; echo 1 > a.lock`,
      });
      expect(first.notices?.[0]).toMatch(/\.refused-[\dTZ-]+-[0-9a-f]{8}/);
      expect(existsSync(host("a.lock"))).toBe(false);
      const later = await kept.execute({
        command: "echo 2 > free && echo 3 > sub/free && rm .refused && mkdir .refused && echo 4 > .refused/x",
      });
      expect(later).toMatchObject({ output: "", exitCode: 0 });
      expect(later.notices).toBeUndefined();
    },
  );

  it("goes elsewhere where a file has the name of its folder", async () => {
    const kept = keeping(opened.sandbox, deny("write", `${W}/*.lock`));
    const first = await kept.execute({ command: "echo 0 > .refused; echo 1 > a.lock" });
    expect(first.notices?.[0]).toContain(`${W}/a.lock`);
    expect((await kept.execute({ command: "echo 2 > .refused && rm .refused" })).exitCode).toBe(0);
  });

  it("does not stay because its folder has the name of one of those", async () => {
    const kept = keeping(opened.sandbox, deny("write", `${W}/**/*.lock`));
    await kept.execute({ command: "echo 1 > a.lock" });
    const { notices } = await kept.execute({
      command:
        "id=$(ls .refused | head -1); mkdir -p d/$id d/.refused/$id; echo 2 > d/$id/b.lock; echo 3 > d/.refused/$id/c.lock",
    });
    expect(notices?.[0]).toContain("b.lock");
    expect(notices?.[0]).toContain("c.lock");
    expect(readdirSync(host("d"), { recursive: true }).filter((path) => String(path).endsWith("k"))).toEqual(
      [],
    );
  });
});

describe("a tree that changes while it is looked at", () => {
  it("does not fail where a link and a folder change places", async () => {
    const folder = mkdtempSync(join(tmpdir(), "deerflow-races-"));
    mkdirSync(join(folder, "d"));
    symlinkSync("/etc", join(folder, "l"));
    const exchange = spawn("python3", ["-c", EXCHANGE, `${folder}/`], { stdio: "ignore" });
    const root = HostFolder.open(folder);
    try {
      const seen = new Set<string>();
      await expect
        .poll(() => {
          for (let round = 0; round < 20_000; round += 1) {
            seen.add(root?.target(Buffer.from("l"))?.toString() ?? "none");
            root?.child(Buffer.from("d"))?.close();
          }
          return [...seen].toSorted();
        })
        .toEqual(["/etc", "none"]);
    } finally {
      root?.close();
      exchange.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    }
  });

  it("and cannot be looked at makes no command run, and shows no path of the host", async () => {
    const hostPath = `/tmp/${"x".repeat(300)}`;
    const mounts = [{ virtualPath: W, hostPath, mode: "read-write" }] as const;
    const keeper = new PathKeeper({ rules: { rules: [deny("write", `${W}/*.md`)] }, mounts });
    const { signal } = new AbortController();
    await expect(keeper.begin({ signal, onWait: () => undefined })).rejects.toMatchObject({
      code: "permissions_too_wide",
      sentence: expect.not.stringContaining("xxx"),
    });
  });
});
