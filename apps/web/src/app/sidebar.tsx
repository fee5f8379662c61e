/** The way to new and old conversations; on a narrow screen it slides over the page. */
import { Link } from "@tanstack/react-router";
import { SquarePen, X } from "lucide-react";
import { useEffect } from "react";
import { SandboxStatus } from "../features/health/sandbox-status.js";
import { PreferencesMenu } from "../features/preferences/preferences-menu.js";
import { ThreadList } from "../features/threads/thread-list.js";
import { useText } from "../i18n/language-context.js";
import { classes } from "../lib/classes.js";
import { IconButton } from "../ui/icon-button.js";
import { Logo } from "../ui/logo.js";

interface SidebarProps {
  readonly open: boolean;
  onClose(): void;
}

export function Sidebar({ open, onClose }: SidebarProps) {
  const t = useText();
  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && onClose();
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [open, onClose]);
  return (
    <>
      {open && <div aria-hidden onClick={onClose} className="fixed inset-0 z-30 bg-black/40 md:hidden" />}
      <nav
        aria-label={t("conversations")}
        className={classes(
          "w-66 shrink-0 flex-col border-r border-line bg-sunken",
          open ? "fixed inset-y-0 left-0 z-40 flex shadow-xl md:static md:shadow-none" : "hidden md:flex",
        )}
      >
        <div className="flex h-12 shrink-0 items-center gap-2 px-3">
          <Logo />
          <span className="flex-1 font-semibold tracking-tight">{t("appName")}</span>
          <IconButton label={t("closeSidebar")} onClick={onClose} className="md:hidden">
            <X className="size-4" aria-hidden />
          </IconButton>
        </div>
        <div className="px-2 pb-2">
          <Link
            to="/"
            onClick={() => document.querySelector<HTMLElement>("#composer")?.focus()}
            className="flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-2 font-medium hover:bg-hover"
          >
            <SquarePen aria-hidden className="size-4 text-ink-faint" />
            {t("newChat")}
          </Link>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto px-2 py-1">
          <ThreadList />
        </div>
        <div className="border-t border-line p-2">
          <SandboxStatus />
          <PreferencesMenu />
        </div>
      </nav>
    </>
  );
}
