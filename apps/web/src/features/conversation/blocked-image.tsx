/** Stands where a text wants an image: fetching it would tell its host that the text was read. */
import { ImageOff } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { safeLink } from "./safe-link.js";

export function BlockedImage({ alt, src }: { readonly alt: string; readonly src: string }) {
  const t = useText();
  const link = safeLink(src);
  const label = t("imageBlocked", { alt: alt === "" ? src.slice(0, 60) : alt });
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded border border-line bg-sunken px-2 py-0.5 text-xs text-ink-soft">
      <ImageOff aria-hidden className="size-3.5 shrink-0" />
      {link === undefined ? (
        label
      ) : (
        <a href={link} target="_blank" rel="noopener noreferrer nofollow" className="truncate">
          {label}
        </a>
      )}
    </span>
  );
}
