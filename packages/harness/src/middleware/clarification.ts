/** Turns a call of `ask_clarification` into a question to the user; the run ends and the answer starts a new one. */
import { ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import {
  ASK_CLARIFICATION,
  type ClarificationQuestion,
  clarificationInput,
} from "../tools/ask-clarification.js";

export function clarification() {
  return createMiddleware({
    name: "clarification",
    async wrapToolCall(request, next) {
      const { toolCall } = request;
      if (toolCall.name !== ASK_CLARIFICATION) return next(request);
      const question = clarificationInput.safeParse(toolCall.args);
      // Arguments that do not fit go the ordinary way: the tool answers with what is wrong with them.
      if (!question.success) return next(request);
      return new ToolMessage({
        tool_call_id: toolCall.id ?? "",
        name: toolCall.name,
        content: questionText(question.data),
        artifact: { human_input: humanInput(question.data, toolCall.id ?? "") },
      });
    },
  });
}

/** The question as text, for a terminal and for the model's own history. */
export function questionText({ question, context, options }: ClarificationQuestion): string {
  const choices = (options ?? []).map((option, index) => `${index + 1}. ${option}`);
  return [...(context ? [context, ""] : []), question, ...(choices.length > 0 ? ["", ...choices] : [])].join(
    "\n",
  );
}

/** The card that a web client shows (DeerFlow's `artifact.human_input`, version 1). */
export const humanInput = ({ question, context, options }: ClarificationQuestion, requestId: string) => ({
  version: 1,
  kind: "clarification",
  source: ASK_CLARIFICATION,
  request_id: requestId,
  question,
  ...(context ? { context } : {}),
  input_mode: options && options.length > 0 ? "options" : "text",
  options: (options ?? []).map((option, index) => ({ id: String(index + 1), value: option, label: option })),
});
