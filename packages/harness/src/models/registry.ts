/** Resolves the models of an installation: configuration > environment keys > local servers > demo. */
import { DeerflowError } from "../base/errors.js";
import { nearestName } from "../config/nearest-name.js";
import type { ModelConfig } from "../config/model-section.js";
import type { DeerflowConfig } from "../config/schema.js";
import type { ModelCatalogue } from "./contract.js";
import { DEMO_MODEL_NAME } from "./demo/demo-chat-model.js";
import { environmentModels, type FoundModel } from "./environment-models.js";
import { type Fetch, localhostModels } from "./localhost-models.js";
import { modelEntry, type ModelEntry, plainModel } from "./model-entry.js";
import { modelParameters, settleOptions } from "./model-settings.js";
import type { ModelProvider } from "./providers/contract.js";
import { findProvider, PROVIDERS } from "./providers/provider-table.js";

export interface ResolveModelsInput {
  readonly config: DeerflowConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For the probe of local servers; the global one when absent. */
  readonly fetch?: Fetch;
  /** False skips the probe of local servers. */
  readonly probeLocal?: boolean;
}

/**
 * The first rung of the ladder that has a model gives the models. The demo model stands last, to be chosen by
 * name; it is the default only where nothing else was found, and never stands in for a model that fails.
 * @throws DeerflowError `model_provider_unknown`, `model_none`
 * @example (await resolveModels({ config, env: process.env })).models[0]?.name
 */
export async function resolveModels(input: ResolveModelsInput): Promise<ModelCatalogue> {
  const { config, env } = input;
  const entries = [...(await firstRung(input)), ...demoRung(config)];
  if (entries.length === 0) throw new DeerflowError("model_none");
  const paceMilliseconds = config.demo_model.pace_milliseconds;
  return Object.freeze({
    models: Object.freeze(entries.map((entry) => entry.info)),
    createChatModel: (name?: string, options = {}) => {
      const entry = findEntry(entries, name);
      const settled = settleOptions(entry.info, options);
      const parameters = modelParameters(entry.config, settled.thinking);
      return entry.provider.build({
        config: entry.config,
        options: settled,
        parameters,
        env,
        paceMilliseconds,
      });
    },
  } satisfies ModelCatalogue);
}

async function firstRung({ config, env, fetch = globalThis.fetch, probeLocal }: ResolveModelsInput) {
  if (config.models.length > 0) {
    const reason = "It is configured in config.yaml.";
    return config.models.map((model) => entryOf({ config: model, reason }, "config"));
  }
  const keyed = environmentModels(env);
  if (keyed.length > 0) return keyed.map((found) => entryOf(found, "environment"));
  const local = probeLocal === false ? [] : await localhostModels(fetch);
  return local.map((found) => entryOf(found, "localhost"));
}

/**
 * Checks the configured models without building one.
 * @throws DeerflowError `model_provider_unknown`
 */
export function assertProvidersKnown(models: readonly ModelConfig[]): void {
  for (const model of models) providerOf(model);
}

function entryOf({ config, reason }: FoundModel, source: "config" | "environment" | "localhost"): ModelEntry {
  return modelEntry(config, providerOf(config), { source, reason });
}

function providerOf(config: ModelConfig): ModelProvider {
  const provider = findProvider(config.use);
  if (provider !== undefined) return provider;
  const names = PROVIDERS.map((row) => row.use);
  throw new DeerflowError("model_provider_unknown", {
    name: config.name,
    use: config.use,
    hint: hintOf(
      config.use,
      names.filter((use) => !use.includes(":")),
    ),
  });
}

function demoRung({ demo_model: demoModel, models }: DeerflowConfig): ModelEntry[] {
  const provider = findProvider("demo");
  const taken = models.some((model) => model.name === DEMO_MODEL_NAME);
  if (!demoModel.enabled || taken || provider === undefined) return [];
  const config = plainModel({
    name: DEMO_MODEL_NAME,
    display_name: "Demo model (scripted, no AI)",
    use: "demo",
    model: DEMO_MODEL_NAME,
  });
  return [
    modelEntry(config, provider, { source: "demo", reason: "It needs no key and no network; it is no AI." }),
  ];
}

function findEntry(entries: readonly ModelEntry[], name: string | undefined): ModelEntry {
  const entry = name === undefined ? entries[0] : entries.find((candidate) => candidate.info.name === name);
  if (entry !== undefined) return entry;
  const names = entries.map((candidate) => candidate.info.name);
  throw new DeerflowError("model_unknown", { name, hint: hintOf(name ?? "", names) });
}

function hintOf(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `${near === undefined ? "" : `Did you mean ${near}? `}Known: ${known.join(", ")}.`;
}
