/** How large an image is, by its header, where the file is whole. Pure; the bytes are hostile. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

type Measure = (bytes: Buffer) => ImageSize | undefined;

/** The types that models take. */
const MEASURES: Readonly<Record<string, Measure>> = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": gifSize,
  "image/webp": webpSize,
};

/** The size in pixels; undefined for an image that is broken, cut off, empty or of another type. */
export function imageSize(type: string, content: Uint8Array): ImageSize | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  try {
    const size = Object.hasOwn(MEASURES, type) ? MEASURES[type]?.(bytes) : undefined;
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // A header that ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const PNG_HEADER = 8;
/** Length, name and checksum. */
const PNG_CHUNK_FRAME = 12;

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  let at = PNG_HEADER;
  while (at + PNG_CHUNK_FRAME <= bytes.length) {
    const end = at + PNG_CHUNK_FRAME + bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND" && end <= bytes.length) {
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    }
    at = end;
  }
  return undefined;
}

const JPEG_END = Buffer.from([0xff, 0xd9]);
const START_OF_SCAN = 0xda;
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
    } else if (isFrameMarker(marker)) {
      const whole = bytes.lastIndexOf(JPEG_END) > at;
      return whole ? { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) } : undefined;
    } else if (marker === START_OF_SCAN) {
      return undefined;
    } else {
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
  return undefined;
}

const GIF_HEADER = 13;
const GIF_END = 0x3b;

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.lastIndexOf(GIF_END) < GIF_HEADER) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

const VP8_START = "9d012a";
const VP8L_START = 0x2f;

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      if (bytes.toString("hex", 23, 26) !== VP8_START) return undefined;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      if (bytes[20] !== VP8L_START) return undefined;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
