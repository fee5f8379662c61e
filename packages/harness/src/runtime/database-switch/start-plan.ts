/** Which database a process opens that starts: the configured one, unless a switch says otherwise. */
import { DeerflowError } from "../../base/errors.js";
import { redactAddress } from "../../config/redact-config.js";
import { nameOf } from "../../persistence/migration/open-for-reading.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { locationName } from "./location-name.js";
import type { SwitchRecord } from "./switch-record.js";

export interface StartPlan {
  /** The database to open first. */
  readonly open: DatabaseLocation;
  /** A switch to go on with. */
  readonly resume?: SwitchRecord;
  /** The record has said what it had to say. */
  readonly forget?: boolean;
  readonly warning?: string;
}

/**
 * @param record of the last switch, if any
 * @throws DeerflowError `database_switch_unfinished` when threads would be left behind
 */
export function planStart(configured: DatabaseLocation, record: SwitchRecord | undefined): StartPlan {
  if (record === undefined) return { open: configured };
  const name = locationName(configured);
  const isDone = record.phase === "done";
  if (name === locationName(record.to)) {
    if (isDone) return { open: configured, forget: true };
    // Its credentials may have changed since.
    return { open: record.from, resume: { ...record, to: configured } };
  }
  if (name === record.configured) {
    const warning = stillConfigured(nameOf(configured), record);
    return isDone ? { open: record.to, warning } : { open: record.from, resume: record, warning };
  }
  const to = nameOf(record.to);
  if (isDone) {
    const warning = `The database was switched to ${to}; the configuration names ${nameOf(configured)}, which is used from now on.`;
    return { open: configured, forget: true, warning };
  }
  const details = { from: nameOf(record.from), to, configured: nameOf(configured) };
  throw new DeerflowError("database_switch_unfinished", details);
}

const stillConfigured = (name: string, { to, startedAt }: SwitchRecord): string =>
  `The configuration names ${name}, but the database was switched to ${nameOf(to)} on ` +
  `${new Date(startedAt).toISOString().slice(0, 10)}, which is used. Write it into config.yaml: ${configLine(to)}`;

/** The place as `config.yaml` spells it, without its password. Pure. */
export function configLine(location: DatabaseLocation): string {
  switch (location.backend) {
    case "memory":
      return "database: {backend: memory}";
    case "sqlite":
      return `database: {backend: sqlite, path: ${JSON.stringify(location.path)}}`;
    case "mysql":
      return `database: {backend: mysql, url: ${JSON.stringify(redactAddress(location.url))}}`;
    case "postgres": {
      const schema = location.schema === undefined ? "" : `, schema: ${location.schema}`;
      return `database: {backend: postgres, url: ${JSON.stringify(redactAddress(location.url))}${schema}}`;
    }
  }
}
