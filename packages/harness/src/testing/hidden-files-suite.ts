/** That no spelling of a path reaches a forbidden file, for any guarded backend. */
import { afterEach, describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { parseVirtualPath } from "../base/virtual-path.js";
import { isByteReadable } from "../filesystem/capabilities.js";
import type { FileBackend } from "../filesystem/contract.js";
import { glob } from "../filesystem/glob.js";
import { grep } from "../filesystem/grep.js";
import { guardFiles } from "../filesystem/guarded-backend.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { HIDING, HUSH, hiddenPath, hiddenTexts, type HiddenWorld } from "./hidden-world.js";
import { seededRandom } from "./path-spellings.js";
import { verbsOnly } from "./verbs-only.js";

/** How many spellings are tried. */
export interface SpellingCounts {
  readonly looks: number;
  readonly changes: number;
  readonly searches: number;
}

/** What came back as text; a refusal counts as its message, a fault of the backend is one. */
async function toldBy(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work()) ?? "";
  } catch (error) {
    return DeerflowError.is(error) ? "refused" : String(error);
  }
}

async function allBytes(files: FileBackend, path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  const opened = isByteReadable(files) ? await files.openBytes(path) : undefined;
  for await (const piece of opened ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** The path as it is, and as a tool would pass it on. */
function asPassedOn(path: string): readonly string[] {
  try {
    return [...new Set([path, parseVirtualPath(path)])];
  } catch {
    return [path];
  }
}

/** The path may itself hold the word; what else is told may not. */
const without = (told: string, path: string): string =>
  told.replaceAll(JSON.stringify(path).slice(1, -1), "");

async function toldByVerbs(files: FileBackend, path: string): Promise<string> {
  const texts = await Promise.all([
    toldBy(async () => Buffer.from((await files.read(path))?.bytes ?? []).toString()),
    toldBy(() => allBytes(files, path)),
    toldBy(() => files.list(path)),
  ]);
  return without(texts.join("\n"), path);
}

async function toldBySearches(files: FileBackend, path: string): Promise<string> {
  const wanted = { path, maxResults: 99 };
  const line = { pattern: "needle", literal: true, caseSensitive: false };
  const texts = [
    await toldBy(() => glob(files, { ...wanted, pattern: "**/*", includeDirectories: true })),
    await toldBy(() => glob(files, { ...wanted, pattern: "*", includeDirectories: false })),
    await toldBy(() => grep(files, { ...wanted, ...line })),
  ];
  return without(texts.join("\n"), path);
}

const isToldOf = (told: string): boolean => told.toLowerCase().includes(HUSH);

/** Milliseconds. In a sandbox every verb starts several processes. */
const limitFor = (count: number): number => 60_000 + count * 3_000;

/** Runs the tests against the worlds that `open` gives. */
export function hiddenFilesSuite(
  name: string,
  open: () => Promise<HiddenWorld>,
  counts: SpellingCounts,
): void {
  const { looks, changes, searches } = counts;
  const guarded = ({ files }: HiddenWorld) => guardFiles(files, new PermissionRules(HIDING));

  describe(`forbidden files ${name}`, () => {
    let world: HiddenWorld;
    afterEach(() => world.close());

    it(
      `are told of by no verb under ${looks} spellings, many of which lead there without a guard`,
      async () => {
        world = await open();
        const random = seededRandom(11);
        const reached: string[] = [];
        let ways = 0;
        for (let count = 0; count < looks; count += 1) {
          for (const path of asPassedOn(hiddenPath(world, random))) {
            if (isToldOf(await toldByVerbs(guarded(world), path))) reached.push(path);
            if (isToldOf(await toldByVerbs(world.files, path))) ways += 1;
          }
        }
        expect(reached).toEqual([]);
        expect(ways).toBeGreaterThan(looks / 10);
      },
      limitFor(looks),
    );

    it(
      `stay as they are under ${changes} spellings, whatever is written or removed`,
      async () => {
        const random = seededRandom(12);
        for (let count = 0; count < changes; count += 1) {
          await world?.close();
          world = await open();
          const before = await hiddenTexts(world);
          const path = hiddenPath(world, random);
          for (const spelled of asPassedOn(path)) {
            await toldBy(() => guarded(world).write(spelled, Buffer.from("changed")));
            await toldBy(() => guarded(world).write(`${spelled}/new`, Buffer.from("changed")));
            await toldBy(() => guarded(world).remove(spelled));
          }
          expect({ path, after: await hiddenTexts(world) }).toEqual({ path, after: before });
        }
      },
      limitFor(changes),
    );

    it(
      `are found by no search in ${searches} spellings of a folder`,
      async () => {
        world = await open();
        const random = seededRandom(13);
        const reached: string[] = [];
        let ways = 0;
        for (let count = 0; count < searches; count += 1) {
          const path = hiddenPath(world, random);
          const told = [
            await toldBySearches(guarded(world), path),
            await toldBySearches(verbsOnly(guarded(world)), path),
          ];
          if (told.some(isToldOf)) reached.push(path);
          if (isToldOf(await toldBySearches(world.files, path))) ways += 1;
        }
        expect(reached).toEqual([]);
        expect(ways).toBeGreaterThan(searches / 10);
      },
      limitFor(searches),
    );
  });
}
