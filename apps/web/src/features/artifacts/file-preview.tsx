/** One file of the thread, large enough to read. */
import { ArrowLeft, Download } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { baseName } from "../../lib/format.js";
import { useServices } from "../../lib/services.js";
import { IconButton } from "../../ui/icon-button.js";
import { FileContent } from "./file-content.js";

interface FilePreviewProps {
  readonly threadId: string;
  readonly path: string;
  readonly version: string;
  onClose(): void;
}

export function FilePreview({ threadId, path, version, onClose }: FilePreviewProps) {
  const t = useText();
  const { client } = useServices();
  const name = baseName(path);
  return (
    <section aria-label={name} className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
        <IconButton label={t("backToFiles")} onClick={onClose}>
          <ArrowLeft className="size-4" aria-hidden />
        </IconButton>
        <h2 className="min-w-0 flex-1 truncate font-medium" title={path}>
          {name}
        </h2>
        <a
          href={client.artifactAddress(threadId, path, true)}
          download={name}
          aria-label={t("downloadFile", { name })}
          title={t("downloadFile", { name })}
          className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line px-2.5 hover:bg-hover"
        >
          <Download aria-hidden className="size-3.5" />
          {t("download")}
        </a>
      </div>
      <FileContent threadId={threadId} path={path} version={version} />
    </section>
  );
}
