/** Says whose stored conversation it is that cannot be read. */
import { DeerflowError, reasonOf } from "../../base/errors.js";

/** Errors with a code are the database driver's own, except for those of Node's decoders. */
const DECODER_CODE = /^(Z|ERR)_/;

function isDamage(error: unknown): boolean {
  if (DeerflowError.is(error)) return error.code === "internal";
  return !(error instanceof Error && "code" in error) || DECODER_CODE.test(String(error.code));
}

/**
 * Runs `work`, which reads and decodes rows of one thread.
 * @throws DeerflowError `database_damaged` when what was stored cannot be decoded; other errors as they are
 */
export async function namingDamage<T>(
  place: { readonly database: string; readonly threadId: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const reason = `in thread ${place.threadId}: ${reasonOf(error)}`;
    throw new DeerflowError("database_damaged", { path: place.database, reason }, error);
  }
}
