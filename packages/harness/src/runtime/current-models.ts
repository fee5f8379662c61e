/** The models of the configuration that holds now; a broken edit of them changes nothing. */
import { DeerflowError, reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import type { DeerflowConfig } from "../config/schema.js";
import type { ModelCatalogue } from "../models/contract.js";
import { resolveModels, type ResolveModelsInput } from "../models/registry.js";

export interface CurrentModelsOptions extends Omit<ResolveModelsInput, "config"> {
  /** The configuration that holds now: an edit of it is a new object. */
  config(): DeerflowConfig;
  readonly logger: Logger;
}

/**
 * Resolves the models once per configuration. When an edit cannot be resolved, this is logged once and the models
 * from before stay in use.
 * @returns a function that rejects as `resolveModels` does, while no models were ever resolved
 */
export function currentModels({
  config,
  logger,
  ...input
}: CurrentModelsOptions): () => Promise<ModelCatalogue> {
  let known: { readonly config: DeerflowConfig; readonly catalogue: Promise<ModelCatalogue> } | undefined;
  return () => {
    const current = config();
    if (known?.config === current) return known.catalogue;
    const before = known?.catalogue;
    const resolved = resolveModels({ ...input, config: current });
    known = {
      config: current,
      catalogue:
        before === undefined
          ? resolved
          : resolved.catch((error: unknown) => {
              const problem = DeerflowError.is(error) ? error.sentence : reasonOf(error);
              logger.error(`The last good models stay in use. ${problem}`);
              return before;
            }),
    };
    return known.catalogue;
  };
}
