/** The shape of the list while it is being loaded. */
import { useText } from "../../i18n/language-context.js";

const WIDTHS = ["w-4/5", "w-3/5", "w-11/12", "w-2/3", "w-3/4"];

export function ThreadSkeleton() {
  const t = useText();
  return (
    <div role="status" className="space-y-4 px-2 py-2">
      <span className="sr-only">{t("loading")}</span>
      {WIDTHS.map((width) => (
        <div key={width} className={`h-3.5 animate-pulse rounded bg-hover ${width}`} />
      ))}
    </div>
  );
}
