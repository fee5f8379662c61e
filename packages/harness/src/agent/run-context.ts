/** What a client may say about one run, read from its `context`: hostile, so parsed; unknown keys are ignored. */
import { z } from "zod";
import type { JsonObject } from "../base/json.js";

const schema = z.object({
  model_name: z.string().min(1).max(200).optional().catch(undefined),
  thinking_enabled: z.boolean().optional().catch(undefined),
  reasoning_effort: z.enum(["minimal", "low", "medium", "high"]).optional().catch(undefined),
  is_plan_mode: z.boolean().optional().catch(undefined),
  non_interactive: z.boolean().optional().catch(undefined),
});

export interface AgentRunContext {
  readonly modelName?: string;
  readonly thinking?: boolean;
  readonly reasoningEffort?: "minimal" | "low" | "medium" | "high";
  /** A todo list; on unless the client says no. */
  readonly planMode: boolean;
  /** Nobody is there to answer, so no question may be asked. */
  readonly nonInteractive: boolean;
}

/** A value of the wrong type counts as absent. */
export function parseAgentRunContext(context: JsonObject): AgentRunContext {
  const parsed = schema.parse(context);
  return {
    ...(parsed.model_name === undefined ? {} : { modelName: parsed.model_name }),
    ...(parsed.thinking_enabled === undefined ? {} : { thinking: parsed.thinking_enabled }),
    ...(parsed.reasoning_effort === undefined ? {} : { reasoningEffort: parsed.reasoning_effort }),
    planMode: parsed.is_plan_mode ?? true,
    nonInteractive: parsed.non_interactive ?? false,
  };
}
