/** The tools that the agent can run: its own and those that middleware contribute. */
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import { Runnable } from "@langchain/core/runnables";
import type { AgentMiddleware } from "langchain";
import { DeerflowError } from "../base/errors.js";

export type AgentTool = ClientTool | ServerTool;

/** A tool that runs here; a server tool runs at the model's provider. */
export const isClientTool = (tool: unknown): tool is ClientTool => Runnable.isRunnable(tool);

/** @throws DeerflowError `tool_name_taken`, because a model could not tell the two apart */
export class ToolRegistry {
  /** Everything that is offered to the model, unless a middleware narrows it. */
  readonly offered: readonly AgentTool[];
  /** Names of tools whose answer ends the run. */
  readonly direct: ReadonlySet<string>;
  readonly #byName = new Map<string, ClientTool>();

  constructor(own: readonly AgentTool[], middleware: readonly AgentMiddleware[]) {
    this.offered = [...own, ...middleware.flatMap((entry) => entry.tools ?? [])];
    for (const tool of this.offered.filter(isClientTool)) {
      const name = String(tool.name);
      if (this.#byName.has(name)) throw new DeerflowError("tool_name_taken", { tool: name });
      this.#byName.set(name, tool);
    }
    const direct = [...this.#byName].filter(([, tool]) => "returnDirect" in tool && tool.returnDirect);
    this.direct = new Set(direct.map(([name]) => name));
  }

  /** Names of the tools that run here. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  find(name: string): ClientTool | undefined {
    return this.#byName.get(name);
  }
}
