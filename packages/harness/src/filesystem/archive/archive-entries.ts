/** The entries of an archive of any kind that is known, told by its first bytes and never by its name. */
import { archiveRefused } from "./archive-error.js";
import type { ArchiveEntry, ArchiveLimits } from "./contract.js";
import { tarEntries } from "./tar-entries.js";
import { zipEntries } from "./zip-entries.js";

interface Format {
  readonly offset: number;
  readonly mark: string;
  readonly entries: (bytes: Buffer, limits: ArchiveLimits) => AsyncIterable<ArchiveEntry>;
}

const FORMATS: readonly Format[] = [
  { offset: 0, mark: "PK\x03\x04", entries: (bytes, { maxEntries }) => zipEntries(bytes, maxEntries) },
  { offset: 0, mark: "PK\x05\x06", entries: (bytes, { maxEntries }) => zipEntries(bytes, maxEntries) },
  { offset: 0, mark: "\x1f\x8b", entries: (bytes, limits) => tarEntries(bytes, { isPacked: true, limits }) },
  { offset: 257, mark: "ustar", entries: (bytes, limits) => tarEntries(bytes, { isPacked: false, limits }) },
];

/** @throws DeerflowError `archive_invalid` for what is none */
export function archiveEntries(bytes: Buffer, limits: ArchiveLimits): AsyncIterable<ArchiveEntry> {
  const format = FORMATS.find(
    ({ offset, mark }) => bytes.toString("latin1", offset, offset + mark.length) === mark,
  );
  if (format === undefined)
    throw archiveRefused("it is neither a zip nor a tar file, nor one packed with gzip");
  return format.entries(bytes, limits);
}
