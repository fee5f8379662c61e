/** What one sees before the first message. */
import { Play } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { Spinner } from "../../ui/spinner.js";
import { EXAMPLE_TASKS } from "./example-tasks.js";

interface WelcomeProps {
  /** True while the demo task is being prepared. */
  readonly starting: boolean;
  onExample(text: string): void;
  onDemo(): void;
}

export function Welcome({ starting, onExample, onDemo }: WelcomeProps) {
  const t = useText();
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-5 sm:px-6">
      <h1 className="text-2xl font-semibold tracking-tight">{t("welcomeTitle")}</h1>
      <p className="mt-1.5 max-w-xl text-[0.9375rem] text-ink-soft">{t("welcomeText")}</p>
      <button
        type="button"
        disabled={starting}
        onClick={onDemo}
        className="mt-6 flex w-full items-center gap-3 rounded-xl border border-accent/35 bg-accent-soft px-4 py-3 text-left transition-colors hover:border-accent"
      >
        <span className="inline-flex size-8 shrink-0 items-center justify-center rounded-full bg-accent text-accent-ink">
          {starting ? (
            <Spinner className="text-accent-ink" />
          ) : (
            <Play aria-hidden className="size-4 fill-current" />
          )}
        </span>
        <span className="min-w-0">
          <span className="block font-medium">{t("runDemo")}</span>
          <span className="block text-ink-soft">{t("runDemoText")}</span>
        </span>
      </button>
      <ul className="mt-2.5 grid gap-2.5 sm:grid-cols-3">
        {EXAMPLE_TASKS.map(({ Icon, title, text }) => (
          <li key={title}>
            <button
              type="button"
              onClick={() => onExample(t(text))}
              className="flex h-full w-full flex-col items-start rounded-xl border border-line p-3 text-left transition-colors hover:bg-hover"
            >
              <Icon aria-hidden className="mb-2 size-4 text-ink-faint" />
              <span className="block font-medium">{t(title)}</span>
              <span className="mt-0.5 line-clamp-3 text-xs text-ink-soft">{t(text)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
