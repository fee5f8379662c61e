/** Judges a call by the rules once more, just before it runs: files and arguments may have changed since a person was asked. */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware } from "langchain";
import { refuse } from "../tools/define-tool.js";
import { pathArgument } from "../tools/file-arguments.js";
import { APPROVAL_GATE, type ApprovalOptions, asksForApproval, entryOf, judge } from "./approval-pauses.js";
import { canonical, decidedHashes, hashOf } from "./approval-record.js";

/**
 * Refuses a call that the rules want a person to allow and that nobody allowed as it is now: name, arguments and where
 * its paths really lead. Also one that became a call of another tool, which `interruptOn` always asks about.
 *
 * A wrap of the host further in can still change the call after this.
 */
export const approvalCheck = (options: ApprovalOptions) =>
  createMiddleware({
    name: "approval-check",
    async wrapToolCall(request, next) {
      if (!asksForApproval(options)) return next(request);
      const { toolCall, state } = request;
      if (!(await lacksApproval(toolCall, state.messages, options))) return next(request);
      const path = pathArgument(toolCall.args);
      const place = path === undefined ? "" : ` on ${path}`;
      return refuse(toolCall, "approval_missing", { tool: toolCall.name, place });
    },
  });

async function lacksApproval(
  call: ToolCall,
  messages: readonly BaseMessage[] = [],
  options: ApprovalOptions,
): Promise<boolean> {
  const entry = entryOf(options, call.name);
  if (entry === false) return false;
  const message = messages.findLast((each) => AIMessage.isInstance(each));
  const made = (message?.tool_calls ?? []).filter(({ id, name }) => id === call.id && name === call.name);
  const when = typeof entry === "object" ? entry.when : undefined;
  if (made.length === 0 && entry !== undefined && when === undefined) return true;
  const { isAsked, places } = await judge(call, options);
  if (!isAsked) return false;
  const decided = decidedHashes(message, options.gate ?? APPROVAL_GATE, call.id);
  if (decided.includes(hashOf(call, places))) return false;
  const args = canonical(call.args);
  const isAsMade = made.some((each) => canonical(each.args) === args);
  // `when` goes before the rules, and nobody was asked about the call, so it let this one run.
  return !(when !== undefined && decided.length === 0 && isAsMade);
}
