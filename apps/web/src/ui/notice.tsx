/** A line that says what is wrong, or what one should know. */
import { CircleAlert, Info } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../lib/classes.js";

interface NoticeProps {
  readonly tone: "bad" | "calm";
  readonly children: ReactNode;
  /** What can be done about it. */
  readonly action?: ReactNode;
}

export function Notice({ tone, children, action }: NoticeProps) {
  const Icon = tone === "bad" ? CircleAlert : Info;
  return (
    <div
      role={tone === "bad" ? "alert" : undefined}
      className={classes(
        "flex items-start gap-2.5 rounded-lg border px-3 py-2 text-sm",
        tone === "bad" ? "border-bad-line bg-bad-soft text-bad" : "border-line bg-sunken text-ink-soft",
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}
