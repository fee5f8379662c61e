/** Replaces `$NAME` values of a parsed `config.yaml` by the environment. */
import { DeerflowError } from "../base/errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /^\$([A-Za-z_][A-Za-z0-9_]*)$/;

/**
 * A copy in which every text that is `$NAME` and nothing else is the variable's value.
 * @throws DeerflowError `config_variable_missing`, naming the key and the variable
 */
export function resolveEnvironment(value: unknown, env: Environment, path = ""): unknown {
  if (typeof value === "string") return resolveText(value, env, path);
  if (Array.isArray(value))
    return value.map((item, index) => resolveEnvironment(item, env, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      resolveEnvironment(inner, env, path === "" ? key : `${path}.${key}`),
    ]),
  );
}

function resolveText(text: string, env: Environment, path: string): string {
  const variable = REFERENCE.exec(text)?.[1];
  if (variable === undefined) return text;
  const value = env[variable];
  if (value === undefined)
    throw new DeerflowError("config_variable_missing", {
      file: "config.yaml",
      line: "",
      key: path,
      variable,
    });
  return value;
}
