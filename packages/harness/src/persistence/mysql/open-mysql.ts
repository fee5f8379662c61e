import { DeerflowError } from "../../base/errors.js";
import type { SqlDatabase } from "../sql/contract.js";
import type { DatabaseLocation } from "../sql/database-location.js";

export async function openMysql(
  location: Extract<DatabaseLocation, { backend: "mysql" }>,
): Promise<SqlDatabase> {
  throw new DeerflowError("internal", { reason: `${location.backend} is not built yet` });
}
