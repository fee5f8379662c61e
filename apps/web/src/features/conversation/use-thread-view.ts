/** The view of the thread on the screen; draws again only when it has changed. */
import type { ThreadView } from "@deerflow/client";
import { useSyncExternalStore } from "react";
import { useServices } from "../../lib/services.js";

export function useThreadView(): ThreadView {
  const { observer } = useServices();
  return useSyncExternalStore(observer.subscribe, observer.getSnapshot);
}
