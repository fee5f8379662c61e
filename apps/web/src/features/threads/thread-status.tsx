/** How a conversation stands; nothing when it is at rest. */
import type { ThreadStatus as Status } from "@deerflow/protocol";
import { CircleAlert, CircleDot } from "lucide-react";
import { useText } from "../../i18n/language-context.js";
import { Spinner } from "../../ui/spinner.js";

export function ThreadStatus({ status }: { readonly status: Status }) {
  const t = useText();
  if (status === "idle") return null;
  const label = t(
    status === "busy" ? "statusBusy" : status === "error" ? "statusError" : "statusInterrupted",
  );
  return (
    <span title={label} className="inline-flex shrink-0">
      {status === "busy" && <Spinner className="size-3.5 text-accent" />}
      {status === "error" && <CircleAlert aria-hidden className="size-3.5 text-bad" />}
      {status === "interrupted" && <CircleDot aria-hidden className="size-3.5 text-warn" />}
      <span className="sr-only">{label}</span>
    </span>
  );
}
