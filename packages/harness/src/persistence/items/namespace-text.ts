/** Namespaces of a LangGraph store as one text each: `["users", "anna"]` is `users.anna.`. */
import { type MatchCondition, validateNamespace } from "@langchain/langgraph-checkpoint";
import { DeerflowError } from "../../base/errors.js";

/**
 * LangGraph allows it in no label. It ends each label, so that `["a"]` is no beginning of `["ab"]`, and comes right
 * before {@link AFTER_END} in the order of bytes.
 */
const END = ".";
const AFTER_END = "/";
const WILDCARD = "*";

/** Bytes. Together they stay below what one index row of PostgreSQL (2,704) and MySQL (3,072) can hold. */
export const LONGEST_SCOPE = 255;
export const LONGEST_NAMESPACE = 1_000;
export const LONGEST_KEY = 1_400;

/**
 * @throws InvalidNamespaceError for what is no namespace of LangGraph; the empty one is refused as well
 * @throws DeerflowError `store_name_invalid` for one that is too long
 */
export function namespaceToText(namespace: readonly string[]): string {
  // Its parameter is not readonly, though nothing is changed.
  validateNamespace(namespace as string[], { allowReservedRoot: true });
  return checkedName("namespace", textOf(namespace), LONGEST_NAMESPACE);
}

export const namespaceFromText = (text: string): string[] => text.slice(0, -END.length).split(END);

/** @throws DeerflowError `store_name_invalid` */
export const checkedKey = (key: string): string => checkedName("key", key, LONGEST_KEY);

/** @throws DeerflowError `store_name_invalid` */
export function checkedScope(scope: string): string {
  if (scope === "") throw invalid("scope", "it is empty");
  return checkedName("scope", scope, LONGEST_SCOPE);
}

const textOf = (labels: readonly string[]): string => labels.map((label) => `${label}${END}`).join("");

const invalid = (what: string, reason: string): DeerflowError =>
  new DeerflowError("store_name_invalid", { what, reason });

function checkedName(what: string, text: string, longest: number): string {
  if (typeof text !== "string") throw invalid(what, `it is of type ${typeof text}`);
  if (text.includes("\0")) throw invalid(what, "it contains a NUL character");
  const bytes = Buffer.from(text);
  // Half a surrogate pair has no bytes of its own: two such names would be one.
  if (bytes.toString() !== text) throw invalid(what, "it is not well-formed Unicode");
  if (bytes.length > longest) throw invalid(what, `it has ${bytes.length} bytes, and ${longest} are allowed`);
  return text;
}

/** Texts from `from` on and before `before`. */
export interface TextRange {
  readonly from: string;
  readonly before: string;
}

/**
 * The namespaces that begin with these labels, themselves included; undefined for all there are.
 *
 * @throws InvalidNamespaceError
 * @throws DeerflowError `store_name_invalid`
 */
export function rangeOf(prefix: readonly string[]): TextRange | undefined {
  if (prefix.length === 0) return undefined;
  const from = namespaceToText(prefix);
  return { from, before: `${from.slice(0, -END.length)}${AFTER_END}` };
}

/** Before every namespace that comes after this one, in the order of bytes: a label is not empty and has no NUL. */
export const textAfter = (namespace: string): string => `${namespace}\u0001`;

/** The labels that every match begins with: what the prefixes say before their first wildcard. */
export function commonPrefix(conditions: readonly MatchCondition[]): readonly string[] {
  const prefixes = conditions.filter(({ matchType }) => matchType === "prefix").map(({ path }) => path);
  const known = prefixes.map((path) =>
    path.includes(WILDCARD) ? path.slice(0, path.indexOf(WILDCARD)) : path,
  );
  return known.reduce((longest, path) => (path.length > longest.length ? path : longest), []);
}

/** Every label of each condition is the namespace's own at that place, or a wildcard. */
export const matchesConditions = (
  namespace: readonly string[],
  conditions: readonly MatchCondition[],
): boolean =>
  conditions.every(({ matchType, path }) => {
    const start = matchType === "prefix" ? 0 : namespace.length - path.length;
    if (path.length > namespace.length) return false;
    return path.every((label, index) => label === WILDCARD || label === namespace[start + index]);
  });

/**
 * Checks what a list of namespaces is to match.
 *
 * @throws InvalidNamespaceError
 * @throws DeerflowError `store_query_invalid`
 */
export function assertConditions(conditions: readonly MatchCondition[]): void {
  for (const { matchType, path } of conditions) {
    if (matchType !== "prefix" && matchType !== "suffix") {
      const reason = `a namespace is matched by prefix or suffix, not by ${String(matchType)}`;
      throw new DeerflowError("store_query_invalid", { reason });
    }
    validateNamespace(path, { allowEmpty: true, allowReservedRoot: true });
  }
}
