/** Why a call was refused or failed, in one line that is always visible. */
import type { ToolCallView } from "@deerflow/client";
import type { MessageKey } from "../../i18n/en.js";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";

const REASONS: Readonly<Record<string, MessageKey>> = {
  command_blocked: "refused_command_blocked",
  command_unapproved: "refused_command_unapproved",
  file_not_read: "refused_file_not_read",
  file_changed: "refused_file_not_read",
};

export function ToolCallProblem({ call }: { readonly call: ToolCallView }) {
  const t = useText();
  if (call.state !== "refused" && call.state !== "error") return null;
  const known = REASONS[call.code ?? ""];
  const text =
    call.state === "error"
      ? (call.result.split("\n")[0] ?? "")
      : t(known ?? "refused_other", { code: call.code ?? "" });
  return (
    <p
      className={classes(
        "px-3 pb-2 pl-9 text-xs wrap-anywhere line-clamp-2",
        call.state === "error" ? "text-bad" : "text-warn",
      )}
    >
      {text}
    </p>
  );
}
