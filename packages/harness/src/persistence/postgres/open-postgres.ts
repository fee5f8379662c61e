import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";

export async function openPostgres(
  location: Extract<DatabaseLocation, { backend: "postgres" }>,
): Promise<SqlDatabase> {
  throw new DeerflowError("internal", { reason: `${location.backend} is not built yet` });
}
