/** What a person is asked, as it stands in an interrupt. Clients disagree about the case of keys, so each is there twice. */
import type { DecisionType } from "./approval-decisions.js";
import type { WaitingCall } from "./approval-pauses.js";

/** One call that waits. */
export interface ActionRequest {
  /** Of the tool call. */
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly description: string;
}

/** What may be decided about the call at the same place of the list. */
export interface ReviewConfig {
  readonly action_name: string;
  readonly actionName: string;
  readonly allowed_decisions: readonly DecisionType[];
  readonly allowedDecisions: readonly DecisionType[];
}

/** The value of an approval's interrupt: all calls of one answer that wait, in the order of the calls. */
export interface ApprovalRequest {
  readonly action_requests: readonly ActionRequest[];
  readonly actionRequests: readonly ActionRequest[];
  readonly review_configs: readonly ReviewConfig[];
  readonly reviewConfigs: readonly ReviewConfig[];
  /** What was wrong with the last answer, when the same is asked again. */
  readonly problem?: string;
}

export function approvalRequest(waiting: readonly WaitingCall[], problem?: string): ApprovalRequest {
  const actions = waiting.map(({ call: { id, name, args }, description }) => ({
    id,
    name,
    args,
    description,
  }));
  const reviews = waiting.map(({ call, allowed }) => ({
    action_name: call.name,
    actionName: call.name,
    allowed_decisions: allowed,
    allowedDecisions: allowed,
  }));
  return {
    action_requests: actions,
    actionRequests: actions,
    review_configs: reviews,
    reviewConfigs: reviews,
    ...(problem === undefined ? {} : { problem }),
  };
}
