import { describe, expect, it } from "vitest";
import { APPLICATION_ID, judgeHeader } from "./sqlite-file.js";

function header(applicationId: number, schemaVersion: number): Uint8Array {
  const bytes = Buffer.alloc(100);
  bytes.write("SQLite format 3\0", "latin1");
  bytes.writeUInt32BE(schemaVersion, 60);
  bytes.writeUInt32BE(applicationId, 68);
  return bytes;
}

describe("the header of a database file", () => {
  it.each([
    ["an empty file", new Uint8Array(), { kind: "new" }],
    ["our file", header(APPLICATION_ID, 7), { kind: "ours", schemaVersion: 7 }],
    [
      "another program's",
      header(99, 7),
      { kind: "foreign", reason: "it is the SQLite file of another program" },
    ],
    ["a text", Buffer.from("hello ".repeat(50)), { kind: "foreign", reason: "it is not an SQLite file" }],
    [
      "a header cut short",
      header(APPLICATION_ID, 7).subarray(0, 99),
      { kind: "foreign", reason: "it is not an SQLite file" },
    ],
  ])("tells %s", (_name, bytes, verdict) => {
    expect(judgeHeader(bytes)).toEqual(verdict);
  });
});
