import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../base/hash.js";
import type { ByteReadable, FileBackend } from "./contract.js";
import { type FileView, fileVersion, type TextView, viewFile, type ViewQuery } from "./view-file.js";

const no = async () => undefined as never;
const verbs = { id: "memory", list: no, stat: no, write: no, remove: no };

const whole = (bytes: Uint8Array | undefined): FileBackend => ({
  ...verbs,
  read: async () => bytes && { bytes, version: sha256(bytes) },
});

/** Gives the bytes in pieces of the given sizes, again and again, and never as a whole. */
const inPieces = (bytes: Uint8Array, sizes: readonly number[]): FileBackend & ByteReadable => ({
  ...verbs,
  read: () => Promise.reject(new Error("read as a whole")),
  openBytes: async () => pieces(bytes, sizes),
});

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let [start, index] = [0, 0]; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

const ALL: ViewQuery = { path: "/f", startLine: 1, maxLines: 1000, maxCharacters: 100_000 };

const view = async (content: string | Uint8Array, query: Partial<ViewQuery> = {}): Promise<TextView> => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const views = await Promise.all(
    [whole(bytes), inPieces(bytes, [1]), inPieces(bytes, [3, 1, 4])].map((files) =>
      viewFile(files, { ...ALL, ...query }),
    ),
  );
  for (const each of views) expect(each).toEqual(views[0]);
  return asText(views[0]);
};

function asText(seen: FileView | undefined): TextView {
  if (seen?.kind !== "text") throw new Error("no text");
  return seen;
}

const textsOf = (seen: TextView): readonly string[] => seen.lines.map((line) => line.text);

describe("viewFile", () => {
  it.each<[string, string, readonly string[]]>([
    ["an empty file", "", []],
    ["a byte-order mark alone", "\uFEFF", []],
    ["one line without an ending", "a", ["a"]],
    ["a final line break as no further line", "a\nb\n", ["a", "b"]],
    ["blank lines", "\n\n", ["", ""]],
    ["CRLF as LF", "a\r\nb\r\n", ["a", "b"]],
    ["mixed endings", "a\r\nb\nc\r\n", ["a", "b", "c"]],
    ["a lone CR as a character", "a\rb\r\r\nc\r", ["a\rb\r", "c\r"]],
    ["only line feeds as ends", "a\fb\vc\u2028d\u0085e\nf", ["a\fb\vc\u2028d\u0085e", "f"]],
    ["no byte-order mark at the start, and one inside", "\uFEFFrate = 5\n\uFEFFx", ["rate = 5", "\uFEFFx"]],
    ["letters of several bytes", "größe\n文件\n😀x\n", ["größe", "文件", "😀x"]],
  ])("shows %s", async (_, content, expected) => {
    const seen = await view(content);
    expect(textsOf(seen)).toEqual(expected);
    expect(seen).toMatchObject({
      totalLines: expected.length,
      startLine: 1,
      version: sha256(Buffer.from(content)),
    });
    expect(seen.lines.every((line) => line.isWhole && line.startCharacter === 0)).toBe(true);
  });

  it.each<[string, Partial<ViewQuery>, readonly string[]]>([
    ["lines from the middle", { startLine: 2, maxLines: 2 }, ["two", "three"]],
    ["what there is at the end", { startLine: 4, maxLines: 9 }, ["four"]],
    ["nothing past the end", { startLine: 5, maxLines: 1 }, []],
    ["the start for a line before it", { startLine: -3, maxLines: 1 }, ["one"]],
    ["no line when none is wanted", { maxLines: 0 }, []],
    ["whole lines that fit", { maxCharacters: 12 }, ["one", "two"]],
    ["a line that fits exactly", { maxCharacters: 13 }, ["one", "two", "three"]],
    ["the rest of a line", { startLine: 3, startCharacter: 2, maxLines: 2 }, ["ree", "four"]],
    ["an empty rest", { startLine: 3, startCharacter: 9, maxLines: 1 }, [""]],
  ])("gives %s", async (_, query, expected) => {
    const seen = await view("one\ntwo\nthree\nfour\n", query);
    expect(textsOf(seen)).toEqual(expected);
    expect(seen.totalLines).toBe(4);
    expect(seen.lines.every((line) => line.isWhole)).toBe(true);
  });

  it("gives a line in part when not even one fits, and the rest from there", async () => {
    expect((await view("abcdefgh\nnext", { maxCharacters: 3 })).lines).toEqual([
      { text: "abc", startCharacter: 0, isWhole: false },
    ]);
    expect((await view("abcdefgh\nnext", { maxCharacters: 3, startCharacter: 3 })).lines).toEqual([
      { text: "def", startCharacter: 3, isWhole: false },
    ]);
    expect((await view("abcdefgh\nnext", { maxCharacters: 3, startCharacter: 6 })).lines).toEqual([
      { text: "gh", startCharacter: 6, isWhole: true },
    ]);
  });

  it.each<[number, number, string, number]>([
    [1, 0, "😀", 0],
    [2, 0, "😀", 0],
    [3, 0, "😀", 0],
    [4, 2, "😀", 2],
    [9, 1, "😀", 2],
  ])("never cuts a character in two: %i units from %i", async (maxCharacters, startCharacter, text, from) => {
    const seen = await view("😀😀", { maxCharacters, startCharacter });
    expect(seen.lines[0]).toMatchObject({ text, startCharacter: from });
  });

  it.each([
    ["a NUL", Buffer.from("text\n\0")],
    ["GBK bytes", Buffer.from("6c696d69740a2320d3e0b6ee0a", "hex")],
    ["a character that is cut off at the end", Buffer.from("e6", "hex")],
    ["a NUL after a million characters", Buffer.from(`${"x".repeat(1_200_000)}\0`)],
  ])("calls a file with %s binary, and hashes all of it", async (_, bytes) => {
    const expected = { kind: "binary", version: sha256(bytes), size: bytes.length };
    expect(await viewFile(whole(bytes), ALL)).toEqual(expected);
    expect(await viewFile(inPieces(bytes, [5]), { ...ALL, maxLines: 1 })).toEqual(expected);
  });

  it("gives nothing where no file is", async () => {
    expect(await viewFile(whole(undefined), ALL)).toBeUndefined();
    expect(await fileVersion(whole(undefined), "/f")).toBeUndefined();
  });

  it("shows every character once to a reader that follows the pages, however the pieces fall", async () => {
    const character = fc.constantFrom(
      "a",
      "b",
      "\n",
      "\n",
      "\r\n",
      "\r",
      "é",
      "文",
      "😀",
      "\u2028",
      "\uFEFF",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: character, maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 }),
        fc.record({
          maxLines: fc.integer({ min: 1, max: 4 }),
          maxCharacters: fc.integer({ min: 1, max: 9 }),
        }),
        async (content, sizes, limits) => {
          const bytes = Buffer.from(content);
          expect(await followed(inPieces(bytes, sizes), limits)).toBe(plainLines(content).join("\n"));
          expect(await fileVersion(inPieces(bytes, sizes), "/f")).toBe(sha256(bytes));
        },
      ),
    );
  });
});

/** What a file holds, in the plain words of the description. */
function plainLines(content: string): readonly string[] {
  const text = content.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

async function followed(
  files: FileBackend,
  limits: Pick<ViewQuery, "maxLines" | "maxCharacters">,
): Promise<string> {
  const lines: string[] = [];
  let [startLine, startCharacter] = [1, 0];
  for (;;) {
    const seen = asText(await viewFile(files, { path: "/f", startLine, startCharacter, ...limits }));
    for (const line of seen.lines) {
      lines[startLine - 1] = (lines[startLine - 1] ?? "") + line.text;
      startCharacter = line.isWhole ? 0 : line.startCharacter + line.text.length;
      if (line.isWhole) startLine += 1;
    }
    if (startLine > seen.totalLines) return lines.join("\n");
  }
}

it("ends with the signal, however long the file goes on", async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.from("more\n");
  }
  const files: FileBackend & ByteReadable = { ...verbs, read: no, openBytes: async () => endless() };
  const stop = new AbortController();
  // Pieces that are there at once give no other task its turn, so the reading itself must.
  setImmediate(() => stop.abort(new Error("enough")));
  const ends = await Promise.allSettled([
    viewFile(files, ALL, stop.signal),
    fileVersion(files, "/f", stop.signal),
  ]);
  expect(ends.map((end) => end.status === "rejected" && String(end.reason))).toEqual(
    Array(2).fill("Error: enough"),
  );
});
