/** The sandboxes that a provider has given out, and their running commands: letting one go ends them. */
import { DeerflowError } from "../base/errors.js";
import { CommandFiles } from "./command-files.js";
import type { CommandRequest, CommandResult, Sandbox } from "./contract.js";

/** Runs one command until it ends or the signal aborts. */
export type RunOne = (request: CommandRequest, signal: AbortSignal) => Promise<CommandResult>;

/** No timer takes 25 days. */
const MOST_SECONDS = 2_000_000;

interface Running {
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

/** The commands of one sandbox from its acquisition until it is let go. */
interface Commands {
  readonly running: Set<Running>;
  isReleased: boolean;
}

interface Acquired {
  readonly sandbox: Sandbox;
  readonly commands: Commands;
}

/** Another way to run commands in a sandbox; they are let go with it. */
export type Another = (run: RunOne) => Sandbox;

export class AcquiredSandboxes {
  readonly #byId = new Map<string, Acquired>();

  /**
   * A sandbox whose commands `run` runs until it is let go; later ones reject with `sandbox_released`.
   * @param own its files, or whatever else it can do
   */
  add(id: string, run: RunOne, own: (another: Another) => Partial<Sandbox> = () => ({})): Sandbox {
    const commands = this.#byId.get(id)?.commands ?? { running: new Set<Running>(), isReleased: false };
    const another: Another = (runOther) => tracked(id, commands, runOther);
    const sandbox = { ...another(run), ...own(another) };
    this.#byId.set(id, { sandbox, commands });
    return sandbox;
  }

  get(id: string): Sandbox | undefined {
    return this.#byId.get(id)?.sandbox;
  }

  get ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** Ends the commands of one sandbox; they reject with `sandbox_released`. */
  async release(id: string): Promise<void> {
    const commands = this.#byId.get(id)?.commands;
    if (commands === undefined) return;
    commands.isReleased = true;
    this.#byId.delete(id);
    const running = [...commands.running];
    for (const { stop } of running) stop.abort(new DeerflowError("sandbox_released", { id }));
    await Promise.allSettled(running.map(({ done }) => done));
  }

  async releaseAll(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.release(id)));
  }
}

function tracked(id: string, commands: Commands, run: RunOne): Sandbox {
  const execute: Sandbox["execute"] = async (request) => {
    if (commands.isReleased) throw new DeerflowError("sandbox_released", { id });
    return track(commands.running, request, run);
  };
  return { id, execute, files: new CommandFiles(execute) };
}

async function track(running: Set<Running>, request: CommandRequest, run: RunOne): Promise<CommandResult> {
  const stop = new AbortController();
  const { signal } = request;
  const done = run(
    request.timeoutSeconds === undefined
      ? request
      : { ...request, timeoutSeconds: Math.min(request.timeoutSeconds, MOST_SECONDS) },
    signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
  );
  const mine = { stop, done };
  running.add(mine);
  try {
    return await done;
  } finally {
    running.delete(mine);
  }
}
