/** Copies one thread between two databases that are open already. */
import { DeerflowError } from "../../base/errors.js";
import { sqlCheckpointDatabase } from "../checkpoint/sql-checkpoint-rows.js";
import { removeAppThread } from "./app-rows.js";
import type { MovedDatabases, ThreadAddress, ThreadReport } from "./contract.js";
import { moveThread } from "./move-thread.js";
import { holdingsOf } from "./thread-sides.js";

export interface CopyThreadBetweenOptions {
  /**
   * Makes the target's thread equal to the source's, as long as both are states of one thread; where the source has
   * none, removes it. Otherwise only what is older in the target is replaced.
   */
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Copies a thread's entry in the list, runs, events and checkpoints. All or nothing, where the target is one database.
 *
 * @throws DeerflowError `migration_target_taken` when the target has another thread of that id, or one that both
 *   sides went on with; `migration_source_changed`, `database_*`
 */
export async function copyThreadBetween(
  from: MovedDatabases,
  to: MovedDatabases,
  address: ThreadAddress,
  { replace = false, signal }: CopyThreadBetweenOptions = {},
): Promise<ThreadReport> {
  if (replace && (await holdingsOf(from, address)) === undefined) await removeThread(to, address);
  const report = await moveThread({ from, to, address, replace, signal });
  if (report.status !== "conflict") return report;
  const { threadId } = address;
  throw new DeerflowError("migration_target_taken", { threadId, reason: report.reason });
}

async function removeThread({ app, checkpoints }: MovedDatabases, address: ThreadAddress): Promise<void> {
  await app?.write((session) => removeAppThread(session, address));
  await sqlCheckpointDatabase(checkpoints).write((rows) =>
    rows.removeThread(address.scope, address.threadId),
  );
}
