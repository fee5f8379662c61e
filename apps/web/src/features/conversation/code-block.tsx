/** Code within a text, with a button to copy it. */
import { useRef, type ReactNode } from "react";
import { useText } from "../../i18n/language-context.js";
import { CopyButton } from "../../ui/copy-button.js";

export function CodeBlock({ children }: { readonly children: ReactNode }) {
  const t = useText();
  const pre = useRef<HTMLPreElement>(null);
  return (
    <div className="group/code relative">
      <pre
        ref={pre}
        // A keyboard must be able to scroll it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={t("copy")}
        className="overflow-x-auto rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-[0.8125rem] leading-5.5"
      >
        {children}
      </pre>
      <CopyButton
        text={() => pre.current?.textContent ?? ""}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
}
