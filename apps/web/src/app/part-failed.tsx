/** Stands where a part of the page has failed. */
import { useText } from "../i18n/language-context.js";
import { Notice } from "../ui/notice.js";

export function PartFailed({ reason }: { readonly reason: string }) {
  const t = useText();
  return (
    <div className="flex-1 p-6">
      <Notice tone="bad">{t("somethingFailed", { reason })}</Notice>
    </div>
  );
}
