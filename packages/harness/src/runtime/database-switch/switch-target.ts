/** Reads where the database shall be switched to, as a person writes it. */
import { databaseSection } from "../../config/database-section.js";
import { DeerflowError } from "../../base/errors.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { type DatabaseFolders, databaseLocation } from "../database-location.js";

/**
 * @param to a path, a `file:` URL or the address of a server; a relative path counts as in the configuration
 * @throws DeerflowError `database_switch_invalid`, which never shows the address
 */
export function readSwitchTarget(
  { to, schema }: { readonly to: string; readonly schema?: string | undefined },
  folders: DatabaseFolders,
): DatabaseLocation {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(to) && !/^file:/i.test(to);
  const place = isAddress ? { url: to, backend: backendOf(to) } : { backend: "sqlite", path: to };
  const parsed = databaseSection.safeParse({ ...place, ...(schema === undefined ? {} : { schema }) });
  if (parsed.success) return databaseLocation(parsed.data, folders);
  const reason = parsed.error.issues[0]?.message ?? "it is no place of a database";
  throw new DeerflowError("database_switch_invalid", { reason: `where to: ${reason}` });
}

/** A scheme that is not known is judged as PostgreSQL's, so that the message says how one looks. */
const backendOf = (address: string): string => (/^(mysql|mariadb):/i.test(address) ? "mysql" : "postgres");
