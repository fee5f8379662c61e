/** Copies a text and says so for a moment. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useText } from "../i18n/language-context.js";
import { IconButton } from "./icon-button.js";

export function CopyButton({
  text,
  className,
}: {
  readonly text: () => string;
  readonly className?: string;
}) {
  const t = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  if (navigator.clipboard === undefined) return null; // not there on a page without TLS
  const copy = () => void navigator.clipboard.writeText(text()).then(() => setCopied(true));
  return (
    <IconButton
      size="small"
      label={copied ? t("copied") : t("copy")}
      onClick={copy}
      {...(className ? { className } : {})}
    >
      {copied ? <Check className="size-3.5" aria-hidden /> : <Copy className="size-3.5" aria-hidden />}
    </IconButton>
  );
}
