/** Decides which key goes to which address. */
import { DeerflowError } from "../../base/errors.js";
import type { ProviderRequest } from "./contract.js";

/** Local servers take any key, but the clients insist on having one. */
const NO_KEY = "none";

/**
 * The configured key; without one the environment's, but never to another address than the provider's own:
 * a key of the environment must not travel to whatever server a `base_url` names.
 * @throws DeerflowError `model_key_missing`
 */
export function apiKeyOf({ config, env }: ProviderRequest, variable: string): string {
  if (config.api_key !== undefined) return config.api_key;
  if (config.base_url !== undefined) return NO_KEY;
  const key = env[variable];
  if (key === undefined || key === "")
    throw new DeerflowError("model_key_missing", { name: config.name, variable });
  return key;
}
