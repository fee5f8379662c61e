/** The files of a sandbox through its shell: inside bubblewrap, and on the host. */
import { randomBytes } from "node:crypto";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import type { SandboxProvider } from "../sandbox/contract.js";
import { LocalProvider } from "../sandbox/local/local-provider.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { type FreshSandbox, openSandbox } from "../testing/open-sandbox.js";
import { SandboxBackend } from "./sandbox-backend.js";

const ROOT = "/mnt/user-data/workspace";
const providers: readonly { name: string; works: boolean; open: () => SandboxProvider }[] = [
  { name: "bubblewrap", works: await bubblewrapWorks(), open: () => new BubblewrapProvider() },
];

const backendOf = ({ sandbox }: FreshSandbox) => new SandboxBackend({ sandbox, workingDirectory: ROOT });

describe.each(providers)("SandboxBackend in $name", ({ name, works, open }) => {
  let opened: FreshSandbox | undefined;
  const fresh = async () => {
    opened = await openSandbox(open());
    return { files: backendOf(opened), folder: opened.workspace };
  };
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  describe.runIf(works)("where it works", () => {
    fileBackendSuite(`SandboxBackend in ${name}`, async () => {
      const sandbox = await openSandbox(open());
      return { files: backendOf(sandbox), root: ROOT, writesAtOnce: 12, close: sandbox.close };
    });

    it("moves content of several pieces whole, in both directions", async () => {
      const { files } = await fresh();
      const content = randomBytes(200_001);
      await files.write(`${ROOT}/big.bin`, content);
      expect(Buffer.from((await files.read(`${ROOT}/big.bin`))?.bytes ?? []).equals(content)).toBe(true);
    });

    it("takes no name for a word of the shell", async () => {
      const { files } = await fresh();
      const names = ["it's", "$(touch gotcha)", "a\nb", "-n", "`id`", '"', "\\", "*"];
      for (const given of names) await files.write(`${ROOT}/${given}`, Buffer.from(given));
      const listed = (await files.list(ROOT)).map(({ path }) => path.slice(ROOT.length + 1));
      expect(listed).toEqual([...names].sort());
      for (const given of names) {
        expect(Buffer.from((await files.read(`${ROOT}/${given}`))?.bytes ?? []).toString()).toBe(given);
      }
    });

    it("lists more entries than one answer can hold", async () => {
      const { files, folder } = await fresh();
      const names = Array.from({ length: 3000 }, (_, index) => `file-${String(index).padStart(30, "0")}`);
      for (const given of names) writeFileSync(join(folder, given), "");
      expect((await files.list(ROOT)).map(({ path }) => path.slice(ROOT.length + 1))).toEqual(names);
    });

    it("marks links, and leaves broken ones out", async () => {
      const { files, folder } = await fresh();
      writeFileSync(join(folder, "a"), "text");
      symlinkSync("a", join(folder, "b"));
      symlinkSync("nowhere", join(folder, "c"));
      expect((await files.list(ROOT)).map(({ path, link }) => [path, link])).toEqual([
        [`${ROOT}/a`, undefined],
        [`${ROOT}/b`, true],
      ]);
    });

    it("says what cannot be written, in the sandbox's own words of paths", async () => {
      const { files, folder } = await fresh();
      const failure = await files.write("/mnt/skills/x", Buffer.from("x")).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "path_denied", details: { path: "/mnt/skills/x" } });
      expect(String(failure)).not.toContain(folder);
    });

    it("does not let two writers with one expectation both win, each with a backend of its own", async () => {
      await fresh();
      if (opened === undefined) throw new Error("not opened");
      const [one, two] = [backendOf(opened), backendOf(opened)];
      const first = await one.write(`${ROOT}/f`, Buffer.from("0"));
      const outcomes = await Promise.allSettled(
        [one, two, one, two].map((files, index) =>
          files.write(`${ROOT}/f`, Buffer.from(`writer ${index}`), { expectedVersion: first }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });
  });
});

fileBackendSuite("SandboxBackend on the host", async () => {
  const sandbox = await openSandbox(new LocalProvider({ allowHostBash: true }));
  return { files: backendOf(sandbox), root: ROOT, writesAtOnce: 12, close: sandbox.close };
});
