/** Plan and files of a conversation, or one of its files. On a narrow screen it covers the page. */
import type { ThreadView } from "@deerflow/client";
import { X } from "lucide-react";
import { FileList } from "../features/artifacts/file-list.js";
import { FilePreview } from "../features/artifacts/file-preview.js";
import { TodoPanel } from "../features/todos/todo-panel.js";
import { useText } from "../i18n/language-context.js";
import { classes } from "../lib/classes.js";
import { IconButton } from "../ui/icon-button.js";

interface SidePanelProps {
  readonly view: ThreadView;
  readonly file: string | undefined;
  onOpen(file: string | undefined): void;
  onClose(): void;
}

export function SidePanel({ view, file, onOpen, onClose }: SidePanelProps) {
  const t = useText();
  const { threadId, todos, artifacts, phase, runId } = view;
  if (threadId === undefined) return null;
  return (
    <aside
      aria-label={`${t("plan")}, ${t("files")}`}
      className={classes(
        "fixed inset-0 z-20 flex flex-col bg-ground lg:static lg:z-auto lg:border-l lg:border-line",
        file === undefined ? "lg:w-72 lg:shrink-0" : "lg:w-[min(46vw,48rem)] lg:shrink-0",
      )}
    >
      {file === undefined ? (
        <>
          <div className="flex h-12 shrink-0 items-center justify-end px-2 lg:hidden">
            <IconButton label={t("closePanel")} onClick={onClose}>
              <X className="size-4" aria-hidden />
            </IconButton>
          </div>
          <div className="min-h-0 flex-1 space-y-6 overflow-y-auto px-4 py-4">
            {todos.length > 0 && <TodoPanel todos={todos} />}
            <FileList threadId={threadId} paths={artifacts} onOpen={onOpen} />
          </div>
        </>
      ) : (
        <FilePreview
          threadId={threadId}
          path={file}
          version={`${runId ?? ""} ${phase}`}
          onClose={() => onOpen(undefined)}
        />
      )}
    </aside>
  );
}
