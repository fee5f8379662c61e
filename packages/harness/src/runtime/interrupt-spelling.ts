/** Approval requests and answers in both spellings: clients disagree whether these keys are snake or camel case. */
import type { JsonObject, JsonValue } from "../base/json.js";

const PAIRS: readonly (readonly [snake: string, camel: string])[] = [
  ["action_requests", "actionRequests"],
  ["review_configs", "reviewConfigs"],
  ["action_name", "actionName"],
  ["allowed_decisions", "allowedDecisions"],
  ["edited_action", "editedAction"],
];

/** Lists whose items are spelled both ways, too. Arguments of the calls themselves are never touched. */
const DESCEND: ReadonlySet<string> = new Set(["review_configs", "reviewConfigs", "decisions"]);

/** Adds the other spelling of each known key of an approval request or answer; anything else stays as it is. */
export function bothSpellings(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const doubled: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    doubled[key] = DESCEND.has(key) && Array.isArray(item) ? item.map(bothSpellings) : item;
  }
  for (const [snake, camel] of PAIRS) {
    const present = doubled[snake] ?? doubled[camel];
    if (present === undefined) continue;
    doubled[snake] ??= present;
    doubled[camel] ??= present;
  }
  return doubled;
}
