/** The node that runs tools: the one call that a Send names, or every open call. */
import type { ToolMessage } from "@langchain/core/messages";
import { Command, isCommand } from "@langchain/langgraph";
import type { AgentPlan } from "./agent-plan.js";
import type { AgentState, NodeConfig } from "./agent-state.js";
import { pendingCalls } from "./pending-calls.js";
import { readState, setTaskInput } from "../langgraph/private-keys.js";
import { shareSignal } from "../langgraph/shared-signal.js";
import { callEntryOf } from "./route.js";
import { runToolCall, type ToolOutcome } from "./tool-call.js";

/** Results are written in the order of the calls. The static edge to the model node is the way on. */
export const createToolsNode =
  (plan: AgentPlan) =>
  async (input: AgentState, config: NodeConfig): Promise<Command[]> => {
    shareSignal(config.signal);
    const callId = callEntryOf(input);
    const state = callId === undefined ? input : readState<AgentState>(config, plan.schema.fields);
    setTaskInput(config, state);
    const open = pendingCalls(state.messages);
    const calls = callId === undefined ? open : open.filter((call) => call.id === callId);
    const outcomes = await Promise.all(calls.map((call) => runToolCall({ plan, state, config }, call)));
    return toCommands(outcomes);
  };

/** Neighbouring messages share a command; a tool's own command keeps its place between them. */
export function toCommands(outcomes: readonly ToolOutcome[]): Command[] {
  const commands: Command[] = [];
  let messages: ToolMessage[] = [];
  const flush = () => {
    if (messages.length > 0) commands.push(new Command({ update: { messages } }));
    messages = [];
  };
  for (const outcome of outcomes) {
    if (isCommand(outcome)) {
      flush();
      commands.push(outcome);
    } else {
      messages.push(outcome);
    }
  }
  flush();
  return commands.length > 0 ? commands : [new Command({ update: {} })];
}
