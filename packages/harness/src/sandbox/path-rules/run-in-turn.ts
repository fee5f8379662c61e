/** One command from the wait for its turn, through the mounting before it, to the check after it. */
import { withTimeLimit } from "../../base/abort.js";
import { type CommandRequest, type CommandResult, TIMEOUT_EXIT_CODE } from "../contract.js";
import type { CommandStarts, MountOption, StartedCommand } from "./contract.js";

export interface TurnOptions {
  readonly starts: CommandStarts;
  /** Of a request that names none. */
  readonly wallSeconds: number;
  /** Hides what the output hides, too. */
  readonly masked: (text: string) => string;
  run(request: CommandRequest, options: readonly MountOption[]): Promise<CommandResult>;
}

/** So that a command whose time is just over still ends as one that ran out of it. */
const LEAST_SECONDS = 0.001;
const WAITED = "It waited for another command that works with the same files; that time counts.";
const NOT_STARTED =
  "It did not start: until its time was over it waited for another command that works with the same files.";
const LOOKED =
  "It did not start: its time was over while the files that permission rules protect were looked for.";

/** Waiting is a part of the command's time. What was put back is told in its notices. */
export async function runInTurn(
  options: TurnOptions,
  request: CommandRequest,
  signal: AbortSignal,
): Promise<CommandResult> {
  const seconds = request.timeoutSeconds ?? options.wallSeconds;
  const clock = new Clock();
  const command = await begun(options.starts, seconds, signal, clock);
  const waited = clock.milliseconds;
  if (command === undefined) return outOfTime(waited, clock.hasWaited ? NOT_STARTED : LOOKED);
  let notices: readonly string[] = [];
  let result: CommandResult;
  try {
    const timeoutSeconds = Math.max(LEAST_SECONDS, seconds - waited / 1000);
    result = await options.run({ ...request, timeoutSeconds }, command.options);
  } finally {
    // A command that was stopped leaves things, too.
    notices = await command.end(options.masked);
  }
  const told = [
    ...(result.notices ?? []),
    ...(result.timedOut && clock.hasWaited ? [WAITED] : []),
    ...notices,
  ];
  return {
    ...result,
    durationMilliseconds: waited + result.durationMilliseconds,
    ...(told.length === 0 ? {} : { notices: told }),
  };
}

class Clock {
  hasWaited = false;
  readonly #startedAt = performance.now();

  get milliseconds(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** Undefined when the time was over before. */
async function begun(
  starts: CommandStarts,
  seconds: number,
  signal: AbortSignal,
  clock: Clock,
): Promise<StartedCommand | undefined> {
  let limit: AbortSignal | undefined;
  const onWait = () => {
    clock.hasWaited = true;
  };
  try {
    return await withTimeLimit(seconds, signal, (limited) => {
      limit = limited;
      return starts.begin({ signal: limited, onWait });
    });
  } catch (error) {
    signal.throwIfAborted();
    if (limit?.aborted === true && error === limit.reason) return undefined;
    throw error;
  }
}

const outOfTime = (durationMilliseconds: number, notice: string): CommandResult => ({
  output: "",
  exitCode: TIMEOUT_EXIT_CODE,
  truncated: false,
  timedOut: true,
  durationMilliseconds,
  notices: [notice],
});
