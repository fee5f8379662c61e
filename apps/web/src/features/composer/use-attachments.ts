/** Uploads files to the thread while the message is still being written. */
import { sentenceFor, uploadFile, type AttachedFile } from "@deerflow/client";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";
import { changeAttachment, isPending, type Attachment } from "./attachment.js";
import { uploadRefusals } from "./upload-refusal.js";
import { useUploadLimits } from "./use-upload-limits.js";

export interface Attachments {
  readonly list: readonly Attachment[];
  readonly pending: boolean;
  add(files: readonly File[]): void;
  remove(key: string): void;
  clear(): void;
}

const newAttachment = ({ name, size }: File, index: number, error: string | undefined): Attachment => {
  const entry = { key: `${performance.now()}-${index}`, name, size, progress: 0 };
  return error === undefined ? entry : { ...entry, error };
};

type Lists = Readonly<Record<string, readonly Attachment[]>>;

/** @param threadId what is attached belongs to this thread; undefined while there is none */
export function useAttachments(threadId: string | undefined): Attachments {
  const t = useText();
  const { client } = useServices();
  const limits = useUploadLimits(threadId);
  const [lists, setLists] = useState<Lists>({});
  const uploads = useRef(new Map<string, AbortController>());
  const list = (threadId === undefined ? undefined : lists[threadId]) ?? [];

  useEffect(() => {
    const running = uploads.current;
    return () => {
      for (const controller of running.values()) controller.abort(new Error("left"));
      running.clear();
    };
  }, []);

  const change = (thread: string, next: (list: readonly Attachment[]) => readonly Attachment[]) =>
    setLists((now) => ({ ...now, [thread]: next(now[thread] ?? []) }));

  const upload = async (thread: string, key: string, file: File) => {
    const controller = new AbortController();
    uploads.current.set(key, controller);
    const tell = (news: Partial<Attachment>) =>
      change(thread, (entries) => changeAttachment(entries, key, news));
    try {
      const { filename, size, path } = await uploadFile(client.uploadAddress(thread), file, {
        signal: controller.signal,
        onProgress: (progress) => tell({ progress }),
      });
      const uploaded: AttachedFile = { filename, size, path };
      tell({ progress: 1, uploaded });
    } catch (error) {
      if (!controller.signal.aborted) tell({ error: `${file.name}: ${sentenceFor(error)}` });
    } finally {
      uploads.current.delete(key);
    }
  };

  const add = (files: readonly File[]) => {
    if (threadId === undefined) return;
    const refusals = uploadRefusals(list, files, limits);
    const fresh = files.map((file, index) => {
      const refusal = refusals[index];
      return { file, entry: newAttachment(file, index, refusal && t(refusal.key, refusal.values)) };
    });
    change(threadId, (entries) => [...entries, ...fresh.map(({ entry }) => entry)]);
    for (const { file, entry } of fresh) if (isPending(entry)) void upload(threadId, entry.key, file);
  };

  const remove = (key: string) => {
    if (threadId === undefined) return;
    uploads.current.get(key)?.abort(new Error("removed"));
    const uploaded = list.find((entry) => entry.key === key)?.uploaded;
    change(threadId, (entries) => entries.filter((entry) => entry.key !== key));
    if (uploaded === undefined) return;
    client
      .deleteUpload(threadId, uploaded.filename)
      .catch((error: unknown) => console.warn(sentenceFor(error)));
  };

  const clear = () => {
    if (threadId !== undefined) change(threadId, () => []);
  };

  return { list, pending: list.some(isPending), add, remove, clear };
}
