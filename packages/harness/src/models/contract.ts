/** What the rest of the harness knows of a model. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

/** How a model came to be chosen (decision ladder: config > environment keys > local server > demo). */
export type ModelSource = "config" | "environment" | "localhost" | "demo";

/** A model as lists and pages show it. Never holds a key. */
export interface ModelInfo {
  readonly name: string;
  readonly displayName: string;
  /** The provider's own model id. */
  readonly model: string;
  readonly provider: string;
  readonly source: ModelSource;
  /** Why this model is offered, in one sentence. */
  readonly reason: string;
  readonly supportsThinking: boolean;
  readonly supportsReasoningEffort: boolean;
  readonly supportsVision: boolean;
  /** Tokens that fit, where known. */
  readonly contextWindow?: number;
}

export interface ChatModelOptions {
  readonly thinking?: boolean;
  readonly reasoningEffort?: "minimal" | "low" | "medium" | "high";
}

/** The models of one installation, resolved once per configuration. */
export interface ModelCatalogue {
  /** In order of preference; the first is the default. */
  readonly models: readonly ModelInfo[];
  /**
   * A model ready to be called.
   * @param name a name of {@link models}; the default when absent
   * @throws DeerflowError `model_unknown`, naming the nearest known name
   */
  createChatModel(name?: string, options?: ChatModelOptions): BaseChatModel;
}
