/** A line across the page while the gateway does not answer. */
import { useQuery } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";

const WATCH_MS = { well: 15_000, offline: 2_500 } as const;

export function OfflineBanner() {
  const t = useText();
  const { client } = useServices();
  const { isError } = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => client.health(signal),
    retry: false,
    refetchInterval: ({ state }) => (state.status === "error" ? WATCH_MS.offline : WATCH_MS.well),
  });
  if (!isError) return null;
  return (
    <div
      role="alert"
      className="flex items-center justify-center gap-2 border-b border-bad-line bg-bad-soft px-4 py-1.5 text-bad"
    >
      <WifiOff aria-hidden className="size-4" />
      {t("offline")}
    </div>
  );
}
