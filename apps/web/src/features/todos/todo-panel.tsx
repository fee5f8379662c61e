/** The agent's plan and how far it is. */
import type { Todo } from "@deerflow/client";
import { Circle, CircleCheck, CircleDot } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";

const LOOKS = {
  pending: { Icon: Circle, label: "todoPending", icon: "text-ink-faint", text: "text-ink-soft" },
  in_progress: { Icon: CircleDot, label: "todoInProgress", icon: "text-accent", text: "font-medium" },
  completed: {
    Icon: CircleCheck,
    label: "todoCompleted",
    icon: "text-good",
    text: "text-ink-faint",
  },
} as const;

export function TodoPanel({ todos }: { readonly todos: readonly Todo[] }) {
  const t = useText();
  const done = todos.filter(({ status }) => status === "completed").length;
  return (
    <section aria-labelledby="plan-title">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id="plan-title" className="text-xs font-semibold text-ink-soft">
          {t("plan")}
        </h2>
        <span className="text-xs tabular-nums text-ink-faint">
          {t("planProgress", { done, all: todos.length })}
        </span>
      </div>
      <ol className="space-y-1.5">
        {todos.map(({ content, status }, index) => {
          const { Icon, label, icon, text } = LOOKS[status];
          return (
            // The order is the plan's own, and a text may occur twice.
            // eslint-disable-next-line react/no-array-index-key
            <li key={index} className="flex gap-2">
              <Icon aria-label={t(label)} className={classes("mt-0.75 size-3.5 shrink-0", icon)} />
              <span className={classes("min-w-0 wrap-anywhere", text)}>{content}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
