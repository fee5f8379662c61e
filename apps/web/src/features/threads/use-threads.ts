/** The list of conversations, newest first. */
import type { Thread } from "@deerflow/protocol";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useServices } from "../../lib/services.js";

export const THREADS_KEY = ["threads"] as const;
const PAGE = 40;
const WATCH_MS = { busy: 3_000, calm: 20_000 } as const;

export function useThreads() {
  const { client } = useServices();
  return useInfiniteQuery({
    queryKey: THREADS_KEY,
    queryFn: ({ pageParam }): Promise<Thread[]> =>
      client.searchThreads({ limit: PAGE, offset: pageParam, sort_by: "updated_at", sort_order: "desc" }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
    refetchInterval: ({ state }) =>
      state.data?.pages.flat().some(({ status }) => status === "busy") ? WATCH_MS.busy : WATCH_MS.calm,
  });
}
