/** What a hostile command tries to see, to reach and to change. Everything here runs inside the sandbox, with small limits. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer as createSocketServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnsweringHost, attackedSandbox, IDENTITIES } from "../../testing/attacked-sandbox.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import type { FreshSandbox } from "../../testing/open-sandbox.js";

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
    afterAll(() => opened.close());

    describe("keeps the network out", () => {
      let host: AnsweringHost;
      beforeAll(async () => {
        host = await AnsweringHost.open();
      });
      afterAll(() => host.close());

      it("also the host's own loopback servers", async () => {
        expect(await (await fetch(`http://127.0.0.1:${host.port}`)).text()).toBe("host");
        expect(await succeeds(`exec 5<>/dev/tcp/127.0.0.1/${host.port}`)).toBe("no");
        expect(
          await succeeds(`node -e 'fetch("http://127.0.0.1:${host.port}").catch(() => process.exit(1))'`),
        ).toBe("no");
        expect(host.requests).toBe(1);
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

      it("also with pairs of sockets, of which only those are made that stay connected", async () => {
        const program = String.raw`use Socket;
for my $kind (SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM, SOCK_RAW) {
  my ($one, $other);
  if (!socketpair($one, $other, AF_UNIX, $kind, 0)) { print "$!\n"; next }
  send($one, "paired\n", 0);
  recv($other, my $text, 9, 0);
  print $text;
  for my $name ("host.sock", "\0host") {
    my $address = sockaddr_un($name);
    my $reached = connect($one, $address) || ($kind == SOCK_STREAM() && defined(send($one, "x", 0, $address)));
    print($reached ? "reached\n" : "held\n");
  }
}`;
        writeFileSync(join(opened.workspace, "pairs.pl"), program);
        const { output } = await execute("perl pairs.pl");
        expect(output).toBe(`${"paired\nheld\nheld\n".repeat(2)}${"Operation not permitted\n".repeat(2)}`);
        const child = `require("child_process").execFile("echo", ["works"], (_, out) => console.log(out.trim()))`;
        expect((await execute(`node -e '${child}'`)).output).toBe("works\n");
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

      it("other threads, and the other way round", async () => {
        const other = await attackedSandbox(identity);
        writeFileSync(join(other.workspace, "theirs.txt"), "of another thread\n");
        const found = `cat "${other.workspace}/theirs.txt" ../*/theirs.txt /mnt/*/*/theirs.txt; ls -R /tmp /mnt`;
        expect((await execute(found)).output).not.toMatch(/of another thread|theirs\.txt$/m);
        await execute("echo mine > mine.txt");
        const { output } = await other.sandbox.execute({ command: `cat "${opened.workspace}/mine.txt"` });
        expect(output).toContain("No such file");
        await other.close();
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

    it("shows a command no secret of the host, and output none of the command's own", async () => {
      process.env["DEERFLOW_ATTACKED_SECRET"] = "sesame-of-the-host";
      const { output } = await opened.sandbox.execute({
        command:
          "cat /proc/*/environ; env; printf %s $KEY | base64; printf %s $KEY | head -c 4; echo; test ${#KEY} = 16",
        secrets: { KEY: "hunter2-hunter22" },
      });
      delete process.env["DEERFLOW_ATTACKED_SECRET"];
      expect(output).not.toMatch(/sesame|hunter2-/);
      expect(output).not.toContain(Buffer.from("hunter2-hunter22").toString("base64").slice(0, -2));
      expect(output).toContain("KEY=[redacted KEY]");
      expect(output).toContain("hunt\n");
    });
  },
);
