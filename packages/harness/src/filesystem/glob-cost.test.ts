/** A pattern whose every name costs much neither holds up others nor outlasts its limit. */
import { expect, it } from "vitest";
import type { FileBackend, FileEntry } from "./contract.js";
import { glob } from "./glob.js";

const no = async () => undefined as never;

/** One folder with so many long names, all of them there at once. */
const folderOf = (count: number): FileBackend => ({
  id: "names",
  read: no,
  write: no,
  remove: no,
  stat: async (path) => ({ path, kind: "directory", size: 0, modifiedAt: 0 }),
  list: async () =>
    Array.from({ length: count }, (_, index): FileEntry => {
      const path = `/${String(index).padStart(200, "a")}`;
      return { path, kind: "file", size: 1, modifiedAt: 0 };
    }),
});

it("gives others their turn between names, and stops at the limit", async () => {
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns += 1;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  const query = { pattern: "*{1..700}*a*a*a*b", path: "/", includeDirectories: false, maxResults: 10 };
  const result = await glob(folderOf(2000), query, { seconds: 1 });
  isDone = true;
  expect(result.stopped).toBe("time");
  expect(turns).toBeGreaterThan(3);
});

it("refuses alternatives that are too long together", async () => {
  const query = {
    pattern: `{1..1000}${"*a".repeat(400)}`,
    path: "/",
    includeDirectories: false,
    maxResults: 1,
  };
  await expect(glob(folderOf(1), query)).rejects.toMatchObject({ code: "pattern_invalid" });
});
