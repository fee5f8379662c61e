/** The lines that grep finds do not depend on whether ripgrep helps. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { scaled } from "../testing/test-scale.js";
import { verbsOnly } from "../testing/verbs-only.js";
import type { FileBackend } from "./contract.js";
import { grep } from "./grep.js";
import type { GrepQuery, GrepResult } from "./line-search.js";
import { MountedDiskBackend } from "./mounted-disk-backend.js";

const TREES = scaled(100, 3);
const QUERIES_A_TREE = 12;

const name = fc.constantFrom(
  "a",
  "b",
  "B",
  ".c",
  "a-b",
  "a.txt",
  "é",
  "文",
  "😀",
  "Ａ",
  "x y",
  ".gitignore",
  "[z]",
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

const BYTES = [
  "a",
  "b",
  "A",
  "é",
  "É",
  "文",
  "😀",
  "ſ",
  "K",
  " ",
  "\t",
  "\r",
  "\v",
  "\u00a0",
  "\u2028",
  "\uFEFF",
  "\uFFFD",
  "1",
  "_",
  "-",
].map((text) => Buffer.from(text));
const piece = fc.oneof(
  { weight: 400, arbitrary: fc.constantFrom(...BYTES) },
  { weight: 100, arbitrary: fc.constantFrom(Buffer.from("\n"), Buffer.from("\r\n")) },
  // Not UTF-8: a lone byte, the start of a character, two characters of GBK.
  {
    weight: 20,
    arbitrary: fc.constantFrom("ff", "e4b8", "d3e0b6ee", "80").map((hex) => Buffer.from(hex, "hex")),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from([0])) },
);
const content = fc
  .tuple(fc.boolean(), fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 30 }))
  .map(([marked, pieces, times]) =>
    Buffer.concat([
      ...(marked && times % 5 === 0 ? [Buffer.from("\uFEFF")] : []),
      ...(times === 30 ? Array.from({ length: 60 }, () => Buffer.concat(pieces)) : pieces),
    ]),
  );

const atom = fc.constantFrom(
  ..."a|b|A|é|文|😀|k|s|.|\\d|\\w|\\W|\\s|\\S|\\D|[ab]|[^a]|[é文]|[^\\w\\s]|[[:alpha:]]|[^[:space:]]|\\pL|\\p{Greek}|\\PL|\\p{Lu}|\\x61|\\x{e9}|\\.|\\-|[a-z&&b]|[~]|\\t|\\r|[^\\r]|\uFFFD|\\x{FFFD}|(?i:a)|(?i)É|\\v|[\\d-]|[+--]|x{,2}".split(
    "|",
  ),
);
const edge = fc.constantFrom("", "", "", "^", "$", "\\b", "\\B", "\\A", "\\z");
const repeat = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,3}", "*?");
const expression = fc
  .array(
    fc.tuple(edge, atom, repeat, edge).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 3 },
  )
  .chain((parts) => fc.constantFrom("", "|").map((between) => parts.join(between)));
const literal = fc
  .array(fc.constantFrom("a", "b", "é", "É", "文", "K", " ", ".", "\uFFFD", "😀"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(""));

const query: fc.Arbitrary<GrepQuery> = fc.record(
  {
    pattern: fc.oneof(expression, literal),
    literal: fc.boolean(),
    caseSensitive: fc.boolean(),
    maxResults: fc.constantFrom(1, 3, 1000),
    path: fc.constantFrom("/w", "/w", "/w/a", "/"),
    glob: fc.constantFrom(
      "*",
      "a*",
      "**/*",
      "a/**",
      "?",
      "[!a]*",
      "{a,b}*",
      "/w/a/*",
      ".*/**",
      "**/a",
      "*.txt",
      "é/*",
    ),
  },
  { requiredKeys: ["pattern", "literal", "caseSensitive", "maxResults", "path"] },
);

/** Where each query finds something, so that a comparison of nothing with nothing cannot pass. */
const KNOWN_TREE = { "a/b.txt": Buffer.from("a line\nÉ\n") };
const KNOWN_QUERIES: GrepQuery[] = [
  { pattern: "a", literal: true, caseSensitive: true, maxResults: 3, path: "/w" },
  { pattern: "[a-c]\\b", literal: false, caseSensitive: true, maxResults: 3, path: "/w/a" },
  { pattern: "é", literal: true, caseSensitive: false, maxResults: 3, path: "/w" },
];

async function outcome(files: FileBackend, given: GrepQuery): Promise<GrepResult | string> {
  try {
    return await grep(files, given);
  } catch (error) {
    if (DeerflowError.is(error)) return error.message;
    throw error;
  }
}

async function withTree<T>(
  files: Readonly<Record<string, Buffer>>,
  work: (host: string) => Promise<T>,
): Promise<T> {
  const host = await mkdtemp(join(tmpdir(), "deerflow-engines-"));
  try {
    for (const [each, bytes] of Object.entries(files)) {
      // A file in the place of a folder, or the other way round.
      const done = await mkdir(dirname(join(host, each)), { recursive: true }).catch(() => "no");
      if (done !== "no") await writeFile(join(host, each), bytes).catch(() => {});
    }
    return await work(host);
  } finally {
    await rm(host, { recursive: true });
  }
}

describe("grep", () => {
  it(`finds the same with and without ripgrep in ${TREES} trees by ${TREES * QUERIES_A_TREE} queries`, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(path, content, { minKeys: 1, maxKeys: 8, noNullPrototype: true }),
        fc.array(query, { minLength: QUERIES_A_TREE, maxLength: QUERIES_A_TREE }),
        async (tree, queries) =>
          withTree(tree, async (host) => {
            const disk = new MountedDiskBackend({
              mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-only" }],
            });
            for (const each of queries) {
              const byRipgrep = await outcome(disk, each);
              expect(byRipgrep, JSON.stringify(each)).toEqual(await outcome(verbsOnly(disk), each));
              if (typeof byRipgrep !== "string") found += byRipgrep.matches.length;
            }
          }),
      ),
      { numRuns: TREES, endOnFailure: true, examples: [[KNOWN_TREE, KNOWN_QUERIES]] },
    );
    expect(found).toBeGreaterThanOrEqual(KNOWN_QUERIES.length);
  }, 600_000);
});
