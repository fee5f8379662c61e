/** Filters of a store's search: checked once, then decided here for every database alike. */
import { isDeepStrictEqual } from "node:util";
import { DeerflowError } from "../../base/errors.js";
import { isRecord, type JsonObject, type JsonValue } from "../../base/json.js";

/** What one field of a value must be. */
export interface FieldCondition {
  matches(value: JsonObject): boolean;
  /**
   * One of these is in the JSON text of every value that matches, so that a database can leave others out;
   * undefined where nothing can be said. A text that contains one need not match.
   */
  readonly texts: readonly string[] | undefined;
}

/** What is stored in the field; undefined where the field is absent. */
type Stored = JsonValue | undefined;

interface Operator {
  /** @returns what is wrong with the operand */
  refuses(operand: unknown): string | undefined;
  decides(stored: Stored, operand: unknown): boolean;
  texts(field: string, operand: unknown): readonly string[] | undefined;
}

/** Whole values are compared with each other; undefined equals an absent field. */
function isSame(stored: Stored, operand: unknown): boolean {
  if (typeof operand !== "object" || operand === null) return stored === operand;
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(operand)));
}

const presence = (field: string): string => `${JSON.stringify(field)}:`;

/** Keys of an object may come in any order, so that only its presence is known. */
function equalText(field: string, operand: unknown): string | undefined {
  if (operand === undefined) return undefined;
  const isScalar = typeof operand !== "object" || operand === null;
  return isScalar ? `${presence(field)}${JSON.stringify(operand)}` : presence(field);
}

function whyNoJson(operand: unknown): string | undefined {
  if (operand === undefined) return undefined;
  try {
    if (JSON.stringify(operand) !== undefined) return undefined;
  } catch {
    // A cycle, or a number that JSON does not know: the answer below says it.
  }
  return `a value of type ${typeof operand} is no JSON`;
}

const equality = (wanted: boolean): Operator => ({
  refuses: whyNoJson,
  decides: (stored, operand) => isSame(stored, operand) === wanted,
  texts(field, operand) {
    const text = equalText(field, operand);
    return wanted && text !== undefined ? [text] : undefined;
  },
});

const membership = (wanted: boolean): Operator => ({
  refuses: (operands) =>
    Array.isArray(operands)
      ? operands.map(whyNoJson).find((reason) => reason !== undefined)
      : "it needs a list",
  // `refuses` let only lists pass.
  decides: (stored, operands) =>
    (operands as unknown[]).some((operand) => isSame(stored, operand)) === wanted,
  texts(field, operands) {
    const texts = (operands as unknown[]).map((operand) => equalText(field, operand));
    return wanted && texts.every((text) => text !== undefined) ? texts : undefined;
  },
});

/** Both sides are taken as numbers, so that text is compared by the number that it spells. */
const comparison = (holds: (stored: number, operand: number) => boolean): Operator => ({
  refuses(operand) {
    const isNumber =
      (typeof operand === "number" || typeof operand === "string") && !Number.isNaN(Number(operand));
    return isNumber ? undefined : "it compares with a number";
  },
  decides: (stored, operand) => holds(Number(stored), Number(operand)),
  texts: (field) => [presence(field)],
});

/** As LangGraph's own stores take them. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["$eq", equality(true)],
  ["$ne", equality(false)],
  ["$gt", comparison((stored, operand) => stored > operand)],
  ["$gte", comparison((stored, operand) => stored >= operand)],
  ["$lt", comparison((stored, operand) => stored < operand)],
  ["$lte", comparison((stored, operand) => stored <= operand)],
  ["$in", membership(true)],
  ["$nin", membership(false)],
]);

const refusal = (place: string, reason: string): DeerflowError =>
  new DeerflowError("store_query_invalid", { reason: `the filter ${place} cannot be applied: ${reason}` });

function toCondition(field: string, name: string, operand: unknown): FieldCondition {
  const place = `${JSON.stringify(field)} ${name}`;
  const operator = OPERATORS.get(name);
  if (operator === undefined) throw refusal(place, `the operators are ${[...OPERATORS.keys()].join(", ")}`);
  const reason = operator.refuses(operand);
  if (reason !== undefined) throw refusal(place, reason);
  return {
    matches: (value) => operator.decides(Object.hasOwn(value, field) ? value[field] : undefined, operand),
    texts: operator.texts(field, operand),
  };
}

/** A value, or an object of operators; one that mixes both is a mistake that would find nothing. */
const isOperators = (wanted: unknown): wanted is Readonly<Record<string, unknown>> =>
  isRecord(wanted) && Object.keys(wanted).some((key) => key.startsWith("$"));

/**
 * Every condition of a filter: fields of the top level with the value that they must have, or with operators.
 *
 * @throws DeerflowError `store_query_invalid` for what cannot be applied
 */
export function conditionsOf(filter: unknown): readonly FieldCondition[] {
  if (filter === undefined || filter === null) return [];
  if (!isRecord(filter)) throw refusal("", "it must be an object of fields");
  return Object.entries(filter).flatMap(([field, wanted]) =>
    isOperators(wanted)
      ? Object.entries(wanted).map(([name, operand]) => toCondition(field, name, operand))
      : [toCondition(field, "$eq", wanted)],
  );
}

/** More would make a statement too deep for SQLite; what is left out is decided here all the same. */
const MOST_TEXTS = 100;

/** For each group one of its texts must be there. */
export function textsOf(conditions: readonly FieldCondition[]): readonly (readonly string[])[] {
  let room = MOST_TEXTS;
  return conditions.flatMap(({ texts }) => {
    if (texts === undefined || texts.length > room) return [];
    room -= texts.length;
    return [texts];
  });
}
