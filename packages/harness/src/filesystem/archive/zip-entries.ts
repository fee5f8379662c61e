/** The entries of a zip file, in the order of its directory. */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from "yauzl";
import { archiveRefused, archiveTooLarge, damaged, entryRefused } from "./archive-error.js";
import type { ArchiveEntry } from "./contract.js";

const ENCRYPTED = "is encrypted; send the files without a password";
const STORED = 0;
const DEFLATED = 8;
const UTF8_FLAG = 0x800;
const DOS_FOLDER = 0x10;
/** On Windows a link or another thing that stands for something else. */
const DOS_REPARSE_POINT = 0x400;
const UNIX_TYPE = 0o170000;
const UNIX_FOLDER = 0o040000;
const UNIX_FILE = 0o100000;

/** An entry with the bytes that are its own, its header included. */
interface Placed {
  readonly entry: Entry;
  readonly start: number;
  readonly end: number;
  /** As its own header spells it. */
  readonly localName: Buffer;
}

/** @throws DeerflowError `archive_invalid`, `archive_too_large` */
export async function* zipEntries(bytes: Buffer, maxEntries: number): AsyncGenerator<ArchiveEntry> {
  try {
    // Names are judged here and not there, where backslashes are turned and the rest of the archive is given up.
    const zip = await fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: true });
    // Nobody listens for an error after the last entry, and an error that nobody listens for ends the process.
    zip.on("error", () => {});
    if (zip.entryCount > maxEntries)
      throw archiveTooLarge(`it holds more than ${maxEntries} files and folders`);
    const placed: Placed[] = [];
    for await (const entry of zip.eachEntry()) placed.push(placeOf(bytes, entry));
    const shared = overlapping(placed);
    for (const each of placed) yield entryOf(zip, each, shared);
  } catch (error) {
    throw isStrongEncryption(error) ? archiveRefused("it is encrypted") : damaged(error);
  }
}

const isStrongEncryption = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("strong encryption");

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/** @throws RangeError where it lies outside of the file */
function placeOf(bytes: Buffer, entry: Entry): Placed {
  const start = entry.relativeOffsetOfLocalHeader;
  if (bytes.readUInt32LE(start) !== LOCAL_SIGNATURE) throw new Error("no header is where one should be");
  const nameEnd = start + LOCAL_HEADER_BYTES + bytes.readUInt16LE(start + 26);
  const dataStart = nameEnd + bytes.readUInt16LE(start + 28);
  const localName = bytes.subarray(start + LOCAL_HEADER_BYTES, nameEnd);
  return { entry, start, end: dataStart + entry.compressedSize, localName };
}

/** Entries that share bytes with another: so a small file is made to unpack to any size. */
function overlapping(placed: readonly Placed[]): ReadonlySet<Entry> {
  const shared = new Set<Entry>();
  let reached = 0;
  for (const { entry, start, end } of placed.toSorted((a, b) => a.start - b.start)) {
    if (start < reached) shared.add(entry);
    reached = Math.max(reached, end);
  }
  return shared;
}

function entryOf(zip: ZipFile, placed: Placed, shared: ReadonlySet<Entry>): ArchiveEntry {
  const { entry } = placed;
  const name = nameOf(entry);
  const kind = isFolder(entry, name) ? "folder" : "file";
  const fault = shared.has(entry) ? "shares its bytes with another entry" : faultOf(placed, kind);
  return {
    name,
    kind,
    content: () => contentOf(zip, entry, name),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Many programs write UTF-8 without saying so; what is none is in the old encoding of DOS. */
function nameOf({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  if (isUtf8(fileNameRaw)) return fileNameRaw.toString();
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

const unixType = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & UNIX_TYPE;

const isFolder = (entry: Entry, name: string): boolean =>
  name.endsWith("/") ||
  unixType(entry) === UNIX_FOLDER ||
  (unixType(entry) === 0 && (entry.externalFileAttributes & DOS_FOLDER) !== 0);

/** What speaks against an entry besides its name, in the order in which it is looked for. */
function faultOf({ entry, localName }: Placed, kind: ArchiveEntry["kind"]): string | undefined {
  const { compressionMethod: method, externalFileAttributes, generalPurposeBitFlag } = entry;
  if (entry.isEncrypted()) return ENCRYPTED;
  if (![0, UNIX_FILE, UNIX_FOLDER].includes(unixType(entry))) return "is a link or a special file";
  if ((externalFileAttributes & DOS_REPARSE_POINT) !== 0) return "is a link";
  if (!localName.equals(entry.fileNameRaw)) return "has another name in its own header";
  if ((generalPurposeBitFlag & UTF8_FLAG) !== 0 && !isUtf8(entry.fileNameRaw))
    return "has a name that is not valid UTF-8";
  if (kind === "folder") return entry.uncompressedSize > 0 ? "is a folder with a content" : undefined;
  if (method === STORED || method === DEFLATED) return undefined;
  return `is compressed in a way that is not supported (method ${method})`;
}

async function* contentOf(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    throw damaged(error);
  }
  if (sum !== entry.crc32) throw entryRefused(name, "is damaged");
}
