/** How talking to the gateway fails, in words for a person. */
import { isRecord, parseJson, textOf } from "./json.js";

/** `offline`: no answer came. `refused`: the gateway answered with an error status. `broken`: the answer made no sense. */
export type GatewayErrorKind = "offline" | "refused" | "broken";

export class GatewayError extends Error {
  constructor(
    readonly kind: GatewayErrorKind,
    /** The sentence to show. */
    message: string,
    /** HTTP status of the answer; 0 when there was none. */
    readonly status: number = 0,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "GatewayError";
  }
}

/** Finds the sentence in an error body: `{detail}` as text, as `{message}`, or as a list of `{msg}`. */
export function sentenceOf(body: string, status: number): string {
  const parsed = parseJson(body);
  const detail = isRecord(parsed) ? (parsed["detail"] ?? parsed["message"] ?? parsed["error"]) : undefined;
  if (typeof detail === "string" && detail !== "") return detail;
  if (isRecord(detail) && typeof detail["message"] === "string") return detail["message"];
  if (Array.isArray(detail)) {
    const parts = detail.flatMap((part) => (isRecord(part) ? [textOf(part["msg"]) ?? ""] : []));
    const text = parts.filter((part) => part !== "").join("; ");
    if (text !== "") return text;
  }
  return `The gateway answered with status ${status}.`;
}

/** The error of an answer that is not a success. */
export const refusalOf = async (response: Response): Promise<GatewayError> =>
  new GatewayError("refused", sentenceOf(await response.text(), response.status), response.status);

/** The sentence of whatever was thrown. */
export const sentenceFor = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
