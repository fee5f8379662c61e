/** What a person decided about the calls that wait for them. Answers come from outside, so each is read with care. */
import type { ToolCall } from "@langchain/core/messages/tool";
import { z } from "zod";

export const DECISION_TYPES = ["approve", "edit", "reject", "respond"] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

/** What is to become of one call. */
export type Decision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly name: string; readonly args: Record<string, unknown> }
  | { readonly type: "reject"; readonly message: string | undefined }
  | { readonly type: "respond"; readonly message: string };

/** A call that a decision is awaited for. */
export interface AwaitedCall {
  readonly call: ToolCall & { readonly id: string };
  readonly allowed: readonly DecisionType[];
}

/** One decision per awaited call, in their order; or what is wrong with the answer, for the person who gave it. */
export type ReadDecisions =
  | { readonly decisions: readonly Decision[]; readonly problem?: never }
  | { readonly problem: string };

const Answer = z.object({ decisions: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]) });
const Mapping = z.record(z.string(), z.unknown());

/** Understands `{ decisions: […] }` in the order of the requests, and decisions by tool call id. Pure. */
export function readDecisions(answer: unknown, awaited: readonly AwaitedCall[]): ReadDecisions {
  const given = decisionsInOrder(answer, awaited);
  if (typeof given === "string") return { problem: given };
  const read = awaited.map((each, position) => readDecision(given[position], each, position + 1));
  const problems = read.filter((each) => typeof each === "string");
  if (problems.length > 0) return { problem: problems.join(" ") };
  return { decisions: read.filter((each) => typeof each !== "string") };
}

/** As many as are awaited; or what is wrong. */
function decisionsInOrder(answer: unknown, awaited: readonly AwaitedCall[]): readonly unknown[] | string {
  const wrapped = Answer.safeParse(answer);
  const given = wrapped.success ? wrapped.data.decisions : byId(answer, awaited);
  if (given === undefined) return "The answer has no decisions; send {decisions: […]}, one for each request.";
  if (!isList(given)) return inOrder(given, awaited);
  if (given.length === awaited.length) return given;
  const counts = `Requests: ${awaited.length}, decisions: ${given.length}.`;
  return `${counts} Give one decision for each request, in their order.`;
}

/** The answer itself, if it is a mapping of tool call ids. */
function byId(
  answer: unknown,
  awaited: readonly AwaitedCall[],
): Readonly<Record<string, unknown>> | undefined {
  const bare = Mapping.safeParse(answer);
  return bare.success && awaited.some(({ call }) => Object.hasOwn(bare.data, call.id))
    ? bare.data
    : undefined;
}

function inOrder(
  given: Readonly<Record<string, unknown>>,
  awaited: readonly AwaitedCall[],
): readonly unknown[] | string {
  const ids = awaited.map(({ call }) => call.id);
  const foreign = Object.keys(given).some((id) => !ids.includes(id));
  const missing = ids.filter((id) => !Object.hasOwn(given, id));
  if (!foreign && missing.length === 0) return ids.map((id) => given[id]);
  const wanted = `Waiting are the calls ${ids.join(", ")}`;
  return foreign ? `${wanted}; a decision names another.` : `${wanted}; none came for ${missing.join(", ")}.`;
}

const isList = (given: readonly unknown[] | Readonly<Record<string, unknown>>): given is readonly unknown[] =>
  Array.isArray(given);

const Typed = z.object({ type: z.enum(DECISION_TYPES) });
const Remark = z.object({ message: z.string().nullish() });
const Response = z.object({ message: z.string().refine((text) => text.trim() !== "") });
/** Providers refuse a whole history in which a call has another name. */
const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const Arguments = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
const Action = z.object({ name: ToolName.nullish(), args: Arguments });
const Edit = z
  .object({ edited_action: Action.optional(), editedAction: Action.optional() })
  .transform((edit) => edit.edited_action ?? edit.editedAction);

/** The decision; or a sentence that says what is wrong with it. */
function readDecision(given: unknown, { call, allowed }: AwaitedCall, number: number): Decision | string {
  const place = `Decision ${number} (${call.name})`;
  const typed = Typed.safeParse(given);
  if (!typed.success) return `${place} has no type of: ${DECISION_TYPES.join(", ")}.`;
  const { type } = typed.data;
  if (!allowed.includes(type)) return `${place} is ${type}, and allowed are: ${allowed.join(", ")}.`;
  switch (type) {
    case "approve":
      return { type };
    case "edit": {
      const action = Edit.safeParse(given).data;
      if (action === undefined) return `${place} needs edited_action with a tool's name and an object args.`;
      return { type, name: action.name ?? call.name, args: action.args };
    }
    case "reject": {
      const remark = Remark.safeParse(given);
      if (!remark.success) return `${place} has a message that is no text.`;
      return { type, message: remark.data.message?.trim() ? remark.data.message : undefined };
    }
    case "respond": {
      const response = Response.safeParse(given);
      if (!response.success) return `${place} needs a message: the text that answers the call.`;
      return { type, message: response.data.message };
    }
  }
}
