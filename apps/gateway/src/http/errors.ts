/** The border: whatever a route throws becomes `{detail, code}` with the right status, and never a stack. */
import { DeerflowError, type Logger, reasonOf } from "@deerflow/harness";
import { type ErrorBody, quotaNumbers } from "@deerflow/protocol";
import type { Context, ErrorHandler, NotFoundHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ZodError } from "zod";
import type { GatewayVariables } from "../deps.js";

interface Answer {
  readonly status: number;
  readonly body: ErrorBody;
}

/** What a client is told of a failure. Pure. */
export function answerOf(error: unknown, requestId: string): Answer {
  if (DeerflowError.is(error) && error.status < 500) {
    return { status: error.status, body: { detail: error.sentence, code: error.code, ...quotaOf(error) } };
  }
  if (error instanceof ZodError) {
    return {
      status: 422,
      body: { detail: `The request is not valid: ${problemOf(error)}.`, code: "invalid_request" },
    };
  }
  if (error instanceof HTTPException) {
    return { status: error.status, body: { detail: error.message, code: "invalid_request" } };
  }
  const known = DeerflowError.is(error);
  return {
    status: 500,
    body: {
      detail: known ? error.sentence : "Something failed inside DeerFlow; the server's log says more.",
      code: known ? error.code : "internal",
      request_id: requestId,
    },
  };
}

/** The numbers of a quota, for a program; nothing for any other error. */
function quotaOf({ code, details }: DeerflowError): Pick<ErrorBody, "quota"> {
  if (code !== "quota_exceeded") return {};
  const { scope, used, bytes, limit } = details;
  return { quota: quotaNumbers.parse({ scope, used, would_be: bytes, limit }) };
}

function problemOf(error: ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "it does not have the right shape";
  const where = issue.path.join(".");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

export const onError =
  (logger: Logger): ErrorHandler<GatewayVariables> =>
  (error, context) => {
    const requestId = context.get("requestId") ?? "";
    const { status, body } = answerOf(error, requestId);
    if (status >= 500) {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error("A request failed.", {
        requestId,
        method: context.req.method,
        path: context.req.path,
        reason: reasonOf(error),
        stack,
      });
    }
    return answer(context, status, body);
  };

export const onNotFound: NotFoundHandler<GatewayVariables> = (context) => {
  const missing = new DeerflowError("route_missing", { method: context.req.method, path: context.req.path });
  return answer(context, missing.status, { detail: missing.sentence, code: missing.code });
};

const answer = (context: Context<GatewayVariables>, status: number, body: ErrorBody): Response =>
  context.json(body, status as ContentfulStatusCode); // every status of the catalogue may have a body
