/** Which provider answers for which `use`: short names, and the classes that DeerFlow's files name. */
import { anthropic } from "./anthropic.js";
import type { ModelProvider } from "./contract.js";
import { demo } from "./demo.js";
import { openaiCompatible } from "./openai-compatible.js";

interface ProviderRow {
  readonly use: string;
  readonly provider: ModelProvider;
  /** Why this provider answers for that name. */
  readonly because: string;
}

const openai = openaiCompatible({ name: "openai", keyVariable: "OPENAI_API_KEY" });
const compatible = openaiCompatible({ name: "openai-compatible", keyVariable: "OPENAI_API_KEY" });
const deepseek = openaiCompatible({
  name: "deepseek",
  baseUrl: "https://api.deepseek.com/v1",
  keyVariable: "DEEPSEEK_API_KEY",
});
const google = openaiCompatible({
  name: "google",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai/",
  keyVariable: "GEMINI_API_KEY",
});
const mistral = openaiCompatible({
  name: "mistral",
  baseUrl: "https://api.mistral.ai/v1",
  keyVariable: "MISTRAL_API_KEY",
});
const openrouter = openaiCompatible({
  name: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  keyVariable: "OPENROUTER_API_KEY",
});
const ollama = openaiCompatible({
  name: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  keyVariable: "OLLAMA_API_KEY",
});

export const PROVIDERS: readonly ProviderRow[] = [
  { use: "openai", provider: openai, because: "The short name." },
  { use: "openai-compatible", provider: compatible, because: "Any server with a base_url." },
  { use: "anthropic", provider: anthropic, because: "The short name." },
  { use: "deepseek", provider: deepseek, because: "OpenAI's API at an address of its own." },
  { use: "google", provider: google, because: "Google's OpenAI-compatible address." },
  { use: "mistral", provider: mistral, because: "OpenAI's API at an address of its own." },
  { use: "openrouter", provider: openrouter, because: "OpenAI's API at an address of its own." },
  { use: "ollama", provider: ollama, because: "OpenAI's API on this machine." },
  { use: "demo", provider: demo, because: "The scripted model, for tests that configure models." },
  { use: "langchain_openai:ChatOpenAI", provider: openai, because: "DeerFlow's class for OpenAI." },
  {
    use: "deerflow.models.patched_openai:PatchedChatOpenAI",
    provider: openai,
    because: "DeerFlow's OpenAI client with a repair for gateways.",
  },
  {
    use: "langchain_anthropic:ChatAnthropic",
    provider: anthropic,
    because: "DeerFlow's class for Anthropic.",
  },
  {
    use: "deerflow.models.claude_provider:ClaudeChatModel",
    provider: anthropic,
    because: "DeerFlow's Anthropic client.",
  },
  { use: "langchain_deepseek:ChatDeepSeek", provider: deepseek, because: "DeerFlow's class for DeepSeek." },
  {
    use: "deerflow.models.patched_deepseek:PatchedChatDeepSeek",
    provider: deepseek,
    because: "DeerFlow's DeepSeek client.",
  },
  {
    use: "langchain_google_genai:ChatGoogleGenerativeAI",
    provider: google,
    because: "DeerFlow's class for Gemini.",
  },
  { use: "langchain_ollama:ChatOllama", provider: ollama, because: "DeerFlow's class for Ollama." },
  {
    use: "deerflow.models.vllm_provider:VllmChatModel",
    provider: compatible,
    because: "vLLM speaks OpenAI's API.",
  },
];

export const findProvider = (use: string): ModelProvider | undefined =>
  PROVIDERS.find((row) => row.use === use)?.provider;
