/** What the agent handed over. */
import { Download } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";
import { baseName } from "../../lib/format.js";
import { FileIcon } from "./file-icon.js";

interface FileListProps {
  readonly threadId: string;
  readonly paths: readonly string[];
  onOpen(path: string): void;
}

export function FileList({ threadId, paths, onOpen }: FileListProps) {
  const t = useText();
  const { client } = useServices();
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title" className="mb-1.5 text-xs font-semibold text-ink-soft">
        {t("files")}
      </h2>
      {paths.length === 0 && <p className="text-ink-faint">{t("noFiles")}</p>}
      <ul className="-mx-2 space-y-px">
        {paths.map((path) => {
          const name = baseName(path);
          return (
            <li key={path} className="flex items-center rounded-md hover:bg-hover">
              <button
                type="button"
                aria-label={t("openFile", { name })}
                onClick={() => onOpen(path)}
                className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1.5 text-left"
              >
                <FileIcon path={path} />
                <span className="truncate" title={path}>
                  {name}
                </span>
              </button>
              <a
                href={client.artifactAddress(threadId, path, true)}
                download={name}
                aria-label={t("downloadFile", { name })}
                title={t("downloadFile", { name })}
                className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-faint hover:text-ink"
              >
                <Download aria-hidden className="size-4" />
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
