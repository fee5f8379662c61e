/** Chooses how a file is shown. */
import { useText } from "../../i18n/language-context.js";
import { baseName } from "../../lib/format.js";
import { useServices } from "../../lib/services.js";
import { fileKind } from "./file-kind.js";
import { TextContent } from "./text-content.js";

interface FileContentProps {
  readonly threadId: string;
  readonly path: string;
  readonly version: string;
}

export function FileContent({ threadId, path, version }: FileContentProps) {
  const t = useText();
  const { client } = useServices();
  const kind = fileKind(path);
  const address = client.artifactAddress(threadId, path);
  if (kind === "other") return <p className="p-5 text-ink-soft">{t("noPreview")}</p>;
  if (kind === "image")
    return (
      <div className="min-h-0 flex-1 overflow-auto bg-sunken p-4">
        <img key={version} src={address} alt={baseName(path)} className="mx-auto max-w-full" />
      </div>
    );
  return <TextContent threadId={threadId} path={path} version={version} kind={kind} />;
}
