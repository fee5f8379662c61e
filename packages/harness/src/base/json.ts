/** Plain JSON, as it travels on the wire and lies in the database. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** An object of fields: neither null nor a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same of a value that is known to be JSON. */
export const isJsonObject = (value: JsonValue | undefined): value is JsonObject => isRecord(value);
