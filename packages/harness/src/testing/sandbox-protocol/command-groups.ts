/** Groups: lifecycle, command execution, initial files, whole workflows. */
import { describe, expect, it } from "vitest";
import { barePaths, type ProtocolWorld, shellText } from "./protocol-world.js";

export function lifecycleGroup({ shared, open, openUninitialized }: ProtocolWorld): void {
  describe("lifecycle", () => {
    it("has an id and runs once it is made", () => {
      expect(shared().id).not.toBe("");
      expect(shared().isRunning).toBe(true);
    });

    it("has an id of its own", async () => {
      const other = await open();
      expect(other.id).not.toBe(shared().id);
      await other.close();
    });

    it("stops running when it is closed, once and again", async () => {
      const sandbox = await open();
      await sandbox.close();
      await sandbox.close();
      expect(sandbox.isRunning).toBe(false);
      expect((await sandbox.ls("/")).error).toBeDefined();
    });

    if (openUninitialized === undefined) return;
    it("can be made first and begun later", async () => {
      const sandbox = openUninitialized();
      expect(sandbox.isRunning).toBe(false);
      await sandbox.initialize();
      expect(sandbox.isRunning).toBe(true);
      await sandbox.close();
    });
  });
}

export function commandGroup({ shared }: ProtocolWorld): void {
  describe("command execution", () => {
    it("answers with output and exit code", async () => {
      expect(await shared().execute("printf 'a\\nb\\n'")).toEqual({
        output: "a\nb\n",
        exitCode: 0,
        truncated: false,
      });
    });

    it.each([1, 42, 255])("passes on the exit code %i", async (code) => {
      expect((await shared().execute(`exit ${code}`)).exitCode).toBe(code);
    });

    it("includes what goes to standard error", async () => {
      expect((await shared().execute("echo wrong >&2")).output).toContain("wrong");
    });

    it("keeps variables within one command", async () => {
      expect((await shared().execute('export V="two words"; echo "$V"')).output).toBe("two words\n");
      expect((await shared().execute('echo "[$V]"')).output).toBe("[]\n");
    });

    it("fails for a program that is not there", async () => {
      expect((await shared().execute("no-such-program-here")).exitCode).toBe(127);
    });

    it("has an empty standard input, so that a reader ends at once", async () => {
      expect((await shared().execute("cat | wc -c")).output.trim()).toBe("0");
    });
  });
}

export function initialFilesGroup({ open, pathOf }: ProtocolWorld): void {
  describe("initial files", () => {
    it.each([
      ["one file", { "init.txt": "hello" }],
      ["files in folders", { "src/a/b.ts": "export {};", "src/c.ts": "c" }],
      ["no file", {}],
      ["an empty file", { "empty.txt": "" }],
    ])("has %s from the start", async (_, given) => {
      const files = Object.fromEntries(Object.entries(given).map(([name, text]) => [pathOf(name), text]));
      const sandbox = await open(files);
      for (const [path, text] of Object.entries(files)) {
        expect((await sandbox.read(path)).content).toBe(text);
        expect(await shellText(sandbox, path)).toBe(text);
      }
      expect(sandbox.isRunning).toBe(true);
      await sandbox.close();
    });

    it("can download and list them", async () => {
      const sandbox = await open({ [pathOf("d/x.txt")]: "text" });
      const [downloaded] = await sandbox.downloadFiles([pathOf("d/x.txt")]);
      expect(Buffer.from(downloaded?.content ?? []).toString()).toBe("text");
      expect(barePaths((await sandbox.ls(pathOf("d"))).files)).toEqual([pathOf("d/x.txt")]);
      await sandbox.close();
    });

    it("can run a script among them", async () => {
      const sandbox = await open({ [pathOf("run.sh")]: "#!/bin/sh\necho from the script\n" });
      expect((await sandbox.execute(`sh '${pathOf("run.sh")}'`)).output).toBe("from the script\n");
      await sandbox.close();
    });

    it("keeps what a shell would take for its own", async () => {
      const text = "$HOME `id` $(id) \\ ' \" !\n";
      const sandbox = await open({ [pathOf("odd.txt")]: text });
      expect(await shellText(sandbox, pathOf("odd.txt"))).toBe(text);
      await sandbox.close();
    });
  });
}

export function integrationGroup({ shared, pathOf }: ProtocolWorld): void {
  describe("whole workflows", () => {
    it("writes, reads, edits and reads, in files and in the shell alike", async () => {
      const path = pathOf("flow/report.md");
      await shared().write(path, "# Draft\n\nfirst\n");
      expect((await shared().edit(path, "Draft", "Final")).occurrences).toBe(1);
      await shared().execute(`echo second >> '${path}'`);
      expect((await shared().read(path)).content).toBe("# Final\n\nfirst\nsecond\n");
      expect(await shellText(shared(), path)).toBe("# Final\n\nfirst\nsecond\n");
    });

    it("finds in a tree what was written into it", async () => {
      const base = pathOf("flow-tree");
      for (const name of ["root.txt", "one/a.txt", "one/b.py", "two/c.txt"]) {
        await shared().write(`${base}/${name}`, `file ${name}`);
      }
      expect(barePaths((await shared().ls(base)).files)).toEqual([
        `${base}/one`,
        `${base}/root.txt`,
        `${base}/two`,
      ]);
      expect((await shared().glob("**/*.txt", base)).files).toHaveLength(3);
      expect((await shared().grep("file", base)).matches).toHaveLength(4);
      expect(await shared().delete(`${base}/one`)).toEqual({ path: `${base}/one` });
      expect((await shared().grep("file", base)).matches).toHaveLength(2);
    });
  });
}
