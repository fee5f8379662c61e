/** Holds tool calls until a person has decided about them; every call of the turn gets exactly one answer. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { interrupt } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import type { Logger } from "../base/logger.js";
import { pendingCalls } from "../graph/pending-calls.js";
import { type AwaitedCall, type Decision, readDecisions } from "./approval-decisions.js";
import { withCalls } from "./approval-edits.js";
import { checkInterruptOn } from "./approval-entries.js";
import {
  type ApprovalOptions,
  type ApprovalScene,
  awaitedCall,
  type InterruptOn,
  type WaitingCall,
} from "./approval-pauses.js";
import { approvalRequest } from "./approval-request.js";

/**
 * Asks once for all calls of an answer that have to wait, with one interrupt of the form {@link approvalRequest}, and
 * goes on with a resume value `{ decisions: [{ type: "approve" | "edit" | "reject" | "respond", … }] }`: one decision
 * for each request, in their order, or by tool call id. An answer that does not fit is asked for again, with the reason.
 *
 * Approved and edited calls run with those that needed no approval, and pass every gate. Needs a checkpointer.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function approval(options: ApprovalOptions) {
  checkInterruptOn(options.interruptOn ?? {});
  return createMiddleware({
    name: "approval",
    afterModel: {
      canJumpTo: ["model"],
      async hook(state, runtime) {
        const turn = turnOf(state.messages);
        if (turn === undefined) return undefined;
        // The cast only narrows the context, which no option looks into.
        const scene = { state, runtime } as ApprovalScene;
        const asked = await Promise.all(turn.open.map((call) => awaitedCall(call, options, scene)));
        const waiting = asked.filter((each) => each !== undefined);
        if (waiting.length === 0) return undefined;
        const settled = settle(turn, waiting, askPerson(waiting));
        const messages = [...settled.messages];
        return settled.toRun > 0 ? { messages } : { messages, jumpTo: "model" as const };
      },
    },
  });
}

export interface ApprovalMiddlewareOptions {
  readonly interruptOn: InterruptOn;
  /** Is told when a `when` or a `description` threw. Default silent. */
  readonly logger?: Logger;
}

/**
 * Approval on its own, for an agent of LangChain's `createAgent`; the agent needs a checkpointer.
 * @throws DeerflowError `filesystem_options_invalid`
 * @example createApprovalMiddleware({ interruptOn: { write_file: true, ls: { allowedDecisions: ["approve"] } } })
 */
export const createApprovalMiddleware = ({ interruptOn, logger }: ApprovalMiddlewareOptions) =>
  approval({ interruptOn, ...(logger === undefined ? {} : { logger }) });

/**
 * A pause stores nothing of what led to it: the hook runs anew after every answer, and earlier ones are handed to it
 * again in their order. So an unfit answer is passed by here each time, on the way to the next.
 */
function askPerson(waiting: readonly WaitingCall[]): readonly Decision[] {
  let problem: string | undefined;
  for (;;) {
    const read = readDecisions(interrupt(approvalRequest(waiting, problem)), waiting);
    if (read.problem === undefined) return read.decisions;
    problem = read.problem;
  }
}

type AddressedCall = AwaitedCall["call"];

/** The last AI message with an id for every call, and those of its calls that nobody has answered. */
export interface Turn {
  readonly message: AIMessage;
  readonly calls: readonly AddressedCall[];
  readonly open: readonly AddressedCall[];
}

/** Undefined when no call is open. Pure. */
export function turnOf(messages: Parameters<typeof pendingCalls>[0] = []): Turn | undefined {
  const open = pendingCalls(messages);
  const message = messages.findLast((each) => AIMessage.isInstance(each));
  if (open.length === 0 || message === undefined) return undefined;
  const given = message.tool_calls ?? [];
  const calls = withIds(given, message.id ?? "");
  return { message, calls, open: calls.filter((_, position) => open.includes(given[position] as ToolCall)) };
}

/** Some servers leave ids out or give one to several calls. The new ids are the same after every pause. */
function withIds(calls: readonly ToolCall[], messageId: string): readonly AddressedCall[] {
  const taken = new Set<string>();
  return calls.map((call, position) => {
    const { id } = call;
    const isOwn = id !== undefined && id !== "" && !taken.has(id);
    const own = isOwn ? id : `call_${messageId}_${position}`;
    taken.add(own);
    // The cast is sound: a call that keeps its id has one.
    return own === id ? (call as AddressedCall) : { ...call, id: own };
  });
}

interface Settled {
  readonly messages: readonly (AIMessage | ToolMessage)[];
  /** Calls that still have to run. */
  readonly toRun: number;
}

/** What the decisions make of the turn. Pure: messages of the state are replaced, never changed. */
export function settle(
  { message, calls, open }: Turn,
  waiting: readonly AwaitedCall[],
  decisions: readonly Decision[],
): Settled {
  const decided = new Map(waiting.map(({ call }, position) => [call.id, decisions[position]]));
  const final = calls.map((call) => edited(call, decided.get(call.id)));
  const changed = final.filter((call, position) => call !== calls[position]).map(({ id }) => id);
  const answers = calls.flatMap((call) => answerTo(call, decided.get(call.id)) ?? []);
  const isSame = final.every((call, position) => call === message.tool_calls?.[position]);
  return {
    messages: isSame ? answers : [withCalls(message, final, changed), ...answers],
    toRun: open.length - answers.length,
  };
}

const edited = (call: AddressedCall, decision: Decision | undefined): AddressedCall =>
  decision?.type === "edit" ? { ...call, name: decision.name, args: decision.args } : call;

function answerTo(call: AddressedCall, decision: Decision | undefined): ToolMessage | undefined {
  if (decision?.type !== "reject" && decision?.type !== "respond") return undefined;
  const isRejected = decision.type === "reject";
  return new ToolMessage({
    tool_call_id: call.id,
    name: call.name,
    status: isRejected ? "error" : "success",
    content: isRejected ? rejectionText(decision.message) : decision.message,
    artifact: { decision: decision.type },
  });
}

const rejectionText = (message: string | undefined): string =>
  message === undefined
    ? "The user rejected this call, so it was not run. Do not repeat it; go on without it, or ask."
    : `The user rejected this call, so it was not run. They say: ${message}`;
