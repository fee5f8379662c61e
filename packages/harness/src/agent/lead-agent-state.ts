/** Channels of the lead agent's state beside the messages and beside those of its middleware. */
import { ReducedValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";

const paths = z.array(z.string());

/** Keeps the first place of a path that is presented again. */
export const addArtifacts = (known: readonly string[], added: readonly string[]): string[] => [
  ...new Set([...known, ...added]),
];

export const leadAgentState = new StateSchema({
  /** Virtual paths of the results that were shown to the user, oldest first. */
  artifacts: new ReducedValue(
    paths.default(() => []),
    { inputSchema: paths, reducer: addArtifacts },
  ),
});
