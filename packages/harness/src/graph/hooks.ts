/** The hooks of the chain, per phase and in the order in which they run. */
import type { AgentMiddleware, JumpToTarget, Runtime } from "langchain";
import { DeerflowError } from "../base/errors.js";
import type { AgentState, StateUpdate } from "./agent-state.js";

export const HOOK_PHASES = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"] as const;

export type HookPhase = (typeof HOOK_PHASES)[number];

/** A stage of the model node: the four hook phases, and the model call between the second and the third. */
export type Phase = HookPhase | "model";

export interface Hook {
  readonly middleware: AgentMiddleware;
  readonly run: (state: AgentState, runtime: Runtime) => unknown;
  readonly canJumpTo: readonly JumpToTarget[];
  /** True for the first middleware of the chain that has this hook. */
  readonly isOutermost: boolean;
}

export type HookTable = Readonly<Record<HookPhase, readonly Hook[]>>;

/**
 * First in the chain is outermost: its before-hooks run first, its after-hooks last.
 * @throws DeerflowError `middleware_name_taken`
 */
export function hookTable(middleware: readonly AgentMiddleware[]): HookTable {
  const names = new Set<string>();
  for (const { name } of middleware) {
    if (names.has(name)) throw new DeerflowError("middleware_name_taken", { name });
    names.add(name);
  }
  return {
    beforeAgent: hooksOf(middleware, "beforeAgent"),
    beforeModel: hooksOf(middleware, "beforeModel"),
    afterModel: hooksOf(middleware, "afterModel").toReversed(),
    afterAgent: hooksOf(middleware, "afterAgent").toReversed(),
  };
}

const hooksOf = (middleware: readonly AgentMiddleware[], phase: HookPhase): readonly Hook[] =>
  middleware
    .flatMap((entry) => {
      const hook = entry[phase];
      return hook === undefined ? [] : [{ middleware: entry, hook }];
    })
    .map(({ middleware, hook }, position) => ({
      middleware,
      run: typeof hook === "function" ? hook : hook.hook,
      canJumpTo: typeof hook === "function" ? [] : (hook.canJumpTo ?? []),
      isOutermost: position === 0,
    }));

/** What a hook asked for: changes of the state, and perhaps a jump. */
export interface HookResult {
  readonly update: StateUpdate;
  readonly jumpTo: JumpToTarget | undefined;
}

/** @throws DeerflowError `jump_target_invalid` */
export function readHookResult(phase: HookPhase, hook: Hook, returned: unknown): HookResult | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  const { jumpTo, ...update } = returned as { jumpTo?: JumpToTarget };
  if (jumpTo !== undefined && jumpTo !== null && !hook.canJumpTo.includes(jumpTo)) {
    throw new DeerflowError("jump_target_invalid", {
      hook: phase,
      middleware: hook.middleware.name,
      target: jumpTo,
      allowed: hook.canJumpTo.join(", ") || "(none)",
    });
  }
  return { update, jumpTo: jumpTo ?? undefined };
}
