/** Makes a configuration fit to be printed: keys, tokens, passwords and request headers never leave. */

const SECRET_NAME = /key|token|secret|passw|credential|authorization|cookie|headers|dsn/i;
/** Names that match the rule above and hold no secret. */
const HARMLESS_NAME = /^(?:max_|min_)?(?:\w+_)?tokens$|^token_/i;
/** Up to the last @: a password that should have been encoded may hold one, and a slash. */
const URL_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^:/@\s]*):\S*@/i;
const QUERY_SECRET = /([?&][^=&#]*(?:password|passwd|secret|token|key)[^=&#]*=)[^&#\s]*/gi;
const REDACTED = "***";

/**
 * A copy without secrets: values under telling names become `***`, and so do passwords in addresses.
 * @example redactConfig({ api_key: "sk-1", url: "postgres://anna:pw@db/x" })
 *   // { api_key: "***", url: "postgres://anna:***@db/x" }
 */
export function redactConfig(value: unknown): unknown {
  if (typeof value === "string") return redactAddress(value);
  if (Array.isArray(value)) return value.map(redactConfig);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactEntry(key, inner)]));
}

/** An address without its password, in front of the host or among the parameters; any other text as it is. */
export const redactAddress = (text: string): string => {
  const masked = text.replace(URL_PASSWORD, `$1:${REDACTED}@`);
  return masked.includes("://") ? masked.replace(QUERY_SECRET, `$1${REDACTED}`) : masked;
};

function redactEntry(key: string, value: unknown): unknown {
  const secret = SECRET_NAME.test(key) && !HARMLESS_NAME.test(key);
  return secret && value !== null && value !== undefined ? REDACTED : redactConfig(value);
}
