/** The files of a sandbox of which nothing but its shell is known: a piece of base64 for every command. */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { shownPath } from "../base/virtual-path.js";
import type { Sandbox, SandboxFiles } from "./contract.js";
import {
  answeredBytes,
  appendScript,
  commitScript,
  PIECE_BYTES,
  prepareScript,
  readScript,
  statScript,
} from "./file-scripts.js";

const SCRIPT_SECONDS = 60;

/** Needs a POSIX shell, base64, head and tail in the sandbox. A write is atomic; a read of a changing file is not. */
export class CommandFiles implements SandboxFiles {
  readonly #execute: Sandbox["execute"];

  constructor(execute: Sandbox["execute"]) {
    this.#execute = execute;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    if (!(await this.#answer(path, statScript(path))).startsWith("f ")) return undefined;
    const pieces: Buffer[] = [];
    for (let size = 0; ; ) {
      const text = await this.#answer(path, readScript(path, size));
      const piece = answeredBytes(text);
      if (piece === undefined) throw failed(path, "its shell has no base64, head, tail or tr");
      pieces.push(piece);
      size += piece.length;
      if (piece.length < PIECE_BYTES) return Buffer.concat(pieces);
    }
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const folder = posix.dirname(path);
    const temporary = posix.join(folder, `.deerflow-${randomBytes(8).toString("hex")}.tmp`);
    await this.#expectOk(path, prepareScript(path, folder, temporary));
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      await this.#expectOk(path, appendScript(temporary, content.subarray(at, at + PIECE_BYTES)));
    }
    await this.#expectOk(path, commitScript({ path, folder, temporary }, undefined));
  }

  async #expectOk(path: string, script: string): Promise<void> {
    const answer = await this.#answer(path, script);
    if (answer === "ok") return;
    if (answer === "isdir" || answer === "notdir" || answer === "denied") {
      const reason =
        answer === "denied" ? "the sandbox does not let it be changed" : "a folder or file is in the way";
      throw new DeerflowError("path_denied", { path: shownPath(path), reason });
    }
    throw failed(path, "its shell gave no answer");
  }

  async #answer(path: string, command: string): Promise<string> {
    const { output, timedOut, truncated } = await this.#execute({ command, timeoutSeconds: SCRIPT_SECONDS });
    if (timedOut || truncated) throw failed(path, timedOut ? "it took too long" : "its answer was cut");
    return output.trim();
  }
}

const failed = (path: string, reason: string): DeerflowError =>
  new DeerflowError("sandbox_failed", {
    provider: "of these files",
    reason: `${shownPath(path)}: ${reason}`,
  });
