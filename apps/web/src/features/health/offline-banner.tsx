/** A line across the page while the gateway does not answer. */
import { WifiOff } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { useHealth } from "./use-health.js";

export function OfflineBanner() {
  const t = useText();
  const { isError } = useHealth();
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
