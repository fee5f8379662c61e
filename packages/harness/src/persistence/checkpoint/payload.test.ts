import { expect, it } from "vitest";
import { packPayload, unpackPayload } from "./payload.js";

const json = (bytes: Uint8Array) => ({ type: "json", bytes, marked: false });

it.each([0, 1, 1023, 1024, 100_000, 3_000_000])("gives %i bytes back", async (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => index % 7);
  const unpacked = await unpackPayload(await packPayload({ type: "json", bytes, marked: true }));
  expect({ ...unpacked, bytes: undefined }).toEqual({ type: "json", marked: true, bytes: undefined });
  expect(Buffer.compare(unpacked.bytes, bytes)).toBe(0);
});

it("keeps the name of another form", async () => {
  const payload = { type: "bytes", bytes: new Uint8Array([1, 2]), marked: false };
  const unpacked = await unpackPayload(await packPayload(payload));
  expect({ ...unpacked, bytes: [...unpacked.bytes] }).toEqual({ ...payload, bytes: [1, 2] });
});

it("deflates long content that shrinks, and leaves the rest as it is", async () => {
  const zeros = new Uint8Array(10_000);
  const noise = crypto.getRandomValues(new Uint8Array(10_000));
  expect((await packPayload(json(zeros))).length).toBeLessThan(200);
  expect((await packPayload(json(noise))).length).toBe(10_001);
  expect((await packPayload(json(new Uint8Array(1_000)))).length).toBe(1_001);
});

it("refuses to read nothing", async () => {
  await expect(unpackPayload(new Uint8Array())).rejects.toThrow(/is empty/);
});
