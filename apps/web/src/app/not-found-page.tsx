/** Stands in the place of a conversation where an address leads nowhere. */
import { Link } from "@tanstack/react-router";
import { SearchX, SquarePen } from "lucide-react";
import { useEffect } from "react";
import type { MessageKey } from "../i18n/en.js";
import { useText } from "../i18n/language-context.js";
import { ChatHeader } from "./chat-header.js";

interface NotFoundPageProps {
  /** What is not there. */
  readonly title: MessageKey;
  onOpenSidebar(): void;
}

export function NotFoundPage({ title, onOpenSidebar }: NotFoundPageProps) {
  const t = useText();
  useEffect(() => {
    document.title = `${t(title)} · ${t("appName")}`;
  }, [title, t]);
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <ChatHeader
        title={undefined}
        panelOpen={undefined}
        onTogglePanel={undefined}
        onOpenSidebar={onOpenSidebar}
      />
      <div className="flex flex-1 flex-col items-center justify-center p-6 pb-24 text-center">
        <SearchX aria-hidden className="mb-4 size-8 text-ink-faint" />
        <h1 className="text-lg font-semibold">{t(title)}</h1>
        <p className="mt-1 text-ink-soft">{t("notFoundText")}</p>
        <Link
          to="/"
          className="mt-5 inline-flex h-9 items-center gap-2 rounded-md bg-accent px-3.5 font-medium text-accent-ink hover:opacity-90"
        >
          <SquarePen aria-hidden className="size-4" />
          {t("newChat")}
        </Link>
      </div>
    </main>
  );
}
