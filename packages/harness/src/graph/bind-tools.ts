/** Gives a model its tools, once per set of tools instead of once per step. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { type Runnable, RunnableBinding } from "@langchain/core/runnables";
import { DeerflowError } from "../base/errors.js";
import type { AgentTool } from "./tool-registry.js";

export type CallableModel = Runnable<BaseMessage[], BaseMessage>;

/** Options of the call that are bound with the tools: `tool_choice` and what a middleware put in `modelSettings`. */
export type ModelSettings = Readonly<Record<string, unknown>>;

interface Bound {
  readonly tools: readonly AgentTool[];
  readonly settings: ModelSettings;
  readonly model: CallableModel;
}

// A fallback chain or a tool selector has a few variants; more would mean that something is new at every step.
const KEPT_PER_MODEL = 8;

export class ToolBinder {
  readonly #kept = new WeakMap<CallableModel, Bound[]>();

  /** @throws DeerflowError `model_without_tools` */
  bind(model: CallableModel, tools: readonly AgentTool[], settings: ModelSettings): CallableModel {
    if (tools.length === 0 && Object.keys(settings).length === 0) return model;
    const kept = this.#kept.get(model) ?? [];
    const hit = kept.find(
      (entry) => isSameList(entry.tools, tools) && isSameRecord(entry.settings, settings),
    );
    if (hit !== undefined) return hit.model;
    const bound = bindOnce(model, tools, settings);
    this.#kept.set(model, [...kept, { tools: [...tools], settings, model: bound }].slice(-KEPT_PER_MODEL));
    return bound;
  }
}

function bindOnce(model: CallableModel, tools: readonly AgentTool[], settings: ModelSettings): CallableModel {
  if (tools.length === 0) return model.withConfig(settings);
  // The casts only widen: bindTools gives a runnable over messages, whatever its exact chunk type.
  if (canBindTools(model)) return model.bindTools([...tools], settings) as CallableModel;
  if (RunnableBinding.isRunnableBinding(model) && canBindTools(model.bound)) {
    const { bound, config, kwargs } = model;
    const inner = bound.bindTools([...tools], settings) as CallableModel;
    return new RunnableBinding({ bound: inner, config, ...(kwargs === undefined ? {} : { kwargs }) });
  }
  throw new DeerflowError("model_without_tools", { model: model.getName() });
}

const canBindTools = (model: unknown): model is BaseChatModel & Required<Pick<BaseChatModel, "bindTools">> =>
  model instanceof BaseChatModel && typeof model.bindTools === "function";

const isSameList = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((entry, position) => entry === right[position]);

const isSameRecord = (left: ModelSettings, right: ModelSettings): boolean =>
  isSameList(Object.keys(left), Object.keys(right)) && isSameList(Object.values(left), Object.values(right));
