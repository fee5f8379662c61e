/** For addresses that lead nowhere. */
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/language-context.js";

export function NotFoundPage() {
  const t = useText();
  return (
    <main className="flex h-full flex-col items-center justify-center gap-2 p-6 text-center">
      <h1 className="text-lg font-semibold">{t("notFoundTitle")}</h1>
      <p className="text-ink-soft">{t("notFoundText")}</p>
      <Link to="/" className="mt-2 text-accent underline underline-offset-2">
        {t("newChat")}
      </Link>
    </main>
  );
}
