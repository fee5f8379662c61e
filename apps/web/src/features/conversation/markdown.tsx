/** Markdown; the plain text stands there until the renderer has been loaded. */
import { lazy, memo, Suspense } from "react";
import { loadPatiently } from "../../lib/load-patiently.js";

const MarkdownText = lazy(() =>
  loadPatiently(() => import("./markdown-text.js")).then((module) => ({ default: module.MarkdownText })),
);

interface MarkdownProps {
  readonly text: string;
  /** True while more of the text is coming. */
  readonly streaming?: boolean;
}

export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  return (
    <Suspense fallback={<div className="markdown whitespace-pre-wrap">{text}</div>}>
      <MarkdownText text={text} streaming={streaming} />
    </Suspense>
  );
});
