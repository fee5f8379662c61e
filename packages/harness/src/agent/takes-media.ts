/** What the configuration says of a model's eyes, as the requests to it count on it. */
import type { TakesMedia } from "../middleware/media-support.js";
import type { ModelInfo } from "../models/contract.js";

/**
 * An image is for a model that is configured for it or whose profile says so; of a model that nobody knows anything
 * about it would only be refused. All other media are left to the profile.
 */
export const takesMedia =
  (model: ModelInfo | undefined): TakesMedia =>
  (kind, byProfile) =>
    kind === "image" ? model?.supportsVision === true || byProfile === true : undefined;
