/** Which models can be chosen, and whether the server is well. */
import { z } from "zod";
import { databasePlace, databaseSwitch } from "./databases.js";

export const model = z.object({
  /** What a client sends as `context.model_name`. */
  id: z.string(),
  name: z.string(),
  /** The provider's own name of the model. */
  model: z.string(),
  display_name: z.string(),
  provider: z.string(),
  /** `config`, `environment`, `localhost` or `demo`. */
  source: z.string(),
  /** Why this model is offered, in one sentence. */
  reason: z.string(),
  supports_thinking: z.boolean(),
  supports_reasoning_effort: z.boolean(),
  supports_vision: z.boolean(),
});
export type Model = z.output<typeof model>;

/** GET /api/models; the first is the default. */
export const modelList = z.object({
  models: z.array(model),
  token_usage: z.object({ enabled: z.boolean() }),
});
export type ModelList = z.output<typeof modelList>;

/** GET /api/health */
export const health = z.object({
  status: z.enum(["healthy", "degraded"]),
  service: z.literal("deerflow"),
  version: z.string(),
  /** Where commands run. */
  sandbox: z.object({
    /** `none` where no command can run. */
    provider: z.string(),
    available: z.boolean(),
    /** Why this provider, or why none. */
    reason: z.string(),
    /** What keeps memory, processors and processes in bounds; absent where nothing does. */
    limits: z.string().optional(),
    /** What commands reach of the network; absent where that is not known. */
    network: z.string().optional(),
  }),
  model: z.object({ name: z.string(), source: z.string(), reason: z.string() }),
  /** Where the data lies; never holds credentials. */
  database: z.string(),
  /** Every database, by what lies there. */
  databases: z.array(databasePlace).optional(),
  /** The switch of the database under way, or the last one since the start. */
  database_switch: databaseSwitch.optional(),
});
export type Health = z.output<typeof health>;
