/** Puts messages together that belong to one turn, so that a turn can be shown as one. */
import type { ViewMessage } from "@deerflow/client";

/** What a person said, or all that the agent did until the person's next word. */
export type Turn =
  | { readonly kind: "human"; readonly id: string; readonly message: ViewMessage }
  | { readonly kind: "agent"; readonly id: string; readonly steps: readonly Step[] };

/** A text, or calls of tools that follow each other without a text between them. */
export type Step =
  | { readonly kind: "text"; readonly id: string; readonly message: ViewMessage }
  | { readonly kind: "calls"; readonly id: string; readonly callIds: readonly string[] };

function stepsOf(message: ViewMessage): readonly Step[] {
  const says = message.text.trim() !== "" || message.reasoning !== "";
  const text: readonly Step[] = says ? [{ kind: "text", id: message.id, message }] : [];
  const callIds = message.calls.map(({ id }) => id);
  return callIds.length === 0 ? text : [...text, { kind: "calls", id: `${message.id}-calls`, callIds }];
}

function addStep(steps: readonly Step[], step: Step): readonly Step[] {
  const last = steps.at(-1);
  if (last?.kind !== "calls" || step.kind !== "calls") return [...steps, step];
  return [...steps.slice(0, -1), { ...last, callIds: [...last.callIds, ...step.callIds] }];
}

export function turnsOf(messages: readonly ViewMessage[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === "human") turns.push({ kind: "human", id: message.id, message });
    if (message.role !== "ai") continue;
    const last = turns.at(-1);
    const open = last?.kind === "agent" ? last : undefined;
    const steps = stepsOf(message).reduce(addStep, open?.steps ?? []);
    if (open) turns[turns.length - 1] = { ...open, steps };
    else turns.push({ kind: "agent", id: message.id, steps });
  }
  return turns;
}
