/** Files that the agent has just handed over, within the conversation. */
import { useText } from "../../i18n/language-context.js";
import { baseName } from "../../lib/format.js";
import { FileIcon } from "./file-icon.js";

interface HandedFilesProps {
  readonly paths: readonly string[];
  onOpen(path: string): void;
}

export function HandedFiles({ paths, onOpen }: HandedFilesProps) {
  const t = useText();
  return (
    <ul aria-label={t("files")} className="flex flex-wrap gap-2">
      {paths.map((path) => (
        <li key={path} className="min-w-0">
          <button
            type="button"
            title={path}
            onClick={() => onOpen(path)}
            className="flex h-9 max-w-full items-center gap-2 rounded-lg border border-line bg-raised px-3 font-medium hover:bg-hover"
          >
            <FileIcon path={path} />
            <span className="truncate">{baseName(path)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
