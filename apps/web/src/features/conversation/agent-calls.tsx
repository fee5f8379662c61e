/** Calls of tools that follow each other: their cards, then what a person can use or answer. */
import type { ToolCallView } from "@deerflow/client";
import { HandedFiles } from "../artifacts/handed-files.js";
import { QuestionCard } from "../tool-calls/question-card.js";
import { ToolCallCard } from "../tool-calls/tool-call-card.js";
import { handedFiles } from "../tool-calls/tool-call-text.js";
import type { TurnActions } from "./turn-actions.js";

interface AgentCallsProps {
  readonly calls: readonly ToolCallView[];
  /** True while questions can be answered. */
  readonly answerable: boolean;
  readonly actions: TurnActions;
}

const isQuestion = (call: ToolCallView): boolean =>
  call.name === "ask_clarification" && call.state === "done";

export function AgentCalls({ calls, answerable, actions }: AgentCallsProps) {
  const cards = calls.filter((call) => !isQuestion(call));
  const files = calls.flatMap(handedFiles);
  return (
    <div className="space-y-3">
      {cards.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
          {cards.map((call) => (
            <ToolCallCard key={call.id} call={call} />
          ))}
        </ul>
      )}
      {files.length > 0 && <HandedFiles paths={[...new Set(files)]} onOpen={actions.openFile} />}
      {calls.filter(isQuestion).map((call) => (
        <QuestionCard key={call.id} call={call} open={answerable} onAnswer={actions.answer} />
      ))}
    </div>
  );
}
