/** Reading values that came over the wire: nothing is believed before it was looked at. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as a record; an empty one when it is anything else. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** The value as a list; an empty one when it is anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value as text; undefined when it is no string. */
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The value as a finite number; undefined when it is anything else. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Parses JSON; undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown; // JSON.parse is typed `any`
  } catch {
    return undefined;
  }
}

/** Deep equality of two JSON values. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => key in right && sameJson(left[key], right[key]))
  );
}
