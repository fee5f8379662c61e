/** Sends what was written: to the thread of the address, or to a new one that then gets its address. */
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { sentenceFor, uploadFile, type AttachedFile } from "@deerflow/client";
import { uploadedFiles } from "../features/composer/attachment.js";
import type { Attachments } from "../features/composer/use-attachments.js";
import { useDraft } from "../features/composer/use-draft.js";
import { useServices } from "../lib/services.js";

interface Sending {
  readonly text: string;
  /** Why a file of the demo task could not be uploaded. */
  readonly problem: string | undefined;
  readonly startingDemo: boolean;
  write(text: string): void;
  send(): Promise<void>;
  /** Sends this text instead of the written one. */
  answer(text: string): Promise<void>;
  runDemo(task: string, file: File): Promise<void>;
}

/** @param threadId undefined for a conversation that does not exist yet */
export function useSending(
  threadId: string | undefined,
  attachments: Attachments,
  model: string | undefined,
): Sending {
  const { client, observer } = useServices();
  const navigate = useNavigate();
  const [text, write] = useDraft(threadId);
  const [problem, setProblem] = useState<string>();
  const [startingDemo, setStartingDemo] = useState(false);
  const address = useRef(threadId);
  useEffect(() => {
    address.current = threadId;
  }, [threadId]);

  /** @returns whether the gateway took it */
  const deliver = async (message: string, files: readonly AttachedFile[]): Promise<boolean> => {
    const target = observer.getSnapshot().threadId;
    const from = address.current;
    const taken = await observer.send({ text: message, files, model });
    const here = address.current === from && observer.getSnapshot().threadId === target;
    if (taken && here && from === undefined && target !== undefined)
      await navigate({ to: "/chats/$threadId", params: { threadId: target } });
    return taken;
  };

  const send = async () => {
    const message = text.trim();
    const files = uploadedFiles(attachments.list);
    write("");
    if (await deliver(message, files)) attachments.clear();
    else write(message);
  };

  const runDemo = async (task: string, file: File) => {
    const target = observer.getSnapshot().threadId;
    if (target === undefined) return;
    setProblem(undefined);
    setStartingDemo(true);
    try {
      const { signal } = new AbortController();
      const { filename, size, path } = await uploadFile(client.uploadAddress(target), file, { signal });
      await deliver(task, [{ filename, size, path }]);
    } catch (error) {
      setProblem(sentenceFor(error));
    } finally {
      setStartingDemo(false);
    }
  };

  const answer = async (message: string) => void (await deliver(message, []));
  return { text, problem, startingDemo, write, send, answer, runDemo };
}
