/** The building stones of the schema: sections with defaults, and scalars that also come from the environment. */
import { z } from "zod";

/** Environment variables are text, so `port: $PORT` must still be a number. */
const numberFromText = (value: unknown): unknown =>
  typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;

const flagFromText = (value: unknown): unknown => {
  if (value === "true") return true;
  return value === "false" ? false : value;
};

export const integer = (rule: { readonly min: number; readonly max?: number; readonly fallback: number }) =>
  z
    .preprocess(
      numberFromText,
      z
        .int()
        .min(rule.min)
        .max(rule.max ?? Number.MAX_SAFE_INTEGER),
    )
    .default(rule.fallback);

export const flag = (fallback: boolean) => z.preprocess(flagFromText, z.boolean()).default(fallback);

/** A mapping whose keys are all known and all have defaults, so that the whole section may be absent. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const object = z.strictObject(shape);
  // The empty mapping is a valid input, because every key of a section has a default.
  return object.prefault({} as z.input<typeof object>);
};
