/**
 * Keeps foreign web pages away from a server that can run commands: the host name must be one of ours (a page
 * cannot reach us under a name that it controls), and a page of another origin may not change anything.
 */
import { DeerflowError } from "@deerflow/harness";
import type { MiddlewareHandler } from "hono";
import type { AccessRules, GatewayVariables } from "../deps.js";

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const BODY_TYPES: ReadonlySet<string> = new Set(["application/json", "multipart/form-data"]);

/** The name in a Host header, without the port; undefined when it is none. */
export function hostName(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}

/** Whether the server answers to this Host header. */
export function isAllowedHost(host: string, { hosts = [] }: AccessRules): boolean {
  const name = hostName(host);
  return name !== undefined && (LOOPBACK.has(name) || hosts.includes("*") || hosts.includes(name));
}

/** Whether pages of `origin` may use the server that is reached as `host`. */
export function isAllowedOrigin(origin: string, host: string, { origins = [] }: AccessRules): boolean {
  if (origins.includes("*") || origins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host || LOOPBACK.has(url.hostname);
}

/** The media type of a Content-Type header, in lower case and without parameters. */
const mediaType = (header: string): string => (header.split(";")[0] ?? "").trim().toLowerCase();

export const browserGuard = (rules: AccessRules): MiddlewareHandler<GatewayVariables> =>
  async function browserGuard(context, next) {
    const host = context.req.header("host") ?? new URL(context.req.url).host;
    if (!isAllowedHost(host, rules)) throw new DeerflowError("host_denied", { host });
    if (!SAFE_METHODS.has(context.req.method)) {
      const origin = context.req.header("origin");
      if (origin !== undefined && !isAllowedOrigin(origin, host, rules)) {
        throw new DeerflowError("origin_denied", { origin });
      }
      // A form or a text body could be sent without asking us first; JSON from a foreign page cannot.
      const type = context.req.header("content-type");
      if (type !== undefined && !BODY_TYPES.has(mediaType(type))) {
        throw new DeerflowError("media_type_unsupported", { type: mediaType(type) });
      }
    }
    await next();
  };
