/** The node in which everything but the tools happens: all hooks of all phases, and the model call. */
import { Command, END, isGraphInterrupt, ParentCommand } from "@langchain/langgraph";
import type { JumpToTarget } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import type { AgentPlan } from "./agent-plan.js";
import type { AgentState, NodeConfig } from "./agent-state.js";
import { type Hook, type HookPhase, type Phase, readHookResult } from "./hooks.js";
import { stampAiMessage } from "./message-stamps.js";
import { callModel, type ModelOutcome } from "./model-call.js";
import { endsWithAnswer, lastAnswers, pendingCalls } from "./pending-calls.js";
import { readState } from "../langgraph/private-keys.js";
import {
  commandGoto,
  enterModel,
  modelEntryOf,
  resolveJump,
  returnsDirectly,
  toolsRoute,
  wantEnd,
} from "./route.js";
import { Transaction } from "./transaction.js";

/**
 * The model node. Its input is the state when the tools come back, and an entry when a run starts, when a hook
 * was relocated or when a jump asked for a fresh superstep.
 */
export const createModelNode =
  (plan: AgentPlan) =>
  (input: AgentState, config: NodeConfig): Promise<Command[]> =>
    new ModelTurn(plan, input, config).run();

/** One walk through the phases, from the entry until the graph has to do something else. */
class ModelTurn {
  readonly #plan: AgentPlan;
  readonly #config: NodeConfig;
  readonly #transaction: Transaction;
  #phase: Phase;
  #position = 0;
  /** Something ran in this walk, so it would run twice if the node were run again. */
  #hasRun = false;
  #hasCalledModel = false;

  constructor(plan: AgentPlan, input: AgentState, config: NodeConfig) {
    const entry = modelEntryOf(input);
    const state = entry === undefined ? input : readState<AgentState>(config, plan.schema.fields);
    this.#plan = plan;
    this.#config = config;
    this.#transaction = new Transaction(plan.schema, state);
    this.#phase = entry?.phase ?? this.#phaseAfterTools();
    if (entry?.middleware !== undefined && this.#phase !== "model") {
      // A middleware that is gone since the pause leaves no place to go on from; its phase starts over.
      const position = plan.hooks[this.#phase].findIndex((hook) => hook.middleware.name === entry.middleware);
      this.#position = Math.max(0, position);
    }
  }

  async run(): Promise<Command[]> {
    for (;;) {
      const commands = this.#phase === "model" ? await this.#runModel() : await this.#runHook(this.#phase);
      if (commands !== undefined) return commands;
    }
  }

  #phaseAfterTools(): Phase {
    const answers = lastAnswers(this.#transaction.state.messages);
    const isDone = returnsDirectly(answers, this.#plan.registry.direct, this.#plan.parity);
    return isDone ? "afterAgent" : "beforeModel";
  }

  /** Runs the next hook of the phase, or leaves the phase. Gives commands when the walk ends. */
  async #runHook(phase: HookPhase): Promise<Command[] | undefined> {
    const hook = this.#plan.hooks[phase][this.#position];
    if (hook === undefined) return this.#leave(phase);
    const { state } = this.#transaction;
    let returned: unknown;
    try {
      const runtime = this.#plan.hookRuntime(hook.middleware, this.#config);
      returned = await hook.run(this.#plan.schema.view(hook.middleware, state), runtime);
    } catch (error) {
      if (!this.#isRelocatable(error)) throw error;
      return this.#commitAndEnter(phase, hook.middleware.name);
    }
    this.#hasRun = true;
    this.#position += 1;
    const result = readHookResult(phase, hook, returned);
    if (result === undefined) return undefined;
    await this.#transaction.apply(result.update);
    return result.jumpTo === undefined ? undefined : this.#jump(phase, hook, result.jumpTo);
  }

  async #runModel(): Promise<Command[] | undefined> {
    const outcome = await this.#callModel();
    if (outcome === undefined) return this.#commitAndEnter("model");
    this.#hasRun = true;
    this.#hasCalledModel = true;
    const { message, commands } = outcome;
    if (message !== undefined) {
      stampAiMessage(message, this.#plan.agentName);
      await this.#transaction.apply({ messages: [message] });
    }
    for (const command of commands) {
      if (command.graph === Command.PARENT) throw new ParentCommand(command);
      for (const [field, value] of command._updateAsTuples())
        await this.#transaction.apply({ [field]: value });
    }
    const goto = commandGoto(commands, this.#plan, this.#transaction.state.messages);
    if (goto.length > 0) return this.#transaction.commit(goto);
    this.#enter(wantEnd(commands) ? "afterAgent" : "afterModel");
    return undefined;
  }

  /** Undefined when a wrap interrupted and has to be relocated. */
  async #callModel(): Promise<ModelOutcome | undefined> {
    try {
      return await callModel(this.#plan, this.#transaction.state, this.#config);
    } catch (error) {
      if (!this.#isRelocatable(error)) throw error;
      return undefined;
    }
  }

  /**
   * An interrupt stores nothing of the node that raised it, and on resume the node runs from its start. So when
   * something has run before the hook that interrupts, the walk is committed and the hook entered again as the
   * first thing of a superstep of its own. The same saves a paid AI message from a hook that fails after it.
   */
  #isRelocatable(error: unknown): boolean {
    if (!this.#hasRun || this.#config.signal?.aborted) return false;
    return isGraphInterrupt(error) || (this.#hasCalledModel && !isBubbleUp(error));
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#position = 0;
  }

  #commitAndEnter(phase: Phase, middleware?: string): Command[] {
    const entry = middleware === undefined ? { phase } : { phase, middleware };
    return this.#transaction.commit(enterModel(this.#plan.nodeName, entry));
  }

  /** The hooks of a phase are through. */
  #leave(phase: HookPhase): Command[] | undefined {
    switch (phase) {
      case "beforeAgent":
        this.#enter("beforeModel");
        return undefined;
      case "beforeModel":
        this.#enter("model");
        return undefined;
      case "afterModel":
        if (this.#hasCallsToRun()) return this.#commitToTools();
        this.#enter("afterAgent");
        return undefined;
      case "afterAgent":
        return this.#transaction.commit(END);
    }
  }

  #jump(from: HookPhase, { isOutermost }: Hook, target: JumpToTarget): Command[] | undefined {
    const { parity } = this.#plan;
    const isAnswered = endsWithAnswer(this.#transaction.state.messages);
    const jump = resolveJump({ from, target, isOutermost, endsWithAnswer: isAnswered, parity });
    switch (jump.to) {
      case "onward":
        return undefined;
      case "tools":
        return this.#commitToTools();
      case "end":
        return this.#transaction.commit(END);
      case "phase":
        if (jump.commit) return this.#commitAndEnter(jump.phase);
        this.#enter(jump.phase);
        return undefined;
    }
  }

  #commitToTools(): Command[] {
    return this.#transaction.commit(toolsRoute(this.#transaction.state.messages));
  }

  /** `createAgent` has no tools node without tools; ours answers the model that there is no such tool. */
  #hasCallsToRun(): boolean {
    const { parity, registry, toolWraps } = this.#plan;
    const canRun = !parity || registry.names.length > 0 || toolWraps.length > 0;
    return canRun && pendingCalls(this.#transaction.state.messages).length > 0;
  }
}
