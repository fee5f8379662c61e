/**
 * Speaks to an AIO sandbox (github.com/agent-infra/sandbox, 1.9.3 or newer) over HTTP, by its published description.
 * UNTESTED AGAINST A REAL ONE.
 */
import { z } from "zod";
import { ABORTED, orAborted } from "../../base/abort.js";
import { DeerflowError } from "../../base/errors.js";
import type {
  ProtocolDownloadResponse,
  ProtocolExecuteResponse,
  ProtocolUploadResponse,
} from "../remote/sandbox-protocol.js";

const KEY_HEADER = "X-AIO-API-Key";
/** Seconds that one request waits for new output. */
const WAIT_SECONDS = 10;
const ANSWER_SECONDS = 30;
const FILE_BYTES = 100 * 1024 * 1024;

const started = z.object({ data: z.object({ session_id: z.string(), command_id: z.string() }) });
const printed = z.object({
  data: z.object({
    stdout: z.string().default(""),
    offset: z.number().default(0),
    stderr_offset: z.number().default(0),
    command: z.object({ status: z.string(), exit_code: z.number().nullish() }).nullish(),
  }),
});

/** Of a command that is not over. */
const GOING = ["pending", "running"];

export interface AioCommand {
  readonly command: string;
  /** Not in the command line, and gone after it. */
  readonly env: Readonly<Record<string, string>>;
  /** The server kills it then. */
  readonly hardSeconds: number;
  readonly signal?: AbortSignal;
  onOutput?(chunk: string): void | Promise<void>;
}

export const aioFailed = (reason: string, cause?: unknown): DeerflowError =>
  new DeerflowError("sandbox_failed", { provider: "docker", reason }, cause);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Where an AIO sandbox may be spoken to: anybody who reaches one without a key runs commands in it.
 * @throws Error with a whole sentence
 */
export function assertAddress(baseUrl: string, apiKey: string | undefined): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error("sandbox.docker.base_url is no HTTP address.");
  if (apiKey === undefined && !LOOPBACK.test(hostname)) {
    throw new Error("sandbox.docker.base_url is not on this machine, so sandbox.docker.api_key is needed.");
  }
}

/** Also what a mirror needs of a sandbox. */
export class AioClient {
  readonly id = "aio";
  readonly #base: string;
  readonly #key: string | undefined;

  /** @throws Error for an address without a key that is not on this machine */
  constructor(baseUrl: string, apiKey: string | undefined) {
    assertAddress(baseUrl, apiKey);
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#key = apiKey;
  }

  /** Whether it answers. @param withKey false to see whether it answers strangers too */
  async answers(withKey = true): Promise<boolean> {
    const response = await this.#fetch("/v1/sandbox", {}, { withKey }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok === true;
  }

  /**
   * Runs a command to its end; its output is told as it comes.
   * @returns undefined when it was killed
   * @throws DeerflowError `sandbox_failed`, or the signal's reason
   */
  async run({ command, env, hardSeconds, signal, onOutput }: AioCommand): Promise<number | undefined> {
    const body = { command, env, async_mode: true, hard_timeout: hardSeconds };
    const { data: session } = started.parse(await this.#post("/v1/bash/exec", body));
    const { session_id, command_id } = session;
    let at = { offset: 0, stderr_offset: 0 };
    try {
      for (;;) {
        signal?.throwIfAborted();
        const asked = { session_id, command_id, ...at, wait: true, wait_timeout: WAIT_SECONDS };
        const answer = await orAborted(
          this.#post("/v1/bash/output", asked),
          signal ?? new AbortController().signal,
        );
        if (answer === ABORTED) throw signal?.reason;
        const { stdout, offset, stderr_offset, command: state } = printed.parse(answer).data;
        if (stdout !== "") await onOutput?.(stdout);
        const isRead = offset === at.offset && stderr_offset === at.stderr_offset;
        at = { offset, stderr_offset };
        if (state === null || state === undefined) throw aioFailed("it forgot the command");
        if (isRead && !GOING.includes(state.status)) return state.exit_code ?? undefined;
      }
    } finally {
      // The session is this command's own; what is left in it goes too.
      await this.#post("/v1/bash/kill", { session_id, signal: "SIGKILL" }).catch(() => undefined);
      await this.#post(`/v1/bash/sessions/${encodeURIComponent(session_id)}/close`, {}).catch(
        () => undefined,
      );
    }
  }

  async execute(command: string): Promise<ProtocolExecuteResponse> {
    let output = "";
    const exitCode = await this.run({
      command: `{ ${command}\n} 2>&1`,
      env: {},
      hardSeconds: 3600,
      onOutput: (chunk) => {
        output += chunk;
      },
    });
    return { output, exitCode: exitCode ?? null, truncated: false };
  }

  async uploadFiles(files: [string, Uint8Array][]): Promise<ProtocolUploadResponse[]> {
    const answers: ProtocolUploadResponse[] = [];
    for (const [file, content] of files) {
      const body = { file, content: Buffer.from(content).toString("base64"), encoding: "base64" };
      const error = await this.#post("/v1/file/write", body).then(
        () => null,
        () => "permission_denied" as const,
      );
      answers.push({ path: file, error });
    }
    return answers;
  }

  async downloadFiles(paths: string[]): Promise<ProtocolDownloadResponse[]> {
    const answers: ProtocolDownloadResponse[] = [];
    for (const path of paths) {
      const response = await this.#fetch(`/v1/file/download?path=${encodeURIComponent(path)}`, {}).catch(
        () => undefined,
      );
      const content = response?.ok === true ? await bytesOf(response, FILE_BYTES) : undefined;
      answers.push(
        content === undefined
          ? { path, content: null, error: "file_not_found" }
          : { path, content, error: null },
      );
    }
    return answers;
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await this.#fetch(path, init).catch((error: unknown) => {
      throw aioFailed("its server does not answer", error);
    });
    if (response.status === 404 && path.startsWith("/v1/bash/exec")) {
      throw aioFailed("its image is too old: it needs agent-infra's sandbox 1.9.3 or newer");
    }
    if (!response.ok) throw aioFailed(`its server answers with ${response.status}`);
    return response.json().catch((error: unknown) => {
      throw aioFailed("its server answers with something else than JSON", error);
    });
  }

  #fetch(path: string, init: RequestInit, { withKey = true } = {}): Promise<Response> {
    const headers = {
      ...init.headers,
      ...(withKey && this.#key !== undefined ? { [KEY_HEADER]: this.#key } : {}),
    };
    // A redirect would take the key elsewhere.
    const signal = AbortSignal.timeout(ANSWER_SECONDS * 1000);
    return fetch(`${this.#base}${path}`, { ...init, headers, redirect: "error", signal });
  }
}

/** Undefined when there is more. */
async function bytesOf(response: Response, most: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Node's bodies can be iterated; the type of a browser's, which tests are checked with too, does not say so.
  const body = response.body as AsyncIterable<Uint8Array> | null;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
