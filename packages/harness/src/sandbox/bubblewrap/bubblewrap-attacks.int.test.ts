/** What a hostile command tries. Everything here runs inside the sandbox, with small limits. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, createServer as createSocketServer, type AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { BubblewrapProvider, type BubblewrapOptions } from "./bubblewrap-provider.js";

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
/** Host users under whom the sandbox is attacked. A root host is the harder case, and an ordinary user the common one. */
const IDENTITIES: readonly (readonly [string, BubblewrapOptions["identity"]])[] = isRoot
  ? [
      ["root", undefined],
      ["an ordinary user", NOBODY],
    ]
  : [["an ordinary user", undefined]];

const LIMITS = {
  cpuSeconds: 1,
  memoryMebibytes: 512,
  fileMebibytes: 2,
  temporaryMebibytes: 4,
  openFiles: 300,
  processes: 60,
};

describe.skipIf(!(await bubblewrapWorks())).each(IDENTITIES)(
  "a sandbox of a host that runs as %s",
  (_name, identity) => {
    let opened: FreshSandbox;
    const execute = (command: string, timeoutSeconds = 20) =>
      opened.sandbox.execute({ command, timeoutSeconds });
    /** "no" unless the command succeeded. */
    const succeeds = async (command: string) => ((await execute(command)).exitCode === 0 ? "yes" : "no");

    beforeAll(async () => {
      const provider = new BubblewrapProvider({
        limits: LIMITS,
        ...(identity === undefined ? {} : { identity }),
      });
      opened = await openSandbox(provider, identity);
      writeFileSync(join(opened.folder, "secret.txt"), "a secret of the host\n");
    });
    afterAll(() => opened.close());

    describe("keeps the network out", () => {
      let server: Server;
      let requests = 0;
      let port = 0;
      beforeAll(async () => {
        server = createServer((_request, response) => {
          requests += 1;
          response.end("host");
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        // Listening on a TCP port, so the address is no string.
        port = (server.address() as AddressInfo).port;
      });
      afterAll(() => server.close());

      it("also the host's own loopback servers", async () => {
        expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("host");
        expect(await succeeds(`exec 5<>/dev/tcp/127.0.0.1/${port}`)).toBe("no");
        expect(
          await succeeds(`node -e 'fetch("http://127.0.0.1:${port}").catch(() => process.exit(1))'`),
        ).toBe("no");
        expect(requests).toBe(1);
      });

      it("also UNIX sockets in a folder that it shows", async () => {
        const path = join(opened.workspace, "host.sock");
        const unix = createSocketServer((socket) => socket.end());
        await new Promise<void>((resolve) => unix.listen(path, resolve));
        await new Promise<void>((resolve) => connect(path, resolve).on("data", () => undefined));
        const { output } = await execute(
          `node -e 'require("net").connect("host.sock").on("error", (e) => console.log(e.code))'`,
        );
        expect(output).toBe("EPERM\n");
        unix.close();
      });
    });

    describe("hides the host's files:", () => {
      it.each([
        ["the neighbour of a mounted folder", () => join(opened.folder, "secret.txt")],
        ["the project", () => join(process.cwd(), "package.json")],
        ["the home folder", () => homedir()],
        ["the passwords", () => "/etc/shadow"],
        ["private keys", () => "/etc/ssl/private"],
        ["a disk", () => "/dev/vda"],
        ["the kernel's memory", () => "/proc/kcore"],
        ["devices and drivers", () => "/sys"],
      ])("%s", async (_what, path) => {
        expect(await succeeds(`ls -d -- "${path()}"`)).toBe("no");
      });

      it("and the host's processes", async () => {
        const { output } = await execute("cat /proc/[0-9]*/cmdline");
        expect(output).toContain("/bin/sh");
        expect(output).not.toContain("vitest");
        expect(Number((await execute("ls -d /proc/[0-9]* | wc -l")).output)).toBeLessThan(10);
      });

      it("also behind a link that a command plants", async () => {
        const plant = `ln -sf /etc/shadow a; ln -sf "${join(opened.folder, "secret.txt")}" b`;
        const { output } = await execute(
          `${plant}; cat a b; cat /proc/1/root/etc/shadow; cat ../../../etc/shadow`,
        );
        expect(output).not.toMatch(/root:|a secret/);
      });
    });

    describe("cannot be written outside the workspace:", () => {
      it.each([
        "/x",
        "/usr/x",
        "/usr/bin/x",
        "/bin/x",
        "/etc/x",
        "/etc/passwd",
        "/dev/x",
        "/opt/deerflow/bin/node",
        "/opt/deerflow/bin/x",
        "/mnt/x",
        "/mnt/skills/x",
        "/proc/sys/kernel/printk_ratelimit",
        "/proc/sysrq-trigger",
        "/proc/self/oom_score_adj",
      ])("%s", async (path) => {
        // Opens for appending and writes nothing, so that a hole would do no harm.
        expect(await succeeds(`: >> ${path}`)).toBe("no");
      });

      it("but there and in the temporary folders it can", async () => {
        expect(
          await succeeds(": >> x && : >> /tmp/x && : >> $TMPDIR/x && : >> /dev/shm/x && : > /dev/null"),
        ).toBe("yes");
      });
    });

    describe("gives no way to more rights:", () => {
      it.each([
        ["a user namespace", "unshare --user true"],
        ["a mount namespace", "unshare --mount true"],
        ["a sandbox in the sandbox", "bwrap --ro-bind / / true"],
        ["a mount", "mount -t tmpfs none /tmp"],
        ["a device file", "mknod disk b 254 0"],
        ["a change of root", "chroot / true"],
        ["the kernel's log", "dmesg"],
      ])("%s", async (_what, command) => {
        expect(await succeeds(command)).toBe("no");
      });

      it("no capabilities, no new privileges, a system call filter", async () => {
        const { output } = await execute("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status");
        expect(output.replaceAll("\t", " ")).toBe(
          "CapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n",
        );
      });

      it("no tracing and no key rings", async () => {
        const [ptrace, keyctl] = process.arch === "x64" ? [101, 250] : [117, 219];
        const perl = `for (${ptrace}, ${keyctl}) { print syscall($_, 0, 0, 0, 0), " $!\\n" }`;
        expect((await execute(`perl -e '${perl}'`)).output).toBe(
          "-1 Operation not permitted\n-1 Operation not permitted\n",
        );
      });

      it("no file with setuid or setgid bits, however it is made", async () => {
        const [openat, mknodat] = process.arch === "x64" ? [257, 259] : [56, 33];
        // Variables, because Perl hands no constant to a system call.
        const perl = [
          'for my $bit (04000, 02000) { my ($tool, $made, $node) = ("tool", "made$bit", "node$bit")',
          String.raw`print chmod($bit | 0755, $tool) || "$!", "\n"`,
          String.raw`print syscall(${openat}, -100, $made, 0101, $bit | 0755), " $!\n"`,
          String.raw`print syscall(${mknodat}, -100, $node, 0100000 | $bit | 0755, 0), " $!\n"`,
          String.raw`print syscall(452, -100, $tool, $bit | 0755, 0), " $!\n" }`,
        ].join("; ");
        writeFileSync(join(opened.workspace, "special.pl"), perl);
        const { output } = await execute("touch tool; chmod 1755 tool && perl special.pl; chmod 755 tool");
        const refused = "Operation not permitted\n";
        expect(output).toBe(`${refused}${`-1 ${refused}`.repeat(3)}`.repeat(2));
        expect(await succeeds("cp tool copy && mkdir new && install -m 700 tool installed")).toBe("yes");
        expect((await execute("find . -perm /6000")).output).toBe("");
      });

      it("no terminal of the host", async () => {
        expect(await succeeds("tty || : < /dev/tty")).toBe("no");
      });
    });

    describe("is bounded:", () => {
      it("memory", async () => {
        const { exitCode, output } = await execute(
          `node -e 'Buffer.alloc(700 * 2 ** 20).fill(1); console.log("got it")'`,
        );
        expect(output).not.toContain("got it");
        expect(exitCode).not.toBe(0);
      });

      it("processor time", async () => {
        expect((await execute("while :; do :; done")).exitCode).toBeGreaterThan(128);
      });

      it("files, and the temporary folder", async () => {
        await execute("head -c 4M /dev/zero > big");
        expect(statSync(join(opened.workspace, "big")).size).toBe(LIMITS.fileMebibytes * 2 ** 20);
        const fill = "for i in 1 2 3 4; do head -c 2M /dev/zero > /tmp/$i; done";
        expect((await execute(fill)).output).toContain("No space left on device");
      });

      it("open files", async () => {
        expect(await succeeds("exec 299</dev/null")).toBe("yes");
        expect(await succeeds("exec 300</dev/null")).toBe("no");
      });

      it("a bomb of processes, by the timeout at the latest", async () => {
        // Doubles five times in its second, so at most some sixty processes at once.
        const bomb = "f() { sleep 0.2; f & f & wait; }; f";
        expect(await execute(bomb, 1)).toMatchObject({ timedOut: true });
      });

      // The kernel does not count the processes of the host's root.
      it.skipIf(isRoot && identity === undefined)("the number of processes", async () => {
        const script = `let n = 0;
        const next = () => {
          const child = require("child_process").spawn("sleep", ["9"]);
          child.on("error", (error) => { console.log(n, error.code); process.exit(); });
          child.on("spawn", () => { n += 1; if (n < 90) next(); else process.exit(); });
        };
        next();`;
        writeFileSync(join(opened.workspace, "fork.js"), script);
        expect((await execute("node fork.js")).output).toMatch(/^\d+ EAGAIN\n$/);
      });
    });

    it("shows commands a user of their own, whose files belong to the host's user", async () => {
      expect((await execute("id -un; id -u; echo x > mine")).output).toBe("deerflow\n1000\n");
      expect(readFileSync(join(opened.workspace, "mine"), "utf8")).toBe("x\n");
      expect(statSync(join(opened.workspace, "mine")).uid).toBe(identity?.uid ?? process.getuid?.());
    });

    it("can write to the devices of its own output, which need a pipe", async () => {
      expect(
        (await execute("echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/fd/2")).output,
      ).toBe("a\nb\nc\nc\n");
    });

    it("shows a command nothing of how it was started", async () => {
      const { output } = await execute(
        "cat /proc/1/environ /proc/1/cmdline /proc/self/mountinfo; ls -l /proc/self/fd",
      );
      expect(output).not.toContain(`=${homedir()}`);
      expect(output).not.toContain("deerflow-");
      expect(output).not.toContain(opened.folder);
    });
  },
);
