/** How the gateway is, asked again and again; more often while it does not answer. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../lib/services.js";

const WATCH_MS = { well: 15_000, offline: 2_500 } as const;

export function useHealth() {
  const { client } = useServices();
  return useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => client.health(signal),
    retry: false,
    refetchInterval: ({ state }) => (state.status === "error" ? WATCH_MS.offline : WATCH_MS.well),
  });
}
