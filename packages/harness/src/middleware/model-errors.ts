/** Says which model failed, why, and what to do, instead of the client library's own words. */
import { createMiddleware } from "langchain";
import { isBubbleUp } from "../langgraph/bubble-up.js";
import { DeerflowError, type ErrorCode, reasonOf } from "../base/errors.js";

export function modelErrors({ modelName }: { readonly modelName: string }) {
  return createMiddleware({
    name: "model-errors",
    async wrapModelCall(request, next) {
      try {
        return await next(request);
      } catch (error) {
        if (isBubbleUp(error) || DeerflowError.is(error) || request.runtime.signal?.aborted) throw error;
        const { code, reason } = classifyModelError(error);
        throw new DeerflowError(code, { model: modelName, reason }, error);
      }
    },
  });
}

/** HTTP status of a provider's answer to what it means for the user. */
const BY_STATUS: readonly { readonly from: number; readonly to: number; readonly code: ErrorCode }[] = [
  { from: 401, to: 403, code: "model_key_refused" },
  { from: 404, to: 404, code: "model_not_served" },
  { from: 429, to: 429, code: "model_busy" },
  { from: 500, to: 599, code: "model_busy" },
];

/** Codes of the system and of Node's fetch that mean: nobody is there. */
const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|UND_ERR_\w+)$/;

/** Pure. Looks through the causes, because clients wrap what the network said. */
export function classifyModelError(error: unknown): { readonly code: ErrorCode; readonly reason: string } {
  for (const cause of causesOf(error)) {
    const { code, status } = cause as { code?: unknown; status?: unknown };
    if (typeof code === "string" && UNREACHABLE.test(code))
      return { code: "model_unreachable", reason: code };
    const row = BY_STATUS.find(
      ({ from, to }) => typeof status === "number" && status >= from && status <= to,
    );
    if (row !== undefined) return { code: row.code, reason: firstLine(reasonOf(error)) };
  }
  const reason = firstLine(reasonOf(error));
  return { code: /^Connection error\.?$/.test(reason) ? "model_unreachable" : "model_failed", reason };
}

const MOST_CAUSES = 8;

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  let current = error;
  while (current instanceof Error && causes.length < MOST_CAUSES) {
    causes.push(current);
    current = current.cause;
  }
  return causes;
}

/** Without the full stop, because the sentence around it has its own. */
const firstLine = (text: string): string => (text.split("\n")[0] ?? "").trim().replace(/\.$/, "");
