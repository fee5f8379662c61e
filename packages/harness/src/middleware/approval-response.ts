/** What a person's answer to an approval looks like on the wire: the resume value of its interrupt. */

/** The call that runs in place of the one that waits. */
export interface EditedAction {
  /** Of a tool. Default: that of the waiting call. */
  readonly name?: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** About one call. */
export type ApprovalDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly edited_action: EditedAction }
  | { readonly type: "edit"; readonly editedAction: EditedAction }
  /** The model is told the message. */
  | { readonly type: "reject"; readonly message?: string }
  /** The message stands as the result of the call, which does not run. It must not be blank. */
  | { readonly type: "respond"; readonly message: string };

/** By the id of the tool call, one for each that waits. */
export type DecisionsById = Readonly<Record<string, ApprovalDecision>>;

/**
 * What `new Command({ resume })` takes: one decision for each request, in their order, or by tool call id.
 * @example const resume: ApprovalResponse = { decisions: [{ type: "reject", message: "not this file" }] };
 */
export type ApprovalResponse =
  | { readonly decisions: readonly ApprovalDecision[] | DecisionsById }
  | DecisionsById;
