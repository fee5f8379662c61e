/** Reads a model's arguments: strictly by the schema, after mending what models commonly get slightly wrong. */
import type { z } from "zod";
import { DeerflowError } from "../base/errors.js";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Parses arguments. When they do not fit, the misfits alone are mended (a number or a truth value sent as text, a
 * lone value or JSON text for a list, null for nothing) and parsed once more.
 * @param aliases other names for an argument, with its own
 * @throws DeerflowError `arguments_invalid`, naming each argument and what is wrong with it
 */
export function parseArguments<Input extends z.ZodObject>(
  schema: Input,
  given: unknown,
  aliases: Readonly<Record<string, string>>,
): z.output<Input> {
  const named = withOwnNames(given, aliases);
  const first = schema.safeParse(named);
  if (first.success) return first.data;
  const second = schema.safeParse(mended(named, first.error.issues));
  if (second.success) return second.data;
  throw new DeerflowError("arguments_invalid", { reason: reasonsOf(second.error.issues) });
}

/** @throws DeerflowError `arguments_invalid` when one argument is given twice and differently: a gate may have judged the other */
function withOwnNames(given: unknown, aliases: Readonly<Record<string, string>>): Arguments {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  // A map, because a name may be that of a property which every object has.
  const named = new Map<string, { readonly as: string; readonly value: unknown }>();
  for (const [name, value] of Object.entries(given)) {
    const own = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
    const before = named.get(own);
    if (before === undefined || before.value === null || before.value === undefined) {
      named.set(own, { as: name, value });
    } else if (value !== null && value !== undefined && value !== before.value) {
      const reason = `${own} is given twice, as ${before.as} and as ${name}, with different values`;
      throw new DeerflowError("arguments_invalid", { reason });
    }
  }
  // Every model is asked for its reason, but a call without one is run all the same.
  return {
    description: "",
    ...Object.fromEntries([...named].map(([name, { value }]) => [name, value])),
  };
}

function mended(given: Arguments, issues: readonly z.core.$ZodIssue[]): Arguments {
  const result: Record<string, unknown> = { ...given };
  for (const issue of issues) {
    const name = issue.path.length === 1 ? String(issue.path[0]) : undefined;
    if (name === undefined || issue.code !== "invalid_type") continue;
    const value = mendedValue(given[name], issue.expected);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** One row per expected type; what cannot be mended stays as it is. */
const MENDERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  number: numberFrom,
  int: numberFrom,
  boolean: (value) => (value === "true" ? true : value === "false" ? false : value),
  array: (value) => (typeof value === "string" ? listFrom(value) : value),
  string: textFrom,
};

/** What an argument becomes that a tool wants as a text; gates judge the same. */
export function textFrom(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** Null and nothing mean that the argument was left out. */
function mendedValue(value: unknown, expected: string): unknown {
  if (value === null || value === undefined) return undefined;
  return MENDERS[expected]?.(value) ?? value;
}

function numberFrom(value: unknown): unknown {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : value;
}

function listFrom(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [value];
  } catch {
    // Not JSON, so it is a list of one.
    return [value];
  }
}

const reasonsOf = (issues: readonly z.core.$ZodIssue[]): string =>
  issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`).join("; ");
