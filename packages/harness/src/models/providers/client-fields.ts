/** Sorts pass-through settings into those that a client takes itself and those that go into the request. */

interface ClientField {
  /** As DeerFlow's files spell it. */
  readonly key: string;
  /** As the JavaScript client spells it; `undefined` drops the setting. */
  readonly field: string | undefined;
  readonly because: string;
  readonly convert?: (value: unknown) => unknown;
}

/** How often a client tries again by itself; the libraries' own six take minutes to say that nobody is there. */
export const DEFAULT_RETRIES = 2;

const milliseconds = (seconds: unknown): unknown => (typeof seconds === "number" ? seconds * 1000 : seconds);

export const CLIENT_FIELDS: readonly ClientField[] = [
  { key: "temperature", field: "temperature", because: "The clients check it." },
  { key: "max_tokens", field: "maxTokens", because: "Its name on the wire depends on the model." },
  { key: "top_p", field: "topP", because: "Spelled differently." },
  { key: "max_retries", field: "maxRetries", because: "The client retries." },
  { key: "timeout", field: "timeout", because: "Seconds here, milliseconds there.", convert: milliseconds },
  { key: "request_timeout", field: "timeout", because: "DeerFlow's other spelling.", convert: milliseconds },
  { key: "use_responses_api", field: "useResponsesApi", because: "Chooses the API." },
  { key: "pricing", field: undefined, because: "For display only." },
  { key: "output_version", field: undefined, because: "A format of the Python client." },
  { key: "stream_chunk_timeout", field: undefined, because: "A guard of the Python client." },
];

export interface SortedParameters {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Everything else, as it goes over the wire; `extra_body` is merged in. */
  readonly wire: Readonly<Record<string, unknown>>;
}

export function sortParameters(parameters: Readonly<Record<string, unknown>>): SortedParameters {
  const rows = new Map(CLIENT_FIELDS.map((row) => [row.key, row]));
  const fields: Record<string, unknown> = {};
  const wire: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(parameters)) {
    const row = rows.get(key);
    if (key === "extra_body") Object.assign(wire, value);
    else if (row === undefined) wire[key] = value;
    else if (row.field !== undefined) fields[row.field] = row.convert?.(value) ?? value;
  }
  return { fields, wire };
}
