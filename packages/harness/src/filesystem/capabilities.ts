/** What a backend can do beyond the five verbs. A decorator must hand these on. */
import type {
  ByteReadable,
  FileBackend,
  HostSearchable,
  LinkFollowing,
  Shell,
  StreamWritable,
  WithShell,
} from "./contract.js";

export const isHostSearchable = (files: FileBackend): files is FileBackend & HostSearchable =>
  "openFolders" in files;

export const isByteReadable = (files: FileBackend): files is FileBackend & ByteReadable =>
  "openBytes" in files;

export const isStreamWritable = (files: FileBackend): files is FileBackend & StreamWritable =>
  "openWrite" in files;

export const isLinkFollowing = (files: FileBackend): files is FileBackend & LinkFollowing =>
  "judgedBy" in files;

/** The shell beside the files; undefined where there is none. */
export const shellOf = (files: FileBackend): Shell | undefined =>
  "shell" in files ? (files as FileBackend & Partial<WithShell>).shell : undefined;
