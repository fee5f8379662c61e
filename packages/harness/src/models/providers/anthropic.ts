/** Anthropic's own API. */
import { ChatAnthropic } from "@langchain/anthropic";
import { apiKeyOf } from "./api-key.js";
import { DEFAULT_RETRIES, sortParameters } from "./client-fields.js";
import type { ModelProvider, ProviderRequest } from "./contract.js";

type AnthropicFields = NonNullable<ConstructorParameters<typeof ChatAnthropic>[0]>;

export const anthropic: ModelProvider = {
  name: "anthropic",
  build(request) {
    const { config } = request;
    const { default_headers: headers, thinking, ...parameters } = request.parameters;
    const { fields, wire } = sortParameters(parameters);
    // The API itself judges settings that the configuration passes through.
    const passed = { ...fields, ...(thinking === undefined ? {} : { thinking }) } as Partial<
      AnthropicFields & object
    >;
    return new ChatAnthropic({
      maxRetries: DEFAULT_RETRIES,
      ...passed,
      model: config.model,
      apiKey: apiKeyOf(request, "ANTHROPIC_API_KEY"),
      invocationKwargs: { ...wire },
      ...effort(request),
      ...(config.base_url === undefined ? {} : { anthropicApiUrl: config.base_url }),
      ...(headers === undefined
        ? {}
        : { clientOptions: { defaultHeaders: headers as Record<string, string> } }),
    });
  },
};

/** Anthropic's lowest effort is `low`. */
function effort({ options }: ProviderRequest): Pick<AnthropicFields & object, "outputConfig"> {
  const { reasoningEffort } = options;
  if (reasoningEffort === undefined) return {};
  return { outputConfig: { effort: reasoningEffort === "minimal" ? "low" : reasoningEffort } };
}
