/** Runs the built `deerflow` command in a folder and home of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMMAND = join(ROOT, "apps/cli/bin/deerflow.js");

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly pid: number;
  /** Resolves with all output so far once `text` occurs in it; rejects when the command ends before. */
  seen(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Stops reading its standard output, as `| head` does. */
  closeOutput(): void;
  readonly ended: Promise<Ended>;
}

/** An installation in a temporary folder: working directory, home and configuration. */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "deerflow-test-"));
  readonly home = join(this.folder, "home");

  configure(yaml: string): void {
    writeFileSync(join(this.folder, "config.yaml"), yaml);
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const child = spawn(process.execPath, [COMMAND, ...args], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"] ?? "", DEER_FLOW_HOME: this.home, NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const text = { out: "", err: "" };
    const watchers = new Set<() => void>();
    const ended = new Promise<Ended>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        text.out += chunk.toString();
        for (const watch of watchers) watch();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        text.err += chunk.toString();
        for (const watch of watchers) watch();
      });
      child.on("close", (code) => resolve({ code, ...text }));
    });
    const seen = (wanted: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if ((text.out + text.err).includes(wanted)) resolve(text.out + text.err);
        };
        watchers.add(watch);
        watch();
        void ended.then(() => reject(new Error(`"${wanted}" was never printed:\n${text.out}${text.err}`)));
      });
    return {
      pid: child.pid ?? 0,
      seen,
      kill: (signal) => void child.kill(signal),
      closeOutput: () => void child.stdout.destroy(),
      ended,
    };
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
