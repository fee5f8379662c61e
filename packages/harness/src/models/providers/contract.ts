/** What a provider is: one function from settled settings to a model that can be called. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelConfig } from "../../config/model-section.js";
import type { ChatModelOptions } from "../contract.js";

export interface ProviderRequest {
  readonly config: ModelConfig;
  /** Already settled: only what the model supports. */
  readonly options: ChatModelOptions;
  /** Pass-through keys of the configuration and of its thinking sections, in snake_case. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Pause between streamed pieces of the demo model. */
  readonly paceMilliseconds: number;
}

export interface ModelProvider {
  /** As it stands in lists. */
  readonly name: string;
  /**
   * Must not call the network.
   * @throws DeerflowError `model_key_missing`
   */
  build(request: ProviderRequest): BaseChatModel;
}
