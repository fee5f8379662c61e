/** Runs one program as the head of a process group of its own, and lets nothing of it outlive the call. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { MOST_MILLISECONDS } from "../base/abort.js";
import { killNamespace } from "./kill-namespace.js";
import { killTree } from "./kill-tree.js";
import { OutputGate } from "./output-gate.js";
import type { OutputPipe } from "./output-pipes.js";
import { OutputWindow } from "./output-window.js";
import { PathMask, type PathReplacement } from "./path-mask.js";

/** What the program reads to its end, or a descriptor of this process that it gets and that stays open here. */
export type Feed = Uint8Array | number;

export interface ProcessRequest {
  readonly file: string;
  readonly arguments: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Host user under which the program runs; the caller's own when absent. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Under the program's descriptors 3, 4, … */
  readonly feeds?: readonly Feed[];
  /** An environment variable that marks the program's descendants, where only it can find them. */
  readonly marker?: string;
  /** The program puts all that it starts into a PID namespace, whose first process is its child. */
  readonly hasNamespace?: boolean;
  /** Gives a real pipe for standard output, which is closed in the end; Node's own kind when absent. */
  takePipe?(): Promise<OutputPipe>;
  readonly timeoutMilliseconds: number;
  readonly outputCharacters: number;
  readonly replacements: readonly PathReplacement[];
  readonly signal?: AbortSignal | undefined;
  /** Aborting ends the program like a timeout: what it did until then is the outcome. */
  readonly stop?: AbortSignal | undefined;
  /** A promise holds the program back; when the listener fails the program is ended. */
  onOutput?: ((chunk: string) => void | Promise<void>) | undefined;
}

export interface ProcessOutcome {
  /** Standard output, masked and cut. */
  readonly output: string;
  readonly truncated: boolean;
  /** The first characters of standard error, masked. */
  readonly errorOutput: string;
  /** `undefined` when a signal ended the program. */
  readonly exitCode: number | undefined;
  readonly timedOut: boolean;
  readonly durationMilliseconds: number;
}

/** How long the pipes may stay open after the program has ended and its descendants were killed. */
const DRAIN_MILLISECONDS = 1000;
/** How often that time begins anew while a listener is still busy with what a program printed that was not killed. */
const MAX_DRAINS = 30;
const ERROR_CHARACTERS = 4000;

/**
 * Resolves when the program has ended, failed or not; standard input is empty.
 *
 * @throws the signal's reason when it aborts, the system's error when the program cannot be started, or what the
 * listener threw
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  request.signal?.throwIfAborted();
  const startedAt = performance.now();
  const { child, stdout } = start(request, await request.takePipe?.());
  const kill = () =>
    request.hasNamespace === true ? killNamespace(child) : killTree(child.pid, request.marker);
  const gate = new OutputGate(stdout, request.onOutput, kill);
  const output = collect({ stdout, stderr: child.stderr }, request, gate);

  let timedOut = false;
  let drains = MAX_DRAINS;
  const stop = () => {
    drains = 1;
    kill();
  };
  const timer = setTimeout(
    () => {
      timedOut = true;
      stop();
    },
    Math.min(request.timeoutMilliseconds, MOST_MILLISECONDS),
  );
  const signals = [request.signal, request.stop];
  for (const signal of signals) {
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
  }
  try {
    const exitCode = await ended({ child, stdout }, kill, (done) => gate.isClosed && done < drains);
    request.signal?.throwIfAborted();
    const collected = output();
    await gate.settled(drains * DRAIN_MILLISECONDS);
    return {
      ...collected,
      exitCode,
      timedOut,
      durationMilliseconds: Math.round(performance.now() - startedAt),
    };
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener("abort", stop);
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly stdout: Readable | null;
}

function start(request: ProcessRequest, pipe: OutputPipe | undefined): Started {
  const { feeds = [] } = request;
  // Before the program is started, so that the descriptor is closed however that goes.
  const own = pipe && new Socket({ fd: pipe.reader, readable: true, writable: false });
  try {
    const child = spawn(request.file, request.arguments, {
      env: { ...request.env },
      detached: true,
      stdio: [
        "ignore",
        pipe?.writer ?? "pipe",
        "pipe",
        ...feeds.map((feed) => (typeof feed === "number" ? feed : "pipe")),
      ],
      ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
      ...request.identity,
    });
    feeds.forEach((feed, index) => {
      if (typeof feed === "number") return;
      // Opened as a pipe just above; the type of `stdio` knows only five descriptors.
      const end = child.stdio[index + 3] as Writable | null | undefined;
      // A program that ends early closes its end; its exit says what happened.
      end?.on("error", () => undefined);
      end?.end(feed);
    });
    return { child, stdout: own ?? child.stdout };
  } catch (error) {
    own?.destroy();
    throw error;
  } finally {
    if (pipe !== undefined) closeSync(pipe.writer);
  }
}

/** Starts to collect what the program prints; the returned function gives what came. */
function collect(
  { stdout, stderr }: { readonly stdout: Readable | null; readonly stderr: Readable | null },
  request: ProcessRequest,
  gate: OutputGate,
) {
  const printed = new OutputWindow(request.outputCharacters);
  const complained = new OutputWindow(ERROR_CHARACTERS);
  const mask = new PathMask(request.replacements);
  const errorMask = new PathMask(request.replacements);
  const take = (text: string) => {
    if (text === "") return;
    printed.add(text);
    gate.tell(text);
  };
  stdout?.setEncoding("utf8").on("data", (text: string) => take(mask.add(text)));
  stderr?.setEncoding("utf8").on("data", (text: string) => complained.add(errorMask.add(text)));
  return () => {
    take(mask.end());
    complained.add(errorMask.end());
    return { output: printed.text(), truncated: printed.truncated, errorOutput: complained.text() };
  };
}

/**
 * Resolves with the exit code once the pipes are drained. A descendant in the background may hold them open:
 * it is killed as soon as the program itself has ended, so that it cannot keep the call hanging.
 */
async function ended(
  { child, stdout }: Started,
  kill: () => void,
  isWorthWaiting: (drains: number) => boolean,
): Promise<number | undefined> {
  let drain: NodeJS.Timeout | undefined;
  const closeLater = (drains: number): void => {
    drain = setTimeout(() => {
      if (isWorthWaiting(drains)) return closeLater(drains + 1);
      stdout?.destroy();
      child.stderr?.destroy();
    }, DRAIN_MILLISECONDS);
  };
  child.once("exit", () => {
    kill();
    closeLater(1);
  });
  const drained = stdout === child.stdout ? undefined : closed(stdout);
  try {
    const [code] = await Promise.all([exitOf(child), drained]);
    return code;
  } catch (error) {
    stdout?.destroy();
    throw error;
  } finally {
    clearTimeout(drain);
  }
}

const exitOf = (child: ChildProcess): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });

const closed = (stream: Readable | null): Promise<void> =>
  new Promise((resolve) => {
    stream?.once("close", resolve);
  });
