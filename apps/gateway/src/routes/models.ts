/** The models that a run may name. */
import { DeerflowError, type ModelInfo } from "@deerflow/harness";
import type { Model, ModelList } from "@deerflow/protocol";
import { Hono } from "hono";
import type { GatewayDeps, GatewayVariables } from "../deps.js";

const toWireModel = (model: ModelInfo): Model => ({
  id: model.name,
  name: model.name,
  model: model.model,
  display_name: model.displayName,
  provider: model.provider,
  source: model.source,
  reason: model.reason,
  supports_thinking: model.supportsThinking,
  supports_reasoning_effort: model.supportsReasoningEffort,
  supports_vision: model.supportsVision,
});

/** So that a client learns of a wrong name at once, and not from a failed run. @throws DeerflowError `model_unknown` */
export async function requireModel({ models }: Pick<GatewayDeps, "models">, name: unknown): Promise<void> {
  if (typeof name !== "string" || name === "") return; // the agent takes its default
  const known = (await models()).models.map((model) => model.name);
  if (!known.includes(name))
    throw new DeerflowError("model_unknown", { name, hint: `Known: ${known.join(", ")}.` });
}

export const modelRoutes = ({ models }: Pick<GatewayDeps, "models">) =>
  new Hono<GatewayVariables>().get("/models", async (context) => {
    const body: ModelList = {
      models: (await models()).models.map(toWireModel),
      token_usage: { enabled: false },
    };
    return context.json(body);
  });
