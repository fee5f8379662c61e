/** What plain JavaScript may give in place of options and of backends, refused when an agent is built. */
import { DeerflowError } from "../base/errors.js";

const VERBS = ["list", "stat", "read", "write", "remove"] as const;

/** The option `name` of the file tools is refused for `reason`. */
export const optionInvalid = (option: string, reason: string): DeerflowError =>
  new DeerflowError("filesystem_options_invalid", { option, reason });

/**
 * A number that means something only above zero.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function aboveZero(option: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw optionInvalid(option, "it must be more than 0");
}

/**
 * Whether `given` is an object with options in it.
 * @param needed the option that cannot be left out
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function assertOptions(given: unknown, needed: string): void {
  if (typeof given !== "object" || given === null) {
    throw optionInvalid(needed, `it is missing; give an object with ${needed} in it`);
  }
  if (!(needed in given)) throw optionInvalid(needed, "it is missing");
}

/**
 * Whether `given` has the five verbs of a backend.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function assertBackend(option: string, given: unknown): void {
  assertMethods(option, given, VERBS);
}

/**
 * Whether `given` is an object with these methods.
 * @throws DeerflowError `filesystem_options_invalid`
 */
export function assertMethods(option: string, given: unknown, methods: readonly string[]): void {
  if (given === undefined) throw optionInvalid(option, "it is missing");
  if (typeof given === "function") throw optionInvalid(option, "it is a function; give what it makes");
  if (typeof given !== "object" || given === null) throw optionInvalid(option, "it is not an object");
  const missing = methods.find((method) => typeof Reflect.get(given, method) !== "function");
  if (missing === undefined) return;
  const isProtocol = "uploadFiles" in given && methods === VERBS;
  const hint = isProtocol ? "; wrap it in fromSandboxBackendProtocolV2" : "";
  throw optionInvalid(option, `it has no ${missing}${hint}`);
}
