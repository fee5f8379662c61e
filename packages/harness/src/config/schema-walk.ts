/** Looks into the schema: which keys a place knows, and what each of them means. */
import { z } from "zod";

/** The schema without defaults, `optional` and preprocessing around it. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return unwrap(schema.def.innerType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return unwrap(schema.def.out);
  return schema;
}

/** The keys that the mapping at `path` may have; none where there is no mapping. */
export function knownKeysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const here = unwrap(schema);
  const [step, ...rest] = path;
  if (here instanceof z.ZodArray && step !== undefined) return knownKeysAt(here.def.element, rest);
  if (!(here instanceof z.ZodObject)) return [];
  if (step === undefined) return Object.keys(here.shape);
  const inner: z.core.$ZodType | undefined = here.shape[String(step)];
  return inner === undefined ? [] : knownKeysAt(inner, rest);
}
