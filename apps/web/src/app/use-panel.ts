/** Whether the panel with plan and files is shown, and which file is open in it. The address remembers the file. */
import type { ThreadView } from "@deerflow/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { remember, remembered } from "../lib/storage.js";
import { useWide } from "../lib/use-wide.js";

interface Panel {
  /** False while there is nothing to show. */
  readonly available: boolean;
  readonly open: boolean;
  readonly file: string | undefined;
  /** True while the panel lies over the conversation: there is no room beside it. */
  readonly covers: boolean;
  toggle(): void;
  /** Opens a file, or goes back to the lists. */
  show(file: string | undefined): void;
}

export function usePanel({ todos, artifacts, threadId }: ThreadView): Panel {
  const wide = useWide();
  const { file } = useSearch({ strict: false });
  const navigate = useNavigate();
  // On a wide screen the person's last choice holds; on a narrow one the panel covers the page and is opened anew.
  const [choice, setChoice] = useState<{ threadId: string | undefined; open: boolean }>();
  const wished = wide
    ? remembered("panel") !== "closed"
    : choice?.threadId === threadId && choice?.open === true;
  const available = todos.length > 0 || artifacts.length > 0 || file !== undefined;
  const show = (next: string | undefined) => {
    void navigate({ to: ".", search: next === undefined ? {} : { file: next }, replace: true });
  };
  const open = available && (wished || file !== undefined);
  return {
    available,
    open,
    file,
    covers: open && !wide,
    show: (next) => {
      if (next !== undefined || !wide) setChoice({ threadId, open: true });
      show(next);
    },
    toggle: () => {
      if (wide) remember("panel", open ? "closed" : "");
      setChoice({ threadId, open: !open });
      if (open && file !== undefined) show(undefined);
    },
  };
}
