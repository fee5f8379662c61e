/** What is really asked of a model: only what it supports, with the settings that its thinking needs. */
import type { ModelConfig } from "../config/model-section.js";
import { modelSchema } from "../config/model-section.js";
import { knownKeysAt } from "../config/schema-walk.js";
import type { ChatModelOptions, ModelInfo } from "./contract.js";

type Settings = Record<string, unknown>;

export interface SettledOptions {
  readonly thinking: boolean;
  readonly reasoningEffort?: NonNullable<ChatModelOptions["reasoningEffort"]>;
  /** True when thinking or an effort was asked for and the model has none. Worth a note, never an error. */
  readonly downgraded: boolean;
}

/** Drops what the model does not support. Pure. */
export function settleOptions(info: ModelInfo, wanted: ChatModelOptions = {}): SettledOptions {
  const thinking = wanted.thinking === true && info.supportsThinking;
  const effort = info.supportsReasoningEffort ? wanted.reasoningEffort : undefined;
  return {
    thinking,
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    downgraded: thinking !== (wanted.thinking === true) || effort !== wanted.reasoningEffort,
  };
}

const OWN_KEYS = new Set(knownKeysAt(modelSchema, []));

/** The pass-through keys of a model with the settings for thinking on or off merged over them. Pure. */
export function modelParameters(config: ModelConfig, thinking: boolean): Settings {
  const passed = Object.fromEntries(Object.entries(config).filter(([key]) => !OWN_KEYS.has(key)));
  return merge(passed, thinking ? settingsWhenOn(config) : settingsWhenOff(config));
}

const settingsWhenOn = ({ when_thinking_enabled, thinking }: ModelConfig): Settings =>
  merge(thinking === undefined ? {} : { thinking }, when_thinking_enabled ?? {});

/** Written out in the file, or the opposite of what turns thinking on. */
function settingsWhenOff(config: ModelConfig): Settings {
  if (config.when_thinking_disabled !== undefined) return config.when_thinking_disabled;
  return turnedOff(settingsWhenOn(config));
}

function turnedOff(on: Settings): Settings {
  const off: Settings = {};
  if (isSettings(on["thinking"])) off["thinking"] = { type: "disabled" };
  if (isSettings(on["extra_body"])) {
    const inner = turnedOff(on["extra_body"]);
    if (Object.keys(inner).length > 0) off["extra_body"] = inner;
  }
  const template = on["chat_template_kwargs"];
  if (isSettings(template)) {
    const switches = Object.keys(template).filter((key) => template[key] === true);
    off["chat_template_kwargs"] = Object.fromEntries(switches.map((key) => [key, false]));
  }
  return off;
}

const isSettings = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function merge(base: Settings, over: Settings): Settings {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] = isSettings(before) && isSettings(value) ? merge(before, value) : value;
  }
  return merged;
}
