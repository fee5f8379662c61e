/** Which tool calls have to wait for a person: what the host set per tool, else what the permission rules say. */
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Runtime, ToolCallRequest } from "langchain";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { PermissionOperation } from "../policy/file-permission.js";
import type { PermissionRules } from "../policy/permission-rules.js";
import type { Operation } from "../tools/define-tool.js";
import { pathAliases } from "../tools/file-arguments.js";
import type { CommandGate } from "./command-gate.js";
import { type AwaitedCall, DECISION_TYPES, type DecisionType } from "./approval-decisions.js";
import type { Place } from "./approval-record.js";

/** The state and the run, as a hook sees them. */
export interface ApprovalScene {
  readonly state: ToolCallRequest["state"];
  readonly runtime: Runtime;
}

/** How calls of one tool are approved. */
export interface ToolApproval {
  /** Default: all four. */
  readonly allowedDecisions?: readonly DecisionType[];
  /** The same, as it is spelled elsewhere. */
  readonly allowed_decisions?: readonly DecisionType[];
  /** What the person is told. Default, also when it throws: a sentence that names the tool. */
  readonly description?:
    | string
    | ((call: ToolCall, state: ApprovalScene["state"], runtime: Runtime) => string | Promise<string>);
  /** False lets this call run unasked; one that throws does not. The request has no `tool`. Default: every call is asked for. */
  readonly when?: (request: ToolCallRequest) => boolean | Promise<boolean>;
}

/** By tool name: `true` asks for every call with all four decisions, `false` never asks, whatever the rules say. */
export type InterruptOn = Readonly<Record<string, boolean | ToolApproval>>;

export interface ApprovalOptions {
  readonly interruptOn?: InterruptOn;
  /** Rules of mode `interrupt` ask for the calls that they cover; an entry in `interruptOn` goes before them. */
  readonly rules?: PermissionRules;
  /** What the tool of a name does; undefined for a tool that does nothing with files. Rules need it. */
  readonly operationOf?: (toolName: string) => Operation | undefined;
  /** Where a path really lies; rules are then judged there, too. */
  readonly realPath?: (path: string) => Promise<string>;
  /** What the command audit wants a person to allow; an entry of false in `interruptOn` goes before it. */
  readonly commands?: CommandGate;
  /** Is told what of the host's own functions threw. Default silent. */
  readonly logger?: Logger;
  /** Under whose name it is noted what a person decided; another for each middleware of an agent that asks. */
  readonly gate?: string;
}

export const APPROVAL_GATE = "approval";

/** A call that waits, and what the person is told about it. */
export interface WaitingCall extends AwaitedCall {
  readonly description: string;
}

/** What the rules look at: one path for certain, or everything that the call may touch. */
const RULED: Partial<Record<Operation, { readonly done: PermissionOperation; readonly bulk: boolean }>> = {
  read: { done: "read", bulk: false },
  write: { done: "write", bulk: false },
  edit: { done: "write", bulk: false },
  list: { done: "read", bulk: true },
  glob: { done: "read", bulk: true },
  grep: { done: "read", bulk: true },
  delete: { done: "write", bulk: true },
};

const PATH_NAMES = ["path", ...Object.keys(pathAliases("path"))];

/** Whether anything could ever be asked. */
export const asksForApproval = (options: ApprovalOptions): boolean =>
  Object.values(options.interruptOn ?? {}).some((entry) => entry !== false) ||
  hasInterrupts(options) ||
  options.commands?.mayAsk === true;

/** Whether rules could ever ask. */
export const hasInterrupts = ({ rules }: ApprovalOptions): boolean =>
  rules?.hasInterrupt("read") === true || rules?.hasInterrupt("write") === true;

export const entryOf = (
  { interruptOn = {} }: ApprovalOptions,
  tool: string,
): InterruptOn[string] | undefined => (Object.hasOwn(interruptOn, tool) ? interruptOn[tool] : undefined);

/** The call as one that waits; undefined when it may run unasked. */
export async function awaitedCall(
  call: AwaitedCall["call"],
  options: ApprovalOptions,
  scene: ApprovalScene,
): Promise<WaitingCall | undefined> {
  const entry = entryOf(options, call.name);
  if (entry === false || options.commands?.refuses(call) === true) return undefined;
  const question = options.commands?.question(call);
  if (entry === undefined) {
    if (question === undefined && !(await judge(call, options)).isAsked) return undefined;
    const description = question ?? `A permission rule asks a person before ${call.name} does this.`;
    return { call, allowed: DECISION_TYPES, description };
  }
  const approval = entry === true ? {} : entry;
  const attempt = attemptWith(options.logger ?? silentLogger, call.name);
  const { when, description, allowedDecisions, allowed_decisions } = approval;
  const isAsked = await attempt("when", () => when?.({ ...scene, toolCall: call, tool: undefined }));
  if (!(isAsked ?? true) && question === undefined) return undefined;
  const { state, runtime } = scene;
  const told =
    typeof description === "function"
      ? await attempt("description", () => description(call, state, runtime))
      : description;
  return {
    call,
    allowed: allowedDecisions ?? allowed_decisions ?? DECISION_TYPES,
    description:
      typeof told === "string" ? told : (question ?? `${call.name} runs only when a person agrees.`),
  };
}

/** Runs what the host gave. It may fail, and must then neither end the run nor let the call pass. */
const attemptWith =
  (logger: Logger, tool: string) =>
  async <Result>(key: "when" | "description", run: () => Result | Promise<Result>) => {
    try {
      return await run();
    } catch (error) {
      logger.warn("A function of an approval threw", { tool, function: key, reason: reasonOf(error) });
      return undefined;
    }
  };

/** Whether the rules ask a person about the call as it is now, and where its paths lead now. */
export async function judge(
  call: Pick<ToolCall, "name" | "args">,
  options: ApprovalOptions,
): Promise<{ readonly isAsked: boolean; readonly places: readonly Place[] }> {
  const { rules, operationOf } = options;
  const operation = operationOf?.(call.name);
  const ruled = operation === undefined ? undefined : RULED[operation];
  if (rules === undefined || ruled === undefined || !rules.hasInterrupt(ruled.done))
    return { isAsked: false, places: [] };
  const covers = (path: unknown): boolean =>
    ruled.bulk
      ? rules.pausesBulk(ruled.done, path, operation === "glob" ? call.args["pattern"] : undefined)
      : rules.pausesExact(ruled.done, path);
  const spelled = pathsOf(call.args);
  const places = await Promise.all(spelled.map((path) => placeOf(path, options)));
  const isAskedThere = (place: Place): boolean =>
    place !== null && (typeof place !== "string" || covers(place));
  return { isAsked: spelled.some(covers) || places.some(isAskedThere), places };
}

/** A call may give its path under several names, and which one its tool takes is the tool's affair: all are judged. */
function pathsOf(args: ToolCall["args"]): readonly unknown[] {
  const given = PATH_NAMES.filter((name) => Object.hasOwn(args, name)).map((name): unknown => args[name]);
  return given.length === 0 ? [undefined] : given;
}

/** Null for what is no usable path: its tool will say so. What cannot be looked up may lie anywhere. */
async function placeOf(path: unknown, { realPath }: ApprovalOptions): Promise<Place> {
  if (realPath === undefined || typeof path !== "string") return null;
  try {
    return await realPath(parseVirtualPath(path));
  } catch (error) {
    return DeerflowError.is(error) && error.retry === "model" ? null : { unknown: true };
  }
}
