import { z } from "zod";
import { readProse } from "../base/prose.js";
import { defineTool } from "./define-tool.js";

const DESCRIPTION = readProse(new URL("./ask-clarification.md", import.meta.url));

export const ASK_CLARIFICATION = "ask_clarification";

export const CLARIFICATION_TYPES = [
  "missing_info",
  "ambiguous_requirement",
  "approach_choice",
  "risk_confirmation",
  "suggestion",
] as const;

export const clarificationInput = z.object({
  question: z.string().min(1).describe("The question to the user: one thing, answerable as it stands."),
  clarification_type: z.enum(CLARIFICATION_TYPES).describe("What kind of answer is missing."),
  context: z.string().optional().describe("What the user needs to know to answer."),
  options: z.array(z.string()).optional().describe("Answers to choose from, where there are some."),
});

export type ClarificationQuestion = z.infer<typeof clarificationInput>;

/**
 * Asks the user. The clarification middleware turns the call into the question; the agent ends with it
 * (`returnDirect`), and the answer starts a new run.
 */
export function askClarification() {
  const tool = defineTool({
    name: ASK_CLARIFICATION,
    operation: "ask",
    description: DESCRIPTION,
    input: clarificationInput,
    async run({ question }) {
      return {
        text: `Nobody can be asked here. Decide yourself and say what you assumed. The question was: ${question}`,
      };
    },
  });
  tool.returnDirect = true;
  return tool;
}
