/** Media in what a client asks of a run: given back where the client named its address, and kept once. */
import type { JsonObject, JsonValue } from "../base/json.js";
import { type FindMedia, withReferences, withStoredMedia } from "./media-references.js";
import type { RunRequest } from "./run-request.js";

/**
 * The request with the media that it names by address; the same request when it names none.
 *
 * @throws DeerflowError `invalid_request` for media of another thread, and for media that the thread does not have
 */
export async function withRequestMedia(
  request: RunRequest,
  threadId: string,
  find: FindMedia,
): Promise<RunRequest> {
  const input = await withStoredMedia(request.input, threadId, find);
  // A command is made of parts of a JSON body.
  const command = (await withStoredMedia(
    request.command as unknown as JsonValue | undefined,
    threadId,
    find,
  )) as unknown as RunRequest["command"];
  return input === request.input && command === request.command ? request : { ...request, input, command };
}

/**
 * What the row of a run should hold of its request. A run that dies before its first checkpoint has its input in its
 * row only; after that the checkpoints have it, and the row refers to their media.
 */
export class RequestMedia {
  readonly #stored: JsonObject;
  readonly #threadId: string;
  #isLight: boolean;
  #light: ReturnType<typeof withReferences> | undefined;

  /** @param stored the request as the row has it */
  constructor(stored: JsonObject, threadId: string) {
    this.#stored = stored;
    this.#threadId = threadId;
    this.#isLight = false;
  }

  /** The request with addresses in place of its media, once, when all of it is stored; otherwise undefined. */
  async lighten(find: FindMedia): Promise<JsonObject | undefined> {
    if (this.#isLight) return undefined;
    this.#light ??= withReferences(this.#stored, this.#threadId);
    for (const hash of this.#light.hashes) {
      if ((await find(hash)) === undefined) return undefined;
    }
    this.#isLight = true;
    return this.#light.hashes.size === 0 ? undefined : this.#light.json;
  }
}
