import { describe, expect, it } from "vitest";
import { imageSize } from "./image-size.js";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwoFABE0AX7pM/egAAAAABJRU5ErkJggg==",
  "base64",
);
const chunk = (type: string, data: Buffer): Buffer => {
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.write(type, 4, "latin1");
  return Buffer.concat([frame, data, Buffer.alloc(4)]);
};
const pngOf = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", Buffer.from([1, 2, 3])),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};
const JPEG = Buffer.from("ffd8ffe000040000ffc0000b080010002003012200ffda00020102ffd9", "hex");
const GIF = Buffer.from("474946383961050007000000002c3b", "hex");
const vp8x = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from("16000000", "hex"),
  Buffer.from("WEBPVP8X"),
  Buffer.from("0a00000000000000", "hex"),
  Buffer.from("090000040000", "hex"),
]);
const vp8l = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from("12000000", "hex"),
  Buffer.from("WEBPVP8L"),
  Buffer.from("050000002f02c0000000", "hex"),
]);

describe("imageSize", () => {
  it.each([
    ["a PNG", "image/png", PNG, { width: 2, height: 3 }],
    ["a large PNG", "image/png", pngOf(9000, 10), { width: 9000, height: 10 }],
    ["a JPEG", "image/jpeg", JPEG, { width: 32, height: 16 }],
    ["a GIF", "image/gif", GIF, { width: 5, height: 7 }],
    ["an extended WebP", "image/webp", vp8x, { width: 10, height: 5 }],
    ["a lossless WebP", "image/webp", vp8l, { width: 3, height: 4 }],
  ])("reads the size of %s", (_, type, bytes, size) => expect(imageSize(type, bytes)).toEqual(size));

  it("finds nothing in an image that is cut off anywhere", () => {
    const images = [
      ["image/png", PNG],
      ["image/jpeg", JPEG],
      ["image/gif", GIF],
      ["image/webp", vp8x],
      ["image/webp", vp8l],
    ] as const;
    for (const [type, bytes] of images) {
      for (let length = 0; length < bytes.length; length += 1) {
        expect(imageSize(type, bytes.subarray(0, length))).toBeUndefined();
      }
    }
  });

  it.each([
    ["an empty side", "image/png", pngOf(0, 5)],
    ["a chunk that says it is endless", "image/png", Buffer.from(PNG).fill(0xff, 33, 37)],
    ["another type", "image/bmp", PNG],
    ["a name that every object has", "constructor", PNG],
    ["a scan before any frame", "image/jpeg", Buffer.from("ffd8ffda00020102ffd9", "hex")],
    ["noise", "image/jpeg", Buffer.from("ffd8001122334455", "hex")],
  ])("finds nothing in %s", (_, type, bytes) => expect(imageSize(type, bytes)).toBeUndefined());
});
