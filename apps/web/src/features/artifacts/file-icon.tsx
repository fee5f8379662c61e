/** A picture for a kind of file. */
import { AppWindow, File, FileCode, FileImage, FileSpreadsheet, FileText } from "lucide-react";
import { fileKind, type FileKind } from "./file-kind.js";

const ICONS: Readonly<Record<FileKind, typeof File>> = {
  markdown: FileText,
  table: FileSpreadsheet,
  page: AppWindow,
  image: FileImage,
  text: FileCode,
  other: File,
};

export function FileIcon({ path }: { readonly path: string }) {
  const Icon = ICONS[fileKind(path)];
  return <Icon aria-hidden className="size-4 shrink-0 text-ink-faint" />;
}
