/** Points the observer at the thread that the address names. */
import { useEffect } from "react";
import { newId } from "@deerflow/client";
import { useServices } from "../lib/services.js";

/** @param threadId undefined for a new conversation, which gets an id of its own before it exists */
export function useOpenedThread(threadId: string | undefined): void {
  const { observer } = useServices();
  useEffect(() => {
    if (threadId === undefined) observer.open(newId());
    else if (observer.getSnapshot().threadId !== threadId) void observer.load(threadId);
  }, [threadId, observer]);

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible" && threadId !== undefined) void observer.refresh();
    };
    document.addEventListener("visibilitychange", look);
    window.addEventListener("online", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("online", look);
    };
  }, [threadId, observer]);
}
