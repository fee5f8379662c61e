/** OpenAI, and every server that speaks its chat-completions API. */
import { ChatOpenAI } from "@langchain/openai";
import { apiKeyOf } from "./api-key.js";
import { DEFAULT_RETRIES, sortParameters } from "./client-fields.js";
import type { ModelProvider, ProviderRequest } from "./contract.js";

/** A server that is compatible with OpenAI's but lies at an address of its own. */
export interface CompatibleServer {
  readonly name: string;
  /** Used when the configuration names no `base_url`; absent means OpenAI's own. */
  readonly baseUrl?: string;
  readonly keyVariable: string;
}

export const openaiCompatible = (server: CompatibleServer): ModelProvider => ({
  name: server.name,
  build(request) {
    const { config } = request;
    const baseURL = config.base_url ?? server.baseUrl;
    const { default_headers: headers, ...parameters } = request.parameters;
    const { fields, wire } = sortParameters(parameters);
    return new ChatOpenAI({
      maxRetries: DEFAULT_RETRIES,
      ...fields,
      model: config.model,
      apiKey: apiKeyOf(request, server.keyVariable),
      streamUsage: true,
      modelKwargs: { ...wire, ...effort(request) },
      configuration: {
        ...(baseURL === undefined ? {} : { baseURL }),
        // Given by the person who configures; the client checks the rest.
        ...(headers === undefined ? {} : { defaultHeaders: headers as Record<string, string> }),
      },
    });
  },
});

const effort = ({ options }: ProviderRequest): Record<string, unknown> =>
  options.reasoningEffort === undefined ? {} : { reasoning_effort: options.reasoningEffort };
