/** All that the agent did and said until the person's next word. */
import { isBusy } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { AgentCalls } from "./agent-calls.js";
import { AgentText } from "./agent-text.js";
import type { TurnActions } from "./turn-actions.js";
import type { Step } from "./turns.js";
import { useThreadView } from "./use-thread-view.js";

interface AgentTurnProps {
  readonly steps: readonly Step[];
  /** True for the newest turn: its questions can be answered. */
  readonly newest: boolean;
  readonly actions: TurnActions;
}

export function AgentTurn({ steps, newest, actions }: AgentTurnProps) {
  const t = useText();
  const { toolCalls, phase } = useThreadView();
  return (
    <article className="space-y-3" aria-label={t("agent")}>
      {steps.map((step) =>
        step.kind === "text" ? (
          <AgentText key={step.id} message={step.message} />
        ) : (
          <AgentCalls
            key={step.id}
            calls={step.callIds.flatMap((id) => toolCalls[id] ?? [])}
            answerable={newest && !isBusy(phase)}
            actions={actions}
          />
        ),
      )}
    </article>
  );
}
