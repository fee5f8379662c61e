/** Reads request bodies and queries. */
import { DeerflowError } from "@deerflow/harness";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";

/** Pictures travel inside JSON in some clients, so this is generous. */
const JSON_BODY_LIMIT = 64 * 1024 * 1024;

/** Lists and objects inside each other; what we send ourselves is never deeper. */
const MAX_DEPTH = 100;

/** The JSON body; an empty one is `{}`. @throws DeerflowError `invalid_request` */
export async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text.trim() === "") return {};
  const body = parse(text);
  if (isDeeper(body, MAX_DEPTH)) {
    throw new DeerflowError("invalid_request", {
      reason: `the body is nested deeper than ${MAX_DEPTH} levels`,
    });
  }
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DeerflowError("invalid_request", { reason: "the body is not JSON" }, error);
  }
}

/** Level by level instead of recursively: the stack would not hold what this looks for. */
export function isDeeper(json: unknown, levels: number): boolean {
  let level = [json];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.filter((item) => typeof item === "object" && item !== null).flatMap(Object.values);
    if (level.length === 0) return false;
  }
  return true;
}

/** The multipart body. @throws DeerflowError `invalid_request` for a body that is none */
export async function readForm(context: Context): Promise<FormData> {
  try {
    return await context.req.formData();
  } catch (error) {
    const reason = "the body is not multipart/form-data with a boundary";
    throw new DeerflowError("invalid_request", { reason }, error);
  }
}

/** The JSON body in the shape of `schema`. @throws ZodError, DeerflowError `invalid_request` */
export const readBody = async <S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> =>
  schema.parse(await readJson(context));

/** `1` and `true` are yes; anything else, or nothing, is no. */
export const flag = (value: string | undefined): boolean => value === "1" || value === "true";

/** A whole number within bounds from a query; `fallback` when it is absent or no number. */
export function count(
  value: string | undefined,
  bounds: { fallback: number; minimum: number; maximum: number },
): number {
  const number = value === undefined || value === "" ? Number.NaN : Math.floor(Number(value));
  return Number.isFinite(number)
    ? Math.min(Math.max(number, bounds.minimum), bounds.maximum)
    : bounds.fallback;
}

/** Refuses larger bodies before they are read. */
export const limitBody = (limit: number = JSON_BODY_LIMIT) =>
  bodyLimit({
    maxSize: limit,
    onError: () => {
      throw new DeerflowError("request_too_large", { limit });
    },
  });
