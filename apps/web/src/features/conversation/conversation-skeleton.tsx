/** The shape of a conversation while it is being loaded. */
import { useText } from "../../i18n/language-context.js";

export function ConversationSkeleton() {
  const t = useText();
  return (
    <div role="status" className="space-y-6">
      <span className="sr-only">{t("loadingConversation")}</span>
      <div className="ml-auto h-9 w-2/3 animate-pulse rounded-2xl bg-hover" />
      <div className="space-y-2.5">
        <div className="h-3.5 w-11/12 animate-pulse rounded bg-hover" />
        <div className="h-3.5 w-3/4 animate-pulse rounded bg-hover" />
        <div className="h-3.5 w-5/6 animate-pulse rounded bg-hover" />
      </div>
    </div>
  );
}
