/** Reads the beginning of a JSON object while the rest is still on its way. */
import { isRecord, type JsonRecord, parseJson } from "./json.js";

/** Where a scan of unfinished JSON stands: the brackets still open, and whether it is inside a string. */
interface Scan {
  readonly open: readonly string[];
  readonly inString: boolean;
}

function scan(text: string): Scan {
  const open: string[] = [];
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString && character === "\\") index += 1;
    else if (character === '"') inString = !inString;
    else if (!inString && character === "{") open.push("}");
    else if (!inString && character === "[") open.push("]");
    else if (!inString && (character === "}" || character === "]")) open.pop();
  }
  return { open, inString };
}

/** An escape that was cut off cannot be completed, so it is dropped. */
const withoutCutEscape = (text: string): string =>
  text.replace(/\\u[0-9a-fA-F]{0,3}$/, "").replace(/(?<!\\)((?:\\\\)*)\\$/, "$1");

/**
 * The fields of a JSON object that have arrived so far; a string value may be cut short.
 *
 * @example parsePartialObject('{"path":"/mnt/a.md","content":"# Rep') // { path: "/mnt/a.md", content: "# Rep" }
 */
export function parsePartialObject(text: string): JsonRecord {
  const whole = parseJson(text);
  if (whole !== undefined) return isRecord(whole) ? whole : {};
  const { open, inString } = scan(text);
  const closing = open.toReversed().join("");
  const candidates = inString
    ? [`${withoutCutEscape(text)}"${closing}`, `${text}":null${closing}`]
    : [`${text}${closing}`, `${text.replace(/,\s*$/, "")}${closing}`, `${text}null${closing}`];
  candidates.push(`${text.replace(/,\s*"[^"]*"?\s*:?\s*[^",{}[\]]*$/, "")}${closing}`);
  for (const candidate of candidates) {
    const value = parseJson(candidate);
    if (isRecord(value)) return value;
  }
  return {};
}
