/** The sandboxes that a provider has given out, and their running commands: letting one go ends them. */
import { DeerflowError } from "../base/errors.js";
import { CommandFiles } from "./command-files.js";
import type { CommandRequest, CommandResult, Sandbox } from "./contract.js";

/** Runs one command until it ends or the signal aborts. */
export type RunOne = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

interface Acquired {
  readonly sandbox: Sandbox;
  readonly running: Set<Running>;
}

export class AcquiredSandboxes {
  readonly #byId = new Map<string, Acquired>();

  /** A sandbox whose commands `run` runs. With `own` come its files or whatever else it can do. */
  add(id: string, run: RunOne, own: Partial<Sandbox> = {}): Sandbox {
    const running = this.#byId.get(id)?.running ?? new Set<Running>();
    const sandbox = { ...tracked(id, running, run), ...own };
    this.#byId.set(id, { sandbox, running });
    return sandbox;
  }

  /** Another way to run commands in the sandbox of that id, which are let go with it. */
  another(id: string, run: RunOne): Sandbox {
    return tracked(id, this.#byId.get(id)?.running ?? new Set<Running>(), run);
  }

  get(id: string): Sandbox | undefined {
    return this.#byId.get(id)?.sandbox;
  }

  get ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Ends the commands of one sandbox; they reject with `sandbox_released`. */
  async release(id: string): Promise<void> {
    const running = [...(this.#byId.get(id)?.running ?? [])];
    this.#byId.delete(id);
    for (const { stop } of running) stop.abort(new DeerflowError("sandbox_released", { id }));
    await Promise.allSettled(running.map(({ done }) => done));
  }

  async releaseAll(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.release(id)));
  }
}

function tracked(id: string, running: Set<Running>, run: RunOne): Sandbox {
  const execute: Sandbox["execute"] = (request) => track(running, request, run);
  return { id, execute, files: new CommandFiles(execute) };
}

async function track(running: Set<Running>, request: CommandRequest, run: RunOne): Promise<CommandResult> {
  const stop = new AbortController();
  const { signal } = request;
  const done = run(request, signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]));
  const mine = { stop, done };
  running.add(mine);
  try {
    return await done;
  } finally {
    running.delete(mine);
  }
}
