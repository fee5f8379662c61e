/** A text of a machine; long ones are cut until one asks for more. */
import { useState } from "react";
import { useText } from "../../i18n/language-context.js";

const SHOWN_LINES = 14;

export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const t = useText();
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n");
  const cut = lines.length > SHOWN_LINES + 2;
  return (
    <div>
      <pre
        // A keyboard must be able to scroll it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-auto rounded-md border border-line bg-ground px-2.5 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
      >
        {cut && !whole ? lines.slice(0, SHOWN_LINES).join("\n") : text}
      </pre>
      {cut && (
        <button
          type="button"
          onClick={() => setWhole(!whole)}
          className="mt-1 text-xs text-ink-faint underline underline-offset-2 hover:text-ink"
        >
          {whole ? t("showLess") : t("showAll", { count: lines.length })}
        </button>
      )}
    </div>
  );
}
