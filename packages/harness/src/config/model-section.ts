/** One entry of `models`: what is named here has a meaning of its own, every other key goes to the provider. */
import { z } from "zod";
import { flag } from "./schema-parts.js";

const settings = z.record(z.string(), z.unknown());

/** Spellings of DeerFlow's providers for the same thing. */
const SPELLINGS = {
  api_base: "base_url",
  openai_api_base: "base_url",
  anthropic_api_url: "base_url",
} as const;

function commonSpelling(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key in SPELLINGS ? SPELLINGS[key as keyof typeof SPELLINGS] : key,
      inner,
    ]),
  );
}

export const modelSchema = z.preprocess(
  commonSpelling,
  z.looseObject({
    name: z.string().min(1).describe("The name by which clients ask for this model."),
    display_name: z.string().optional().describe("The name that people see."),
    description: z.string().optional(),
    use: z.string().min(1).describe("openai, openai-compatible or anthropic."),
    model: z.string().min(1).describe("The provider's own id of the model."),
    api_key: z.string().optional().describe("Best as $NAME, which reads the environment."),
    base_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where an OpenAI-compatible server answers."),
    supports_thinking: flag(false),
    supports_reasoning_effort: flag(false),
    supports_vision: flag(false),
    when_thinking_enabled: settings.optional().describe("Settings added when thinking is on."),
    when_thinking_disabled: settings.optional().describe("Settings added when thinking is off."),
    thinking: settings.optional().describe("Short for when_thinking_enabled: {thinking: …}."),
    context_window: z.int().positive().optional().describe("Tokens that fit; shown as a gauge."),
  }),
);

/** One configured model with its pass-through keys. */
export type ModelConfig = z.output<typeof modelSchema>;
