/** Where the agent goes next. Pure decisions; the nodes carry them out. */
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, END, Send } from "@langchain/langgraph";
import type { JumpToTarget } from "langchain";
import type { HookPhase, Phase } from "./hooks.js";
import { pendingCalls } from "./pending-calls.js";

export const TOOLS_NODE = "tools";

// A Send's arguments take the place of the state, so these keys tell the two apart.
const MODEL_ENTRY = "__model_entry__";
const CALL_ENTRY = "__call_entry__";

/** Where in the model node to begin: a phase, and within it a middleware instead of the first hook. */
export interface ModelEntry {
  readonly phase: Phase;
  /** By name, because the chain may have changed between pause and resume. */
  readonly middleware?: string;
}

export const enterModel = (nodeName: string, entry: ModelEntry): Send =>
  new Send(nodeName, { [MODEL_ENTRY]: entry });

/** The entry that a Send to the model node carries; undefined when the input is the state. */
export const modelEntryOf = (input: Readonly<Record<string, unknown>>): ModelEntry | undefined =>
  // The cast is sound: only `enterModel` writes this key.
  input[MODEL_ENTRY] as ModelEntry | undefined;

/** The entry of a new run, at the first hook of all. */
export const startRun = (nodeName: string): Send => enterModel(nodeName, { phase: "beforeAgent" });

/** True for what {@link startRun} gave, also after it was stored. */
export function startsRun(send: Send): boolean {
  const entry = modelEntryOf(send.args);
  return entry?.phase === "beforeAgent" && entry.middleware === undefined;
}

/** The tool call that a Send to the tools node carries; undefined when the input is the state. */
export const callEntryOf = (input: Readonly<Record<string, unknown>>): string | undefined =>
  // The cast is sound: only `toolsRoute` writes this key.
  input[CALL_ENTRY] as string | undefined;

/** One open call goes to the tools node as it is; several become a task each, so that each is stored by itself. */
export function toolsRoute(messages: readonly BaseMessage[]): string | readonly Send[] {
  const calls = pendingCalls(messages);
  if (calls.length < 2) return TOOLS_NODE;
  return calls.map((call) => new Send(TOOLS_NODE, { [CALL_ENTRY]: call.id }));
}

/** Does the agent stop because a tool's answer is the answer to the user? `parity`: only the last one counts. */
export function returnsDirectly(
  answers: readonly ToolMessage[],
  directTools: ReadonlySet<string>,
  parity: boolean,
): boolean {
  return (parity ? answers.slice(-1) : answers).some(
    ({ name, status }) => name !== undefined && status !== "error" && directTools.has(name),
  );
}

/**
 * Where the commands of `wrapModelCall` want to go, in the graph's own terms. `createAgent`'s name of the model
 * node is understood too. END is left out: it has to pass through the afterAgent hooks first.
 */
export function commandGoto(
  commands: readonly Command[],
  { nodeName, parity }: { readonly nodeName: string; readonly parity: boolean },
  messages: readonly BaseMessage[],
): readonly (string | Send)[] {
  const targets = targetsOf(commands).filter((target) => target !== END);
  return targets.flatMap((target): string | Send | readonly (string | Send)[] => {
    if (target === TOOLS_NODE) return toolsRoute(messages);
    if (target !== "model" && target !== "model_request" && target !== nodeName) return target;
    return enterModel(nodeName, { phase: parity ? "model" : "beforeModel" });
  });
}

/** True when one of the commands wants the run to end. */
export const wantEnd = (commands: readonly Command[]): boolean => targetsOf(commands).includes(END);

const targetsOf = (commands: readonly Command[]) => commands.flatMap(({ goto }) => goto ?? []);

export type Jump =
  /** The jump is ignored; the next hook runs. */
  | { readonly to: "onward" }
  | { readonly to: "tools" }
  | { readonly to: "end" }
  /** Another phase: in this superstep, or with a commit before it. */
  | { readonly to: "phase"; readonly phase: Phase; readonly commit: boolean };

export interface JumpCircumstances {
  readonly from: HookPhase;
  readonly target: JumpToTarget;
  /** The middleware is the outermost one with this hook. */
  readonly isOutermost: boolean;
  /** The conversation ends with an AI message that calls no tool. */
  readonly endsWithAnswer: boolean;
  /** Do as `createAgent` does, oddities included. */
  readonly parity: boolean;
}

/**
 * What a hook's `jumpTo` means. Our rules: `end` always passes through the afterAgent hooks, `model` through the
 * beforeModel hooks (save from one of them). `createAgent` skips either in some cases and ignores the outermost
 * afterModel hook's jump after a final answer.
 */
export function resolveJump(circumstances: JumpCircumstances): Jump {
  const { from, target, isOutermost, endsWithAnswer, parity } = circumstances;
  if (parity && from === "afterModel" && isOutermost && endsWithAnswer) return { to: "onward" };
  if (target === "tools") return { to: "tools" };
  if (target === "model") {
    const phase = parity || from === "beforeModel" ? "model" : "beforeModel";
    return { to: "phase", phase, commit: from === "afterModel" || from === "afterAgent" };
  }
  if (from === "afterAgent") return { to: parity ? "end" : "onward" };
  const skipsAfterAgent = parity && (from === "beforeModel" || (from === "afterModel" && !isOutermost));
  return skipsAfterAgent ? { to: "end" } : { to: "phase", phase: "afterAgent", commit: false };
}
