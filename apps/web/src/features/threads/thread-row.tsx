/** One conversation of the list, with what can be done to it. */
import type { Thread } from "@deerflow/protocol";
import { Link } from "@tanstack/react-router";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLanguage } from "../../i18n/language-context.js";
import { formatAgo } from "../../lib/format.js";
import { useNow } from "../../lib/use-now.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu } from "../../ui/menu.js";
import { MenuItem } from "../../ui/menu-item.js";
import { DeleteThreadDialog } from "./delete-thread-dialog.js";
import { RenameThreadDialog } from "./rename-thread-dialog.js";
import { ThreadStatus } from "./thread-status.js";
import { threadTitle } from "./thread-title.js";

export function ThreadRow({ thread }: { readonly thread: Thread }) {
  const { t, language } = useLanguage();
  const now = useNow();
  const [dialog, setDialog] = useState<"rename" | "delete">();
  const title = threadTitle(thread) ?? t("untitled");
  const close = () => setDialog(undefined);
  return (
    <li className="group relative">
      <Link
        to="/chats/$threadId"
        params={{ threadId: thread.thread_id }}
        className="flex items-center gap-2 rounded-md py-1.5 pr-9 pl-2 hover:bg-hover"
        activeProps={{ className: "bg-hover font-medium" }}
      >
        <span className="min-w-0 flex-1 truncate" title={title}>
          {title}
        </span>
        <ThreadStatus status={thread.status} />
        <time
          dateTime={thread.updated_at}
          className="shrink-0 text-2xs font-normal text-ink-faint group-focus-within:hidden group-hover:hidden"
        >
          {formatAgo(thread.updated_at, now, language)}
        </time>
      </Link>
      <Menu
        align="end"
        trigger={
          <IconButton
            label={t("conversationMenu", { title })}
            size="small"
            className="absolute top-0.5 right-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100"
          >
            <Ellipsis className="size-4" aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil className="size-3.5" aria-hidden />} onSelect={() => setDialog("rename")}>
          {t("rename")}
        </MenuItem>
        <MenuItem
          dangerous
          icon={<Trash2 className="size-3.5" aria-hidden />}
          onSelect={() => setDialog("delete")}
        >
          {t("delete")}
        </MenuItem>
      </Menu>
      {dialog === "rename" && (
        <RenameThreadDialog threadId={thread.thread_id} title={title} onClose={close} />
      )}
      {dialog === "delete" && (
        <DeleteThreadDialog threadId={thread.thread_id} title={title} onClose={close} />
      )}
    </li>
  );
}
