/** What LangGraph throws to steer the graph: interrupts and commands to a parent. Never a failure. */
import { isGraphBubbleUp } from "@langchain/langgraph";

/** LangGraph's own test, which throws itself when something threw null or undefined. */
export const isBubbleUp = (thrown: unknown): boolean =>
  typeof thrown === "object" && thrown !== null && isGraphBubbleUp(thrown);
