/** What conversation this is, and the switches of the side columns. */
import { PanelLeft, PanelRight } from "lucide-react";
import { useText } from "../i18n/language-context.js";
import { IconButton } from "../ui/icon-button.js";

interface ChatHeaderProps {
  /** Undefined where the page has its own heading. */
  readonly title: string | undefined;
  /** Undefined where there is no panel to show. */
  readonly panelOpen: boolean | undefined;
  onOpenSidebar(): void;
  readonly onTogglePanel: (() => void) | undefined;
}

export function ChatHeader({ title, panelOpen, onOpenSidebar, onTogglePanel }: ChatHeaderProps) {
  const t = useText();
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 sm:px-3">
      <IconButton label={t("openSidebar")} onClick={onOpenSidebar} className="md:hidden">
        <PanelLeft className="size-4" aria-hidden />
      </IconButton>
      {title !== undefined && <h1 className="min-w-0 flex-1 truncate font-medium md:px-1.5">{title}</h1>}
      {panelOpen !== undefined && (
        <IconButton
          label={panelOpen ? t("closePanel") : t("openPanel")}
          aria-expanded={panelOpen}
          onClick={onTogglePanel}
        >
          <PanelRight className="size-4" aria-hidden />
        </IconButton>
      )}
    </header>
  );
}
