/** A sandbox of another provider, for tests: deepagents' protocol over a folder that nobody else sees, run by bubblewrap. */
import { execFile, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type {
  ProtocolDownloadResponse,
  ProtocolExecuteResponse,
  ProtocolUploadResponse,
} from "../sandbox/remote/sandbox-protocol.js";

/** Its disk: what commands see as `/mnt` and `/tmp`. */
const FOLDERS = ["mnt", "tmp"] as const;

export class ProtocolStandIn {
  readonly id = "stand-in";
  /** What was asked of it, newest last. */
  readonly uploaded: string[] = [];
  readonly downloaded: string[] = [];
  readonly commands: string[] = [];
  readonly disk = mkdtempSync(join(tmpdir(), "deerflow-remote-"));
  readonly #running = new Set<ChildProcess>();
  isClosed = false;

  constructor() {
    this.#makeDisk();
  }

  execute(command: string): Promise<ProtocolExecuteResponse> {
    this.commands.push(command);
    const binds = FOLDERS.flatMap((name) => ["--bind", join(this.disk, name), `/${name}`]);
    const options = ["--dev-bind", "/", "/", ...binds, "--chdir", "/"];
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    return new Promise((resolve) => {
      const child = execFile(
        "bwrap",
        [...options, "--", "sh", "-c", `{ ${command}\n} 2>&1`],
        { env, maxBuffer: 100_000_000 },
        (error, output) => {
          this.#running.delete(child);
          const code = error === null ? 0 : error.code;
          resolve({ output, exitCode: typeof code === "number" ? code : null, truncated: false });
        },
      );
      this.#running.add(child);
    });
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<ProtocolUploadResponse[]> {
    return files.map(([path, content]) => {
      const place = join(this.disk, path);
      this.uploaded.push(path);
      if (!existsSync(dirname(place))) return { path, error: "file_not_found" };
      writeFileSync(place, content);
      return { path, error: null };
    });
  }

  async downloadFiles(paths: string[]): Promise<ProtocolDownloadResponse[]> {
    return paths.map((path) => {
      this.downloaded.push(path);
      try {
        return { path, content: readFileSync(join(this.disk, path)), error: null };
      } catch {
        return { path, content: null, error: "file_not_found" };
      }
    });
  }

  /** As a machine that was lost and begun anew. */
  loseDisk(): void {
    rmSync(this.disk, { recursive: true });
    this.#makeDisk();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.disk, { recursive: true, force: true });
  }

  #makeDisk(): void {
    for (const name of FOLDERS) mkdirSync(join(this.disk, name), { recursive: true });
  }
}
