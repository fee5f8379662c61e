/** One value of the thread on the screen; the component draws again only when it changes. */
import type { ThreadView } from "@deerflow/client";
import { useSyncExternalStore } from "react";
import { useServices } from "./services.js";

/** @param select must give the same (identical) value for the same view */
export function useThreadValue<Value>(select: (view: ThreadView) => Value): Value {
  const { observer } = useServices();
  return useSyncExternalStore(observer.subscribe, () => select(observer.getSnapshot()));
}
