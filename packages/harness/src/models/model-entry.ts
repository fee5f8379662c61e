/** One model of the catalogue: how it is shown, and how it is made. */
import type { ModelConfig } from "../config/model-section.js";
import type { ModelInfo, ModelSource } from "./contract.js";
import type { ModelProvider } from "./providers/contract.js";

export interface ModelEntry {
  readonly info: ModelInfo;
  readonly config: ModelConfig;
  readonly provider: ModelProvider;
}

export interface ModelOrigin {
  readonly source: ModelSource;
  /** Why this model is offered, in one sentence. */
  readonly reason: string;
}

export const modelEntry = (
  config: ModelConfig,
  provider: ModelProvider,
  origin: ModelOrigin,
): ModelEntry => ({
  config,
  provider,
  info: Object.freeze({
    name: config.name,
    displayName: config.display_name ?? config.name,
    model: config.model,
    provider: provider.name,
    ...origin,
    supportsThinking: config.supports_thinking,
    supportsReasoningEffort: config.supports_reasoning_effort,
    supportsVision: config.supports_vision,
    ...(config.context_window === undefined ? {} : { contextWindow: config.context_window }),
  }),
});

/** A model that nobody configured: no thinking, no images, as nothing is known about it. */
export const plainModel = (
  fields: Pick<ModelConfig, "name" | "use" | "model"> & Partial<ModelConfig>,
): ModelConfig => ({
  supports_thinking: false,
  supports_reasoning_effort: false,
  supports_vision: false,
  ...fields,
});
