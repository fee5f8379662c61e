/** All that the agent did and said until the person's next word. */
import { isBusy, type ToolCallView } from "@deerflow/client";
import { useText } from "../../i18n/language-context.js";
import { QuestionCard } from "../tool-calls/question-card.js";
import { ToolCallCard } from "../tool-calls/tool-call-card.js";
import { AgentText } from "./agent-text.js";
import type { Step } from "./turns.js";
import { useThreadView } from "./use-thread-view.js";

interface AgentTurnProps {
  readonly steps: readonly Step[];
  /** True for the newest turn: its questions can be answered. */
  readonly newest: boolean;
  onAnswer(text: string): void;
}

const isQuestion = (call: ToolCallView): boolean =>
  call.name === "ask_clarification" && call.state === "done";

export function AgentTurn({ steps, newest, onAnswer }: AgentTurnProps) {
  const t = useText();
  const { toolCalls, phase } = useThreadView();
  const callsOf = (ids: readonly string[]) => ids.flatMap((id) => toolCalls[id] ?? []);
  return (
    <article className="space-y-3" aria-label={t("agent")}>
      {steps.map((step) => {
        if (step.kind === "text") return <AgentText key={step.id} message={step.message} />;
        const calls = callsOf(step.callIds);
        const cards = calls.filter((call) => !isQuestion(call));
        return (
          <div key={step.id} className="space-y-3">
            {cards.length > 0 && (
              <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
                {cards.map((call) => (
                  <ToolCallCard key={call.id} call={call} />
                ))}
              </ul>
            )}
            {calls.filter(isQuestion).map((call) => (
              <QuestionCard key={call.id} call={call} open={newest && !isBusy(phase)} onAnswer={onAnswer} />
            ))}
          </div>
        );
      })}
    </article>
  );
}
