/** What a client asks of one run: its payload, checked and made definite before a run exists. */
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import type { JsonObject, JsonValue } from "../base/json.js";
import { bothSpellings } from "./interrupt-spelling.js";
import { assignMessageIds, toGraphInput } from "./run-input.js";
import { parseStreamModes, type StreamMode } from "./stream-modes.js";

export interface RunLimits {
  /** Supersteps of a run that says nothing. */
  readonly defaultRecursionLimit: number;
  /** What a run may ask for at most; more is cut to this. */
  readonly maximumRecursionLimit: number;
}

export const DEFAULT_RUN_LIMITS: RunLimits = { defaultRecursionLimit: 100, maximumRecursionLimit: 1000 };

export interface RunCommand {
  readonly resume?: JsonValue;
  readonly update?: JsonValue;
  /** Where the graph goes on; of several targets all at once. */
  readonly goto?: readonly GotoTarget[];
}

/** A node that gets the state, or an input of its own in its place. */
export interface GotoTarget {
  readonly node: string;
  readonly input?: JsonObject;
}

export interface RunRequest {
  readonly assistantId: string;
  /** Undefined: go on from the checkpoint without new input. */
  readonly input: JsonObject | undefined;
  /** Beats `input`. */
  readonly command: RunCommand | undefined;
  /** The checkpoint to go on from; the newest when undefined. */
  readonly checkpointId: string | undefined;
  /** What the agent factory gets: `config.configurable` below `context`. Hostile. */
  readonly context: JsonObject;
  readonly metadata: JsonObject;
  readonly recursionLimit: number;
  readonly streamModes: readonly StreamMode[];
  readonly streamSubgraphs: boolean;
  readonly multitaskStrategy: "reject" | "interrupt" | "rollback" | "enqueue";
  readonly onDisconnect: "cancel" | "continue";
  readonly ifNotExists: "create" | "reject";
  readonly interruptBefore: readonly string[] | "*" | undefined;
  readonly interruptAfter: readonly string[] | "*" | undefined;
  /** The payload as it is stored: parsing it again gives this request. Ids of new messages are assigned. */
  readonly payload: JsonObject;
}

const json: z.ZodType<JsonValue> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const nodes = z.union([z.literal("*"), z.array(z.string().max(200)).max(100)]);
const reference = z.object({ checkpoint_id: z.string().max(200).nullish() });

/** The graph's own entries begin with two underscores; they are not the client's to forge. */
const nodeInput = jsonObject.refine(
  (input) => Object.keys(input).every((key) => !key.startsWith("__")),
  "keys must not begin with __",
);
const nodeName = z.string().min(1).max(200);
const target = z.union([nodeName, z.object({ node: nodeName, input: nodeInput.nullish() })]);
const command = z.object({
  resume: json.optional(),
  update: json.optional(),
  goto: z.union([target, z.array(target).max(100)]).nullish(),
});

/** Keys that are not named here are ignored, so that clients of every version are served. */
const payloadSchema = z.object({
  assistant_id: z.string().min(1).max(200),
  input: jsonObject.nullish(),
  command: command.nullish(),
  checkpoint: reference.nullish(),
  checkpoint_id: z.string().max(200).nullish(),
  config: z.object({ recursion_limit: z.number().nullish(), configurable: jsonObject.nullish() }).nullish(),
  context: jsonObject.nullish(),
  metadata: jsonObject.nullish(),
  stream_mode: z.union([z.string(), z.array(z.string()).max(20)]).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  multitask_strategy: z.enum(["reject", "interrupt", "rollback", "enqueue"]).nullish(),
  on_disconnect: z.enum(["cancel", "continue"]).nullish(),
  if_not_exists: z.enum(["create", "reject"]).nullish(),
  interrupt_before: nodes.nullish(),
  interrupt_after: nodes.nullish(),
});

/**
 * @param payload the body of POST …/runs and its sisters
 * @throws DeerflowError `invalid_request` naming the wrong key, `stream_mode_unsupported`
 * @example parseRunRequest({ assistant_id: "lead_agent", input: { messages: [{ role: "user", content: "hi" }] } })
 */
export function parseRunRequest(payload: unknown, limits: RunLimits = DEFAULT_RUN_LIMITS): RunRequest {
  const parsed = payloadSchema.safeParse(payload);
  if (!parsed.success) throw new DeerflowError("invalid_request", { reason: firstProblem(parsed.error) });
  const body = parsed.data;
  const input = body.input === null || body.input === undefined ? undefined : assignMessageIds(body.input);
  if (input !== undefined) toGraphInput(input); // throws for a message that the graph could not take
  return {
    assistantId: body.assistant_id,
    input,
    command: parseCommand(body.command),
    checkpointId: body.checkpoint?.checkpoint_id ?? body.checkpoint_id ?? undefined,
    context: withoutEngineKeys({ ...body.config?.configurable, ...body.context }),
    metadata: body.metadata ?? {},
    recursionLimit: clampRecursionLimit(body.config?.recursion_limit, limits),
    streamModes: parseStreamModes(body.stream_mode),
    streamSubgraphs: body.stream_subgraphs ?? false,
    multitaskStrategy: body.multitask_strategy ?? "enqueue",
    onDisconnect: body.on_disconnect ?? "continue",
    ifNotExists: body.if_not_exists ?? "create",
    interruptBefore: body.interrupt_before ?? undefined,
    interruptAfter: body.interrupt_after ?? undefined,
    payload: definiteJson({ ...body, input }),
  };
}

/** A limit that is no positive number counts as absent. */
export function clampRecursionLimit(requested: number | null | undefined, limits: RunLimits): number {
  if (requested === null || requested === undefined || !(requested >= 1)) return limits.defaultRecursionLimit;
  return Math.min(Math.floor(requested), limits.maximumRecursionLimit);
}

/** An empty command counts as absent; answers to an approval are understood in both spellings. */
function parseCommand(command: z.output<typeof payloadSchema>["command"]): RunCommand | undefined {
  if (command === null || command === undefined) return undefined;
  const { resume, update, goto } = command;
  const parsed: RunCommand = {
    ...(resume === undefined || resume === null ? {} : { resume: bothSpellings(resume) }),
    ...(update === undefined || update === null ? {} : { update }),
    ...(goto === undefined || goto === null ? {} : { goto: [goto].flat().map(toTarget) }),
  };
  return Object.keys(parsed).length === 0 ? undefined : parsed;
}

function toTarget(named: z.output<typeof target>): GotoTarget {
  if (typeof named === "string") return { node: named };
  const { node, input } = named;
  return input === undefined || input === null ? { node } : { node, input };
}

const ENGINE_KEYS: ReadonlySet<string> = new Set([
  "checkpoint_id",
  "checkpoint_ns",
  "checkpoint_map",
  "run_id",
]);

/** What LangGraph itself reads from `configurable` is never the client's to set. */
const withoutEngineKeys = (context: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(context).filter(([key]) => !ENGINE_KEYS.has(key) && !key.startsWith("__")),
  );

const definiteJson = (body: Record<string, unknown>): JsonObject =>
  // Every value has passed the schema as JSON; only absent keys are dropped.
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as JsonObject;

function firstProblem(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "it does not have the right shape";
  const where = issue.path.join(".");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}
