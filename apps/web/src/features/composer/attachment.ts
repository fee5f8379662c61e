/** Files on their way to the thread: pure steps of a small list. */
import type { AttachedFile } from "@deerflow/client";

export interface Attachment {
  readonly key: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** From 0 to 1 while it is being uploaded. */
  readonly progress: number;
  /** Set once it is there. */
  readonly uploaded?: AttachedFile;
  /** Why it did not get there, in a whole sentence. */
  readonly error?: string;
}

export const isPending = ({ uploaded, error }: Attachment): boolean =>
  uploaded === undefined && error === undefined;

/** The list with one entry changed; the same list when the entry is not there any more. */
export const changeAttachment = (
  list: readonly Attachment[],
  key: string,
  change: Partial<Attachment>,
): readonly Attachment[] => list.map((entry) => (entry.key === key ? { ...entry, ...change } : entry));

export const uploadedFiles = (list: readonly Attachment[]): readonly AttachedFile[] =>
  list.flatMap(({ uploaded }) => uploaded ?? []);
