/** Holds tool calls until a person has decided about them; every call of the turn gets exactly one answer. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { interrupt } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { Logger } from "../base/logger.js";
import { pendingCalls } from "../graph/pending-calls.js";
import { type AwaitedCall, type Decision, readDecisions } from "./approval-decisions.js";
import { approvalCheck } from "./approval-check.js";
import { withCalls } from "./approval-edits.js";
import { checkInterruptOn } from "./approval-entries.js";
import {
  APPROVAL_GATE,
  type ApprovalOptions,
  type ApprovalScene,
  awaitedCall,
  hasInterrupts,
  type InterruptOn,
  judge,
  type WaitingCall,
} from "./approval-pauses.js";
import {
  DECIDED_CALLS_KEY,
  type DecidedCall,
  hasEntries,
  hashOf,
  MADE_CALLS_KEY,
  type MadeCall,
  madeHash,
  withEntries,
} from "./approval-record.js";
import { approvalRequest } from "./approval-request.js";
import type { CommandScene } from "./command-gate.js";

/**
 * Asks once for all calls of an answer that have to wait, with one interrupt of the form {@link approvalRequest}, and
 * goes on with a resume value `{ decisions: [{ type: "approve" | "edit" | "reject" | "respond", … }] }`: one decision
 * for each request, in their order, or by tool call id. An answer that does not fit is asked for again, with the reason.
 *
 * Approved and edited calls run with those that needed no approval, and pass every gate; rules of mode `interrupt` are
 * asked once more just before a call runs, see {@link approvalCheck}. Needs a checkpointer.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function approval(options: ApprovalOptions): AgentMiddleware {
  const { wrapToolCall } = approvalCheck(options);
  // The cast is sound: the wrap looks at nothing but what every agent's state has.
  return { ...approvalRequests(options), wrapToolCall } as AgentMiddleware;
}

/** Only the asking; what runs is then for {@link approvalCheck}, wherever that stands. */
export function approvalRequests(options: ApprovalOptions): AgentMiddleware {
  checkInterruptOn(options.interruptOn ?? {});
  const asking = createMiddleware({
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
        if (waiting.length === 0) return withoutForgery(turn.message, options);
        const decisions = askPerson(waiting);
        await noteRejected({ waiting, decisions }, options, runtime);
        const marks = await marksOf(turn.message, { waiting, decisions }, options);
        const settled = settle(turn, { waiting, decisions }, marks);
        const messages = [...settled.messages];
        return settled.toRun > 0 ? { messages } : { messages, jumpTo: "model" as const };
      },
    },
  });
  if (options.realPath === undefined || !hasInterrupts(options)) return asking as AgentMiddleware;
  const { wrapModelCall } = madeCallNotes(options);
  return { ...asking, wrapModelCall } as AgentMiddleware;
}

const gateOf = ({ gate = APPROVAL_GATE }: ApprovalOptions): string => gate;

/**
 * Notes where the calls' paths lead as soon as the model has made them, because a pause stores nothing but the question:
 * what a link meant when it was asked about would be lost until the answer comes.
 */
const madeCallNotes = (options: ApprovalOptions) =>
  createMiddleware({
    name: "approval-notes",
    async wrapModelCall(request, next) {
      const message = await next(request);
      if (!AIMessage.isInstance(message)) return message;
      const calls = message.tool_calls ?? [];
      const gate = gateOf(options);
      const noted = await Promise.all(
        calls.map(async (call): Promise<MadeCall | undefined> => {
          const { places } = await judge(call, options);
          return places.length === 0 ? undefined : { call: hashOf(call), hash: hashOf(call, places), gate };
        }),
      );
      const entries = noted.filter((each) => each !== undefined);
      if (entries.length === 0 && !hasEntries(message, MADE_CALLS_KEY, gate)) return message;
      return withCalls(message, calls, [], withEntries(message, MADE_CALLS_KEY, { gate, entries }));
    },
  });

/** What a model says about approvals is worth nothing. */
function withoutForgery(message: AIMessage, options: ApprovalOptions) {
  const gate = gateOf(options);
  if (!hasEntries(message, DECIDED_CALLS_KEY, gate)) return undefined;
  const marks = withEntries(message, DECIDED_CALLS_KEY, { gate, entries: [] });
  return { messages: [withCalls(message, message.tool_calls ?? [], [], marks)] };
}

interface Decided {
  readonly waiting: readonly AwaitedCall[];
  /** One for each that waits, in their order. */
  readonly decisions: readonly Decision[];
}

/** What a person did not let run reaches no other gate, so it is written down here. */
async function noteRejected(
  { waiting, decisions }: Decided,
  { commands }: ApprovalOptions,
  scene: CommandScene,
): Promise<void> {
  for (const [at, { call }] of waiting.entries()) {
    const type = decisions[at]?.type;
    if (type === "reject") await commands?.declined(call, "asked-and-rejected", scene);
    if (type === "respond") await commands?.declined(call, "asked-and-answered", scene);
  }
}

/** Without rules that ask nothing is judged again, so nothing has to be remembered. */
async function marksOf(
  message: AIMessage,
  { waiting, decisions }: Decided,
  options: ApprovalOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const gate = gateOf(options);
  const hashNow = async (call: Pick<ToolCall, "name" | "args">) =>
    hashOf(call, (await judge(call, options)).places);
  const noted = waiting.map(async ({ call }, position): Promise<DecidedCall | undefined> => {
    const decision = decisions[position];
    const { id } = call;
    if (decision?.type === "edit") return { id, gate, hash: await hashNow(decision) };
    if (decision?.type !== "approve") return undefined;
    const made = options.realPath === undefined ? undefined : madeHash(message, gate, call);
    return { id, gate, hash: made ?? (await hashNow(call)) };
  });
  const isJudgedAgain = hasInterrupts(options) || options.commands?.mayAsk === true;
  const found = isJudgedAgain ? await Promise.all(noted) : [];
  const entries = found.filter((each) => each !== undefined);
  if (entries.length === 0 && !hasEntries(message, DECIDED_CALLS_KEY, gate)) return {};
  return withEntries(message, DECIDED_CALLS_KEY, { gate, entries });
}

export interface ApprovalMiddlewareOptions {
  readonly interruptOn: InterruptOn;
  /** Is told when a `when` or a `description` threw. Default silent. */
  readonly logger?: Logger;
}

/**
 * Approval on its own, for an agent of LangChain's `createAgent`; the agent needs a checkpointer. It asks about the
 * calls as the model made them; a wrap of the host that makes another call of one is not seen.
 * @throws DeerflowError `filesystem_options_invalid`
 * @example createApprovalMiddleware({ interruptOn: { write_file: true, ls: { allowedDecisions: ["approve"] } } })
 */
export const createApprovalMiddleware = ({ interruptOn, logger }: ApprovalMiddlewareOptions) =>
  approvalRequests({ interruptOn, ...(logger === undefined ? {} : { logger }) });

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

/**
 * Some servers leave ids out or give one to several calls; the first keeps it. The new ids are the same after every
 * pause, and none that any call has: a model could guess them.
 */
function withIds(calls: readonly ToolCall[], messageId: string): readonly AddressedCall[] {
  const given = new Set(calls.map(({ id }) => id));
  const kept = new Set<string>();
  return calls.map((call, position) => {
    const { id } = call;
    if (id !== undefined && id !== "" && !kept.has(id)) {
      kept.add(id);
      // The cast is sound: this call has an id.
      return call as AddressedCall;
    }
    let own = `call_${messageId}_${position}`;
    while (given.has(own)) own += "_";
    given.add(own);
    return { ...call, id: own };
  });
}

interface Settled {
  readonly messages: readonly (AIMessage | ToolMessage)[];
  /** Calls that still have to run. */
  readonly toRun: number;
}

/**
 * What the decisions make of the turn. Pure: messages of the state are replaced, never changed.
 * @param marks for `additional_kwargs` of the AI message
 */
export function settle(
  { message, calls, open }: Turn,
  { waiting, decisions }: Decided,
  marks: Readonly<Record<string, unknown>> = {},
): Settled {
  // By the call itself: what is said of one must never count for another.
  const decided = new Map(waiting.map(({ call }, position) => [call, decisions[position]]));
  const final = calls.map((call) => edited(call, decided.get(call)));
  const changed = final.filter((call, position) => call !== calls[position]).map(({ id }) => id);
  const answers = calls.flatMap((call) => answerTo(call, decided.get(call)) ?? []);
  const isSame =
    Object.keys(marks).length === 0 &&
    final.every((call, position) => call === message.tool_calls?.[position]);
  return {
    messages: isSame ? answers : [withCalls(message, final, changed, marks), ...answers],
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
