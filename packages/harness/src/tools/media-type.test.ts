import { describe, expect, it } from "vitest";
import { agreedType, mediaTypeOf, signatureOf } from "./media-type.js";

const bytes = (hex: string) => Buffer.from(hex, "hex");
const riff = (type: string) => Buffer.concat([Buffer.from("RIFF"), bytes("10000000"), Buffer.from(type)]);

describe("mediaTypeOf", () => {
  it.each([
    ["/a.PNG", "image/png"],
    ["/a.tar.gz", "application/gzip"],
    ["/a", "application/octet-stream"],
    ["/a.constructor", "application/octet-stream"],
    ["/a.png/b", "application/octet-stream"],
  ])("takes the type of %s from its ending", (path, type) => expect(mediaTypeOf(path)).toBe(type));
});

describe("signatureOf", () => {
  it.each([
    [bytes("89504e470d0a1a0a0000"), "image/png"],
    [bytes("ffd8ffe0"), "image/jpeg"],
    [Buffer.from("GIF89a"), "image/gif"],
    [riff("WEBP"), "image/webp"],
    [riff("WAVE"), "audio/wav"],
    [riff("AVI "), "video/x-msvideo"],
    [Buffer.from("%PDF-1.7"), "application/pdf"],
    [Buffer.from("OggS"), "audio/ogg"],
    [Buffer.from("fLaC"), "audio/flac"],
    [Buffer.from("ID3"), "audio/mp3"],
    [bytes("fffb9064"), "audio/mp3"],
    [bytes("fff15080"), "audio/aac"],
    [Buffer.from("FORM\0\0\0\0AIFF"), "audio/aiff"],
    [Buffer.from("\0\0\0\x20ftypisom"), "video/mp4"],
    [bytes("1a45dfa3"), "video/webm"],
  ])("knows %s", (head, type) => expect(signatureOf(head)?.types[0]).toBe(type));

  it.each([[Buffer.from("PK\x03\x04")], [Buffer.from("RIFF")], [bytes("89504e47")], [Buffer.alloc(0)]])(
    "knows nothing of %s",
    (head) => expect(signatureOf(head)).toBeUndefined(),
  );
});

describe("agreedType", () => {
  const png = signatureOf(bytes("89504e470d0a1a0a"));
  const video = signatureOf(Buffer.from("\0\0\0\x20ftypqt  "));
  it.each([
    ["/a.png", png, "image/png"],
    ["/a", png, "image/png"],
    ["/a.bin", png, "image/png"],
    ["/a.jpg", png, undefined],
    ["/a.docx", png, undefined],
    ["/a.mov", video, "video/quicktime"],
    ["/a.mp4", video, "video/mp4"],
    ["/a", video, undefined],
    ["/a.avi", video, undefined],
  ])("of %s is what name and content both say", (path, signature, type) => {
    expect(signature && agreedType(path, signature)).toBe(type);
  });
});
