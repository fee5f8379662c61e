/** A file that is text: markdown, a page, a table, or as it is. */
import { sentenceFor } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { baseName } from "../../lib/format.js";
import { Notice } from "../../ui/notice.js";
import { Spinner } from "../../ui/spinner.js";
import { Markdown } from "../conversation/markdown.js";
import { enclosedPage } from "./enclosed-page.js";
import { TableContent } from "./table-content.js";
import { useFileText } from "./use-file-text.js";

interface TextContentProps {
  readonly threadId: string;
  readonly path: string;
  readonly version: string;
  readonly kind: "markdown" | "page" | "table" | "text";
}

export function TextContent({ threadId, path, version, kind }: TextContentProps) {
  const t = useText();
  const { data, error, isPending } = useFileText(threadId, path, version);
  if (isPending)
    return (
      <p role="status" className="flex items-center gap-2 p-5 text-ink-faint">
        <Spinner />
        {t("loading")}
      </p>
    );
  if (error !== null)
    return (
      <div className="p-4">
        <Notice tone="bad">{t("previewFailed", { reason: sentenceFor(error) })}</Notice>
      </div>
    );
  if (data.text === "") return <p className="p-5 text-ink-soft">{t("emptyFile")}</p>;
  if (kind === "page")
    return (
      // No permission at all: no script runs, and the page has an origin of its own.
      <iframe
        srcDoc={enclosedPage(data.text)}
        title={baseName(path)}
        sandbox=""
        className="min-h-0 flex-1 bg-white"
      />
    );
  return (
    <div
      // A keyboard must be able to scroll it.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={path}
      className="min-h-0 flex-1 overflow-auto p-5 outline-offset-[-2px]"
    >
      {kind === "markdown" && <Markdown text={data.text} />}
      {kind === "table" && <TableContent text={data.text} />}
      {kind === "text" && (
        <pre className="font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">{data.text}</pre>
      )}
      {data.cut && <p className="mt-4 text-xs text-ink-faint">{t("previewCut")}</p>}
    </div>
  );
}
