/** The three calls of a remote sandbox that are needed, each with a time limit, and its answers checked. */
import { ABORTED, orAborted, withTimeLimit } from "../../base/abort.js";
import { DeerflowError } from "../../base/errors.js";
import { quoted } from "../file-scripts.js";
import type {
  ProtocolDownloadResponse,
  ProtocolExecuteResponse,
  ProtocolUploadResponse,
  SandboxBackendProtocolV2,
} from "./sandbox-protocol.js";

/** What a mirror needs of a provider. */
export type RemoteProtocol = Pick<SandboxBackendProtocolV2, "id" | "execute"> &
  Required<Pick<SandboxBackendProtocolV2, "uploadFiles" | "downloadFiles">>;

/** Seconds that one transfer or script may take. */
const CALL_SECONDS = 120;

/** A provider's own words may hold a path or a key of its host, so they are the cause and no part of the sentence. */
export const remoteFailed = (reason: string, cause?: unknown): DeerflowError =>
  new DeerflowError("sandbox_failed", { provider: "remote", reason }, cause);

export class RemoteCalls {
  readonly #protocol: RemoteProtocol;

  constructor(protocol: RemoteProtocol) {
    this.#protocol = protocol;
  }

  /** Runs a bash script. @throws DeerflowError `sandbox_failed` when it fails or takes too long */
  async script(text: string, args: readonly string[], seconds = CALL_SECONDS): Promise<void> {
    const { exitCode } = await this.execute(bashCall(text, args), seconds);
    if (exitCode !== 0) throw remoteFailed("it could not prepare its folders; it needs bash, find and stat");
  }

  /** The command itself cannot be stopped: only the wait ends. @throws DeerflowError `sandbox_failed` */
  async execute(command: string, seconds: number, signal?: AbortSignal): Promise<ProtocolExecuteResponse> {
    const answer = await limited(seconds, signal, async () => this.#protocol.execute(command));
    if (typeof answer?.output !== "string") throw remoteFailed("its provider gave no result");
    return answer;
  }

  /** The paths that were taken. */
  async upload(files: readonly (readonly [string, Uint8Array])[]): Promise<ReadonlySet<string>> {
    const given = files.map(([path, content]): [string, Uint8Array] => [path, content]);
    const answers = await limited(CALL_SECONDS, undefined, async () => this.#protocol.uploadFiles(given));
    return new Set(
      listOf<ProtocolUploadResponse>(answers).flatMap(({ path, error }) => (error ? [] : [path])),
    );
  }

  /** Contents by path; what could not be read is missing. */
  async download(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const answers = await limited(CALL_SECONDS, undefined, async () =>
      this.#protocol.downloadFiles([...paths]),
    );
    const asked = new Set(paths);
    return new Map(
      listOf<ProtocolDownloadResponse>(answers).flatMap(({ path, content }) =>
        content instanceof Uint8Array && asked.has(path) ? [[path, content]] : [],
      ),
    );
  }
}

/** @throws the signal's reason, or DeerflowError `sandbox_failed` */
async function limited<T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const answer = await withTimeLimit(seconds, signal, (ended) => orAborted(work(), ended)).catch(
    (error: unknown) => {
      throw remoteFailed("its provider failed", error);
    },
  );
  signal?.throwIfAborted();
  if (answer === ABORTED) throw remoteFailed("its provider gave no answer in time");
  return answer;
}

/** Providers in JavaScript may answer with anything. */
const listOf = <T>(answers: unknown): readonly T[] =>
  Array.isArray(answers) ? answers.filter((answer) => typeof answer === "object" && answer !== null) : [];

export const bashCall = (script: string, args: readonly string[]): string =>
  ["bash --noprofile --norc -c", quoted(script), "bash", ...args.map(quoted)].join(" ");
