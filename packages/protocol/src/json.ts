/** Plain JSON as a schema, for the parts of a body that only their owner understands. */
import { z } from "zod";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export const jsonValue: z.ZodType<JsonValue> = z.json();
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json());
