/** One pure reducer: what was loaded, sent and streamed becomes what a person sees of a thread. */
import { splitEventName } from "@deerflow/protocol";
import type { StreamFrame } from "./event-source.js";
import { isRecord, listOf, recordOf, sameJson, textOf, type JsonRecord } from "./json.js";
import { type LiveOutputs, withLiveOutput } from "./live-output.js";
import { addChunk, draftMessage, type Draft } from "./message-draft.js";
import { toolCallsOf, type ToolCallView } from "./tool-call-view.js";
import { isChunk, viewMessageOf, type ViewMessage } from "./view-message.js";

export interface Todo {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** `starting`: sent, not yet accepted. `lost`: the connection is gone while the run may go on. */
export type RunPhase = "idle" | "loading" | "starting" | "running" | "stopping" | "lost";

export interface ThreadView {
  readonly threadId: string | undefined;
  readonly title: string;
  /** In order; results of tools are among them with role `tool`. */
  readonly messages: readonly ViewMessage[];
  readonly toolCalls: Readonly<Record<string, ToolCallView>>;
  readonly todos: readonly Todo[];
  /** Virtual paths of what the agent handed over. */
  readonly artifacts: readonly string[];
  readonly phase: RunPhase;
  readonly runId: string | undefined;
  /** True while the connection is being built up again. */
  readonly reconnecting: boolean;
  /** Why the last run, or the last attempt to load or send, failed. */
  readonly error: string | undefined;
  /** True where the gateway knows no thread of this id. */
  readonly missing: boolean;
  /** How the last run ended, when it ended early: `interrupted`, `timeout`, …; `waiting` for a person's word. */
  readonly ending: string | undefined;
  /** What happened on the way, newest last. */
  readonly notices: readonly string[];
  /** What the reducer needs and nobody shows. */
  readonly work: ViewWork;
}

interface ViewWork {
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly live: LiveOutputs;
  /** True while an earlier part of the run is told again. */
  readonly replaying: boolean;
}

export type ThreadAction =
  /** Another thread is on the screen; nothing of it is known yet. */
  | { readonly type: "open"; readonly threadId: string | undefined }
  /** The durable state. `waits`: a person has to decide something before the work goes on. */
  | { readonly type: "state"; readonly values: JsonRecord; readonly waits?: boolean }
  | { readonly type: "send"; readonly message: ViewMessage }
  /** The gateway did not take the message with this id. */
  | { readonly type: "unsend"; readonly messageId: string; readonly error: string }
  /** A run is followed. `replay`: from its first frame, on top of a state that was loaded. */
  | { readonly type: "follow"; readonly runId: string; readonly replay: boolean }
  | { readonly type: "frame"; readonly frame: StreamFrame }
  | { readonly type: "connection"; readonly connected: boolean }
  | { readonly type: "stop" }
  /** The run is over; undefined where its outcome is not known. */
  | { readonly type: "settle"; readonly status?: string | undefined; readonly error?: string | undefined }
  | {
      readonly type: "fail";
      readonly error: string;
      readonly phase: "idle" | "lost";
      readonly missing?: boolean;
    };

export const emptyThreadView: ThreadView = {
  threadId: undefined,
  title: "",
  messages: [],
  toolCalls: {},
  todos: [],
  artifacts: [],
  phase: "idle",
  runId: undefined,
  reconnecting: false,
  error: undefined,
  missing: false,
  ending: undefined,
  notices: [],
  work: { drafts: {}, live: {}, replaying: false },
};

/** True while a run is being worked on, as far as anyone here knows. */
export const isBusy = (phase: RunPhase): boolean =>
  phase === "starting" || phase === "running" || phase === "stopping" || phase === "lost";

const TODO_STATES: ReadonlySet<string> = new Set(["pending", "in_progress", "completed"]);
const isTodo = (value: unknown): value is Todo =>
  isRecord(value) && typeof value["content"] === "string" && TODO_STATES.has(String(value["status"]));

/** Keeps what is equal, so that a component whose data did not change need not draw again. */
const keep = <Value>(before: Value, after: Value): Value => (sameJson(before, after) ? before : after);

const keepEach = (before: readonly ViewMessage[], after: readonly ViewMessage[]): readonly ViewMessage[] => {
  const known = new Map(before.map((message) => [message.id, message]));
  const next = after.map((message) => keep(known.get(message.id) ?? message, message));
  const same = next.length === before.length && next.every((message, index) => message === before[index]);
  return same ? before : next;
};

const byLastOfId = (messages: readonly ViewMessage[]): ViewMessage[] => [
  ...new Map(messages.map((message) => [message.id, message])).values(),
];

/** Replaces the message of the same id, or adds it at the end. */
const upsert = (messages: readonly ViewMessage[], message: ViewMessage): readonly ViewMessage[] =>
  messages.some(({ id }) => id === message.id)
    ? messages.map((known) => (known.id === message.id ? keep(known, message) : known))
    : [...messages, message];

/** A state told again that is older than what is shown: all its messages are known, and more besides. */
function isOlder(shown: readonly ViewMessage[], told: readonly ViewMessage[]): boolean {
  const settled = new Set(shown.filter((message) => !message.streaming).map(({ id }) => id));
  return told.length < settled.size && told.every(({ id }) => settled.has(id));
}

function applyValues(view: ThreadView, values: JsonRecord): ThreadView {
  const told = Array.isArray(values["messages"])
    ? byLastOfId(listOf(values["messages"]).flatMap((message) => viewMessageOf(message) ?? []))
    : undefined;
  if (view.work.replaying && told && isOlder(view.messages, told)) return view;
  const waits = listOf(values["__interrupt__"]).length > 0;
  return {
    ...view,
    title: textOf(values["title"]) ?? view.title,
    messages: told ? keepEach(view.messages, told) : view.messages,
    todos: Array.isArray(values["todos"]) ? keep(view.todos, values["todos"].filter(isTodo)) : view.todos,
    artifacts: Array.isArray(values["artifacts"])
      ? keep(view.artifacts, [...new Set(values["artifacts"].flatMap((path) => textOf(path) ?? []))])
      : view.artifacts,
    ending: waits ? "waiting" : view.ending,
    work: told ? { ...view.work, drafts: {}, replaying: false } : view.work,
  };
}

/** Text of an agent inside a tool call belongs into that call's card, not into the conversation. */
function isOfSubagent(metadata: JsonRecord, message: JsonRecord): boolean {
  const space = textOf(metadata["langgraph_checkpoint_ns"]) ?? textOf(metadata["checkpoint_ns"]) ?? "";
  if (space.includes("|")) return true;
  return space.startsWith("tools:") && message["type"] !== "tool" && message["type"] !== "ToolMessage";
}

function applyMessage(view: ThreadView, data: unknown): ThreadView {
  const [wire, metadata] = listOf(data).map(recordOf);
  if (wire === undefined || isOfSubagent(metadata ?? {}, wire)) return view;
  const message = viewMessageOf(wire);
  if (message === undefined) return view;
  const known = view.messages.find(({ id }) => id === message.id);
  if (!isChunk(wire)) return { ...view, messages: upsert(view.messages, message) };
  if (message.role !== "ai" || (known !== undefined && !known.streaming)) return view; // it is told again
  const draft = addChunk(view.work.drafts[message.id], message.id, wire);
  return {
    ...view,
    messages: upsert(view.messages, draftMessage(draft)),
    work: { ...view.work, drafts: { ...view.work.drafts, [draft.id]: draft } },
  };
}

function applyUpdates(view: ThreadView, data: unknown): ThreadView {
  const titles = Object.values(recordOf(data)).flatMap((update) => textOf(recordOf(update)["title"]) ?? []);
  return { ...view, title: titles.at(-1) ?? view.title };
}

function applyCustom(view: ThreadView, data: unknown): ThreadView {
  const live = withLiveOutput(view.work.live, data);
  if (live !== view.work.live) return { ...view, work: { ...view.work, live } };
  const { type, message } = recordOf(data);
  if (type !== "llm_retry" || typeof message !== "string") return view;
  return { ...view, notices: [...view.notices, message].slice(-5) };
}

/** What to do with each event; events that are not here are not for the screen. */
const FRAMES: Readonly<Record<string, (view: ThreadView, data: unknown) => ThreadView>> = {
  metadata: (view, data) => ({ ...view, runId: textOf(recordOf(data)["run_id"]) ?? view.runId }),
  values: (view, data) => applyValues(view, recordOf(data)),
  messages: applyMessage,
  updates: applyUpdates,
  custom: applyCustom,
  error: (view, data) => ({
    ...view,
    error: textOf(recordOf(data)["message"]) ?? textOf(recordOf(data)["error"]) ?? "The run failed.",
  }),
};

function applyFrame(view: ThreadView, frame: StreamFrame): ThreadView {
  const { name, namespace } = splitEventName(frame.event);
  if (namespace.length > 0) return view;
  return FRAMES[name]?.(view, frame.data) ?? view;
}

function move(view: ThreadView, action: ThreadAction): ThreadView {
  switch (action.type) {
    case "open":
      return { ...emptyThreadView, threadId: action.threadId, phase: action.threadId ? "loading" : "idle" };
    case "state":
      return applyValues(
        { ...view, ending: action.waits === true ? "waiting" : undefined, error: undefined, missing: false },
        action.values,
      );
    case "send":
      return {
        ...view,
        messages: upsert(view.messages, action.message),
        phase: "starting",
        runId: undefined,
        error: undefined,
        ending: undefined,
        notices: [],
      };
    case "unsend":
      return {
        ...view,
        messages: view.messages.filter(({ id }) => id !== action.messageId),
        phase: "idle",
        error: action.error,
      };
    case "follow": {
      const work = { ...view.work, live: {}, replaying: action.replay };
      return { ...view, phase: "running", runId: action.runId, error: undefined, ending: undefined, work };
    }
    case "frame":
      return applyFrame(view, action.frame);
    case "connection":
      return { ...view, reconnecting: !action.connected };
    case "stop":
      return { ...view, phase: "stopping" };
    case "settle": {
      const messages = keepEach(
        view.messages,
        view.messages.map((message) => (message.streaming ? { ...message, streaming: false } : message)),
      );
      const early = action.status !== undefined && action.status !== "success" && action.status !== "error";
      // A run that waits for a person is also told as interrupted; that it waits says more.
      const ending = early && view.ending !== "waiting" ? action.status : view.ending;
      const error = action.error ?? view.error;
      const work = { ...view.work, live: {} };
      return { ...view, messages, phase: "idle", reconnecting: false, ending, error, work };
    }
    case "fail":
      return {
        ...view,
        phase: action.phase,
        reconnecting: false,
        error: action.error,
        missing: action.missing ?? false,
      };
  }
}

/** The view after one action. */
export function threadView(before: ThreadView, action: ThreadAction): ThreadView {
  const moved = move(before, action);
  if (moved === before) return before;
  const calls = toolCallsOf(moved.messages, isBusy(moved.phase), moved.work.live);
  const toolCalls = Object.fromEntries(
    Object.entries(calls).map(([id, call]) => [id, keep(before.toolCalls[id] ?? call, call)]),
  );
  return { ...moved, toolCalls: keep(before.toolCalls, toolCalls) };
}
