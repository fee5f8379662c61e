import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FilesystemPermission } from "../../policy/file-permission.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { type BubblewrapOptions, BubblewrapProvider } from "../bubblewrap/bubblewrap-provider.js";
import type { CommandResult, Sandbox } from "../contract.js";

const W = "/mnt/user-data/workspace";
const NOBODY = { uid: 65_534, gid: 65_534 };
const IDENTITIES: readonly (readonly [string, BubblewrapOptions["identity"]])[] =
  process.getuid?.() === 0
    ? [
        ["root", undefined],
        ["an ordinary user", NOBODY],
      ]
    : [["an ordinary user", undefined]];

const deny = (operations: string, ...paths: readonly string[]): FilesystemPermission => ({
  // The tests write nothing else.
  operations: operations.split("+") as FilesystemPermission["operations"],
  paths,
  mode: "deny",
});
const allow = (operations: string, ...paths: readonly string[]): FilesystemPermission => ({
  ...deny(operations, ...paths),
  mode: "allow",
});

describe.skipIf(!(await bubblewrapWorks())).each(IDENTITIES)(
  "path rules in the commands of a host that runs as %s",
  (_name, identity) => {
    let opened: FreshSandbox;
    beforeEach(async () => {
      opened = await openSandbox(
        new BubblewrapProvider(identity === undefined ? {} : { identity }),
        identity,
      );
    });
    afterEach(() => opened.close());

    const host = (path: string) => join(opened.workspace, path);
    const own = (path: string) => {
      if (identity !== undefined) chownSync(path, identity.uid, identity.gid);
    };
    /** Makes files, and the folders above them, as a command would have. */
    const put = (...paths: readonly string[]) => {
      for (const path of paths) {
        let folder = opened.workspace;
        for (const name of dirname(path).split("/")) {
          folder = join(folder, name);
          if (existsSync(folder)) continue;
          mkdirSync(folder);
          own(folder);
        }
        writeFileSync(host(path), `content of ${path}\n`);
        own(host(path));
      }
    };
    const under = (...rules: readonly FilesystemPermission[]): Sandbox => {
      const kept = opened.sandbox.keeping?.({ rules, home: W });
      if (kept === undefined) throw new Error("this sandbox keeps no rules");
      return kept;
    };
    const run = (sandbox: Sandbox, command: string): Promise<CommandResult> =>
      sandbox.execute({ command, timeoutSeconds: 60 });
    const hostText = (path: string) => readFileSync(host(path), "utf8");
    /** What was moved aside, as paths below its own folder. */
    const refused = (): readonly string[] =>
      spawnSync("find", [".refused", "-mindepth", "2", "!", "-type", "d"], {
        cwd: opened.workspace,
        encoding: "utf8",
      })
        .stdout.split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split("/").slice(2).join("/"))
        .toSorted();

    it("hide a file and a tree that may not be read, and leave the rest", async () => {
      put("a/key", "a/other", "tree/x/y", "free");
      const sandbox = under(deny("read", `${W}/a/key`), deny("read", `${W}/tree/**`));
      const { output } = await run(
        sandbox,
        "cat a/key; cat tree/x/y; ls tree; cat a/other free; echo new > a/third && cat a/third",
      );
      expect(output).not.toContain("content of a/key");
      expect(output).not.toContain("content of tree");
      expect(output).toContain("content of a/other");
      expect(output).toContain("content of free");
      expect(output).toContain("new");
    });

    it.each([
      ["echo x > plan.md"],
      ["echo x | tee plan.md"],
      ["sed -i s/content/x/ plan.md"],
      [`python3 -c 'open("plan.md","w").write("x")'`],
      ["rm -f plan.md"],
      ["mv plan.md other.md"],
      ["cp free plan.md"],
      ["mv free plan.md"],
      ["ln -f free plan.md"],
      ["ln -sf free plan.md"],
      ["truncate -s 0 plan.md"],
      ["chmod 777 plan.md; echo x > plan.md"],
      [`rm -rf ${W}`],
      ["find . -delete"],
    ])("keep a file as it is under: %s", async (command) => {
      put("plan.md", "free");
      await run(under(deny("write", `${W}/plan.md`)), command);
      expect(hostText("plan.md")).toBe("content of plan.md\n");
      expect(lstatSync(host("plan.md")).isFile()).toBe(true);
    });

    it("let a file that may not be written be read", async () => {
      put("plan.md");
      expect((await run(under(deny("write", `${W}/plan.md`)), "cat plan.md")).output).toContain("content");
    });

    it("do not let a protected file be moved away with a folder above it", async () => {
      put("a/b/key", "a/b/free", "a/ro");
      const sandbox = under(deny("read+write", `${W}/a/b/key`), deny("write", `${W}/a/ro`));
      const { output } = await run(
        sandbox,
        "mv a a2; mv a/b a/c; mv a/b b2; rm -rf a; cat a/b/key a2/b/key a/c/key b2/key",
      );
      expect(output).not.toContain("content of a/b/key");
      expect(output).toContain("Device or resource busy");
      expect(hostText("a/b/key")).toBe("content of a/b/key\n");
      expect(hostText("a/ro")).toBe("content of a/ro\n");
      expect(existsSync(host("a/b/free"))).toBe(false);
    });

    it("do not let a hard link be made of a protected file", async () => {
      put("a/key", "a/ro");
      const sandbox = under(deny("read", `${W}/a/key`), deny("write", `${W}/a/ro`));
      const { output } = await run(sandbox, "ln a/ro a/link; ln a/key a/link2; ln a/ro /tmp/l; ls a");
      expect(output).toContain("cross-device link");
      expect(readdirSync(host("a"))).toEqual(["key", "ro"]);
    });

    it("hold under every spelling through a link, also one of an earlier command", async () => {
      put("a/key", "ro");
      const sandbox = under(deny("read", `${W}/a/key`), deny("write", `${W}/ro`));
      await run(sandbox, "ln -s a l; ln -s a/key k; ln -s ../ro a/r");
      const { output } = await run(
        sandbox,
        "cat l/key k /proc/self/cwd/a/key l/../a/key; echo x > a/r; echo x > l/r",
      );
      expect(output).not.toContain("content of");
      expect(hostText("ro")).toBe("content of ro\n");
    });

    it("hold where a rule's own path leads through a link, and put the link back", async () => {
      put("real/key", "other/key");
      symlinkSync("real", host("link"));
      own(opened.workspace);
      const sandbox = under(deny("read+write", `${W}/link/**`));
      expect((await run(sandbox, "cat link/key real/key; ls real")).output).not.toContain("content of");
      const swap = await run(sandbox, "rm link; ln -s other link; cat link/key real/key");
      expect(swap.output).not.toContain("content of real/key");
      expect(swap.notices?.join()).toContain(`${W}/link`);
      expect(readlinkSync(host("link"))).toBe("real");
      const { output } = await run(sandbox, "cat real/key; mv real elsewhere; cat elsewhere/key");
      expect(output).not.toContain("content of");
    });

    it("put back what is made at a place that was not there, and say so", async () => {
      const sandbox = under(deny("write", `${W}/final.md`, `${W}/deep/er/**`));
      const { notices, exitCode } = await run(
        sandbox,
        "mkdir -p deep/er/x && echo 1 > deep/er/x/y && echo 2 > final.md",
      );
      expect(exitCode).toBe(0);
      expect(existsSync(host("final.md"))).toBe(false);
      expect(existsSync(host("deep/er"))).toBe(false);
      expect(refused()).toEqual(["deep/er/x/y", "final.md"]);
      expect(notices).toHaveLength(1);
      expect(notices?.[0]).toContain(`${W}/final.md`);
      expect(notices?.[0]).toContain(`${W}/deep/er`);
      expect(notices?.[0]).not.toContain(opened.folder);
      // What was moved aside can be looked at, and not be changed.
      const later = await run(sandbox, "cat .refused/*/final.md; echo x > .refused/x; rm -rf .refused");
      expect(later.output).toContain("2\n");
      expect(later.notices).toBeUndefined();
      expect(refused()).toEqual(["deep/er/x/y", "final.md"]);
    });

    it("hold for wildcards, at any depth, with braces and dots", async () => {
      put("a/one.pem", "a/.two.pem", "b/c/.env", "b/c/.env.local", "x.pem.txt");
      const sandbox = under(deny("read", `${W}/**/*.pem`), deny("read+write", `${W}/**/{.env,.env.*}`));
      const { output, notices } = await run(
        sandbox,
        "cat a/one.pem a/.two.pem b/c/.env b/c/.env.local x.pem.txt; echo 1 > .env; echo 2 > b/c/.env; mkdir -p n/m && echo 3 > n/m/.env.x; mv x.pem.txt b/.env.y",
      );
      expect(output.match(/content of .*/g)).toEqual(["content of x.pem.txt"]);
      expect(hostText("b/c/.env")).toBe("content of b/c/.env\n");
      expect(refused()).toEqual([".env", "b/.env.y", "n/m/.env.x"]);
      expect(notices?.[0]).toContain(`${W}/n/m/.env.x`);
    });

    it("hide at the next command what the last one made", async () => {
      const sandbox = under(deny("read", `${W}/**/*.pem`));
      await run(sandbox, "mkdir d; echo secret > d/x.pem");
      expect((await run(sandbox, "cat d/x.pem; mv d e; cat e/x.pem")).output).not.toContain("secret");
    });

    it("hold for names that are no UTF-8", async () => {
      const sandbox = under(deny("read+write", `${W}/**/*.pem`));
      await run(opened.sandbox, "mkdir $'d\\xff'; echo secret > $'d\\xff/\\xfe.pem'");
      const { output, notices } = await run(
        sandbox,
        "cat d*/*.pem; mv d* e; cat e/*.pem; echo x > $'\\xfd.pem'; rm -rf d*",
      );
      expect(output).not.toContain("secret");
      expect(notices?.[0]).toContain(".pem");
      expect(refused()).toHaveLength(1);
      expect((await run(opened.sandbox, "cat d*/*.pem")).output).toBe("secret\n");
    });

    it("allow what an allow rule carves out of a denied tree", async () => {
      put("t/pub/x", "t/pub/in/secret", "t/hid", "ro/out/x", "ro/k");
      const sandbox = under(
        deny("read+write", `${W}/t/pub/in/**`),
        allow("read+write", `${W}/t/pub/**`),
        deny("read+write", `${W}/t/**`),
        allow("write", `${W}/ro/out/**`),
        deny("write", `${W}/ro/**`),
      );
      const { output } = await run(
        sandbox,
        "cat t/pub/x t/hid t/pub/in/secret ro/k; echo new > t/pub/y; echo 1 > t/z; echo 1 > ro/k; echo 2 > ro/out/x; echo 3 > ro/out/z; mv ro/out ro/o",
      );
      expect(output.match(/content of .*/g)).toEqual(["content of t/pub/x", "content of ro/k"]);
      expect(hostText("t/pub/y")).toBe("new\n");
      expect(existsSync(host("t/z"))).toBe(false);
      expect(hostText("ro/k")).toBe("content of ro/k\n");
      expect(hostText("ro/out/x")).toBe("2\n");
      expect(hostText("ro/out/z")).toBe("3\n");
      expect(refused()).toEqual([]);
    });

    it("hide all mounts but what is allowed", async () => {
      put("x");
      const sandbox = under(allow("read+write", `${W}/**`), deny("read+write", "/**"));
      const { output, exitCode } = await run(
        sandbox,
        "ls /mnt/skills; touch /mnt/skills/x; cat x; echo y > y; ls /usr/bin/env; node -p 1+1; echo t > /tmp/t",
      );
      expect(exitCode).toBe(0);
      expect(output).toContain("cannot open directory '/mnt/skills'");
      expect(output).toContain("content of x");
      expect(output).toContain("/usr/bin/env\n2\n");
      expect(hostText("y")).toBe("y\n");
    });

    it("deny in a command what a person would have to allow", async () => {
      put("plan.md");
      const rule: FilesystemPermission = { ...deny("write", "~/plan.md"), mode: "interrupt" };
      await run(under(rule), "echo x > plan.md");
      expect(hostText("plan.md")).toBe("content of plan.md\n");
    });

    it("run nothing when there is too much to protect, until there is less", async () => {
      put(...Array.from({ length: 1001 }, (_, at) => `many/${at}.pem`));
      const sandbox = under(deny("read", `${W}/**/*.pem`));
      await expect(run(sandbox, "touch ran")).rejects.toMatchObject({
        code: "permissions_too_wide",
        sentence: expect.stringMatching(/by rules about .*\*\*\/\*\.pem\. Remove with the file tools/),
      });
      expect(existsSync(host("ran"))).toBe(false);
      rmSync(host("many"), { recursive: true });
      expect((await run(sandbox, "touch ran")).exitCode).toBe(0);
    });

    it("refuse rules about the sandbox's own system, and need nothing for what is not there", () => {
      expect(() => under(deny("read", "/etc/**"))).toThrow("/etc");
      expect(() => under(deny("read", "/tmp/x"))).toThrow("each command's own");
      expect(() => under(deny("read", "/home/somebody/**"))).not.toThrow();
    });

    it("are not tricked by what stands in the way of moving aside", async () => {
      const sandbox = under(deny("write", `${W}/*.pem`, `${W}/d/**`));
      const { notices } = await run(
        sandbox,
        "ln -s /etc .refused; echo 1 > a.pem; mkdir -p d/e; echo 2 > d/e/f; chmod 000 d/e d; ln -s /usr b.pem",
      );
      expect(notices?.[0]).toContain(`${W}/a.pem`);
      expect(existsSync(host("a.pem"))).toBe(false);
      expect(existsSync(host("b.pem"))).toBe(false);
      expect(existsSync(host("d"))).toBe(false);
      expect(readlinkSync(host(".refused"))).toBe("/etc");
      const [folder = ""] = readdirSync(opened.workspace).filter((name) => name.startsWith(".refused-"));
      const [id = ""] = readdirSync(host(folder));
      expect(readdirSync(host(join(folder, id))).toSorted()).toEqual(["a.pem", "b.pem", "d"]);
    });

    it("check what a stopped command left", async () => {
      const sandbox = under(deny("write", `${W}/*.pem`));
      const { timedOut, notices } = await sandbox.execute({
        command: "echo 1 > a.pem; sleep 60",
        timeoutSeconds: 1,
      });
      expect(timedOut).toBe(true);
      expect(notices?.join()).toContain(`${W}/a.pem`);
      expect(existsSync(host("a.pem"))).toBe(false);
    });

    it("let a command wait for one beside it that could change what it protects", async () => {
      const sandbox = under(deny("read", `${W}/**/*.pem`));
      const first = run(sandbox, "mkdir d; echo secret > d/x.pem; sleep 1; echo first > order");
      await expect.poll(() => existsSync(host("d/x.pem"))).toBe(true);
      const second = await run(sandbox, "cat order d/x.pem");
      await first;
      expect(second.output).toContain("first\n");
      expect(second.output).not.toContain("secret");
    });

    it("let commands that protect the same run side by side", async () => {
      put("x.pem", "y.pem");
      const sandbox = under(deny("read", `${W}/**/*.pem`));
      const wait = (mine: string, other: string) =>
        `touch ${mine}; for i in $(seq 200); do [ -e ${other} ] && exit 0; sleep 0.05; done; exit 1`;
      const both = await Promise.all([run(sandbox, wait("a", "b")), run(sandbox, wait("b", "a"))]);
      expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    });
  },
);
