/** The entries of a tar file, packed with gzip or not, in their order. */
import { pipeline, Readable, Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { archiveTooLarge, damaged } from "./archive-error.js";
import { type ArchiveEntry, type ArchiveLimits, RATIO_FLOOR_BYTES } from "./contract.js";

const PIECE_BYTES = 64 * 1024;
/** What an entry takes beside its content: its headers and the filling of its last block. */
const ENTRY_BYTES = 4 * 1024;

/** What is looked at of an entry. */
interface Header {
  readonly name: string;
  readonly size?: number | undefined;
  readonly type?: string | null | undefined;
  /** Records of the newer format, where the entry has some. */
  readonly pax?: unknown;
}

interface Entry extends AsyncIterable<unknown> {
  readonly header: Header;
}

/** @throws DeerflowError `archive_invalid`, `archive_too_large` */
export async function* tarEntries(
  bytes: Buffer,
  { isPacked, limits }: { readonly isPacked: boolean; readonly limits: ArchiveLimits },
): AsyncGenerator<ArchiveEntry> {
  const unpacked = extract();
  const stages = isPacked ? [createGunzip(), withinLimits(bytes.length, limits)] : [];
  pipeline([Readable.from(pieces(bytes)), ...stages, unpacked], () => {
    // What fails ends the last stage, where it is met below.
  });
  try {
    for await (const entry of unpacked) {
      yield entryOf(entry);
      // What was not read is passed over.
      entry.resume();
    }
  } catch (error) {
    throw damaged(error);
  } finally {
    unpacked.destroy();
  }
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}

/** Also of what belongs to no file: a tar may go on for ever after its last entry. */
function withinLimits(archiveSize: number, limits: ArchiveLimits): Transform {
  const most = Math.min(
    limits.maxTotalBytes + limits.maxEntries * ENTRY_BYTES,
    Math.max(RATIO_FLOOR_BYTES, archiveSize * limits.maxRatio),
  );
  let size = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      size += piece.length;
      if (size > most) done(archiveTooLarge(`it unpacks to more than ${most} bytes`));
      else done(null, piece);
    },
  });
}

function entryOf(entry: Entry): ArchiveEntry {
  const { name, size = 0 } = entry.header;
  const kind = entry.header.type === "directory" || name.endsWith("/") ? "folder" : "file";
  const fault = kind === "folder" && size > 0 ? "is a folder with a content" : faultOf(entry.header);
  return { name, kind, content: () => contentOf(entry), ...(fault === undefined ? {} : { fault }) };
}

/** Everything else is a device, a pipe, or a part of an archive of several volumes. */
const FAULTS: Readonly<Record<string, string | undefined>> = {
  file: undefined,
  "contiguous-file": undefined,
  directory: undefined,
  link: "is a hard link",
  symlink: "is a link",
};

function faultOf(header: Header): string | undefined {
  const type = header.type ?? "";
  if (!Object.hasOwn(FAULTS, type)) return "is a special file";
  if (Object.keys(Object(header.pax)).some((key) => key.startsWith("GNU.sparse.")))
    return "is stored with holes, which is not supported";
  return FAULTS[type];
}

async function* contentOf(entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    // Nothing but the bytes of the archive is ever put into it.
    yield* entry as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw damaged(error);
  }
}
