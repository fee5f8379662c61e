/** Second rung: models for which a key lies in the environment. */
import type { ModelConfig } from "../config/model-section.js";
import { plainModel } from "./model-entry.js";

interface EnvironmentRow {
  readonly use: string;
  readonly keyVariable: string;
  /** Names another model of the same provider. */
  readonly modelVariable: string;
  readonly model: string;
  readonly because: string;
}

/** In order of preference. */
export const ENVIRONMENT_MODELS: readonly EnvironmentRow[] = [
  {
    use: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    modelVariable: "ANTHROPIC_MODEL",
    model: "claude-sonnet-5",
    because: "The newest model of its middle class that the client knows.",
  },
  {
    use: "openai",
    keyVariable: "OPENAI_API_KEY",
    modelVariable: "OPENAI_MODEL",
    model: "gpt-5.4",
    because: "A general model that the client knows by name.",
  },
  {
    use: "deepseek",
    keyVariable: "DEEPSEEK_API_KEY",
    modelVariable: "DEEPSEEK_MODEL",
    model: "deepseek-chat",
    because: "The name that always means the present chat model.",
  },
  {
    use: "google",
    keyVariable: "GEMINI_API_KEY",
    modelVariable: "GEMINI_MODEL",
    model: "gemini-flash-latest",
    because: "The name that always means the present fast model.",
  },
  {
    use: "mistral",
    keyVariable: "MISTRAL_API_KEY",
    modelVariable: "MISTRAL_MODEL",
    model: "mistral-large-latest",
    because: "The name that always means the present large model.",
  },
  {
    use: "openrouter",
    keyVariable: "OPENROUTER_API_KEY",
    modelVariable: "OPENROUTER_MODEL",
    model: "openrouter/auto",
    because: "Leaves the choice to the router.",
  },
];

export interface FoundModel {
  readonly config: ModelConfig;
  readonly reason: string;
}

/** One model for each key that is set. Pure. */
export function environmentModels(env: Readonly<Record<string, string | undefined>>): FoundModel[] {
  return ENVIRONMENT_MODELS.flatMap((row) => {
    const key = env[row.keyVariable];
    if (key === undefined || key === "") return [];
    const model = env[row.modelVariable] || row.model;
    const config = plainModel({ name: `${row.use}/${model}`, use: row.use, model, api_key: key });
    return [{ config, reason: `${row.keyVariable} is set; ${row.modelVariable} chooses another model.` }];
  });
}
