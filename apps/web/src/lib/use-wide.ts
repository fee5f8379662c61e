/** Whether the page is wide enough for a column beside the conversation. */
import { useSyncExternalStore } from "react";

const query = window.matchMedia("(min-width: 64rem)");

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
};

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => query.matches);
