/** Carries threads and items with the functions that migrations use. */
import { DeerflowError } from "../../base/errors.js";
import { copyAppThread, readAppThread, removeAppThread } from "../../persistence/migration/app-rows.js";
import type { MovedDatabases, ThreadAddress } from "../../persistence/migration/contract.js";
import { copyThreadBetween } from "../../persistence/migration/copy-thread-between.js";
import { moveItems } from "../../persistence/migration/move-items.js";
import { everyThread } from "../../persistence/stores/thread-census.js";
import type { DatabaseSide, SideDatabases, ThreadCarrier, ThreadKey } from "./contract.js";

export const databaseCarrier: ThreadCarrier = {
  async copyAll(from, to, signal) {
    for await (const thread of everyThread(from.databases.app)) {
      signal.throwIfAborted();
      await copyThread(from, to, thread, { replace: false, signal }).catch(unlessWritten);
    }
    if (from.databases.items !== to.databases.items) {
      await moveItems(from.databases.items, to.databases.items, { signal });
    }
  },
  copyThread: (from, to, thread, exact) => copyThread(from, to, thread, { replace: exact }),
  async copyItems(from, to) {
    await moveItems(from.databases.items, to.databases.items, { mirror: true });
  },
};

/** A thread that is written to all the time moves when that is over. */
function unlessWritten(error: unknown): void {
  if (!DeerflowError.is(error) || error.code !== "migration_source_changed") throw error;
}

interface CopyOptions {
  readonly replace: boolean;
  readonly signal?: AbortSignal;
}

async function copyThread(
  from: DatabaseSide,
  to: DatabaseSide,
  { principal, threadId }: ThreadKey,
  options: CopyOptions,
): Promise<void> {
  const address = { scope: principal.tenantId, threadId };
  if (from.databases.checkpoints === to.databases.checkpoints) {
    await copyRowsOnly(from.databases, to.databases, address);
    return;
  }
  await copyThreadBetween(movedOf(from.databases), movedOf(to.databases), address, options);
}

const movedOf = ({ app, checkpoints }: SideDatabases): MovedDatabases => ({ app, checkpoints });

/** Where the checkpoints have a place of their own, which both sides share. */
async function copyRowsOnly(from: SideDatabases, to: SideDatabases, address: ThreadAddress): Promise<void> {
  const read = (side: SideDatabases) => readAppThread((work) => side.app.read(work), address);
  const [source, target] = [await read(from), await read(to)];
  if (source?.digest === target?.digest) return;
  const owner = "owner of the thread";
  const owners = [source, target].flatMap((side) => side?.facts.get(owner)?.digest ?? []);
  if (new Set(owners).size > 1) {
    const reason = "it was made by another user, or at another time";
    throw new DeerflowError("migration_target_taken", { threadId: address.threadId, reason });
  }
  await to.app.write(async (session) => {
    if (source === undefined) return removeAppThread(session, address);
    await copyAppThread((work) => from.app.read(work), { session, backend: to.app.backend }, address);
    const copied = await readAppThread((work) => work(session), address);
    if (copied?.digest === source.digest) return;
    throw new DeerflowError("migration_source_changed", { path: from.app.name, threadId: address.threadId });
  });
}
