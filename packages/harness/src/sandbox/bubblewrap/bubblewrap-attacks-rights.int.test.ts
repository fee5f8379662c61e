/** How a hostile command tries to get more rights. Everything here runs inside the sandbox, with small limits. */
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attackedSandbox, IDENTITIES, IS_ROOT } from "../../testing/attacked-sandbox.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import type { FreshSandbox } from "../../testing/open-sandbox.js";

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];
/** Terminals have a file system of the sandbox's own. */
const ON_HOST = [...DEVICES, "pts", "pts/ptmx", "ptmx"].map((name) => `/dev/${name}`);
const stateOf = (path: string) => {
  const { mode, uid, gid, atimeMs, mtimeMs } = statSync(path);
  // Any program of the machine changes them by use; only the attack sets them into the last century.
  return { mode, uid, gid, hasOldTimes: Math.min(atimeMs, mtimeMs) < 1_000_000 };
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
      opened = await attackedSandbox(identity);
      writeFileSync(join(opened.folder, "secret.txt"), "a secret of the host\n");
    });
    afterAll(async () => {
      await opened.close();
      if (IS_ROOT) for (const name of DEVICES) chmodSync(`/dev/${name}`, 0o666);
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

      it("no change of the host's devices, which can be used all the same", async () => {
        const before = ON_HOST.map(stateOf);
        // The mode and owner that they have, so that a hole would do no harm.
        const perl = `for (qw(${DEVICES.join(" ")})) {
          my $path = "/dev/$_";
          print chmod(0666, $path), utime(1, 1, $path), chown($<, $(, $path), "\n";
        }`;
        writeFileSync(join(opened.workspace, "devices.pl"), perl);
        expect((await execute("perl devices.pl")).output).toBe("000\n".repeat(DEVICES.length));
        await execute("touch -d @1 /dev/pts /dev/pts/ptmx /dev/ptmx");
        expect(ON_HOST.map(stateOf)).toEqual(before);
        const used =
          "echo x > /dev/null; : < /dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c";
        expect((await execute(`${used}; echo x > /dev/full; stat -c %a /dev/null`)).output).toMatch(
          /^3\n3\n.*No space left on device\n666\n$/,
        );
      });

      it("no terminal of the host", async () => {
        expect(await succeeds("tty || : < /dev/tty")).toBe("no");
      });
    });
  },
);
