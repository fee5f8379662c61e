/** The id of a thread's sandbox: one name for nobody else's. */
import { assertThreadId } from "./home-paths.js";
import type { Principal } from "./principal.js";

/**
 * `provider:tenant:user:thread`. A client may choose the id of its thread, so the thread alone could name the sandbox
 * of somebody else.
 * @throws DeerflowError `thread_id_invalid`
 */
export const sandboxId = (provider: string, { tenantId, userId }: Principal, threadId: string): string =>
  [provider, tenantId, userId, assertThreadId(threadId)].join(":");

/** The thread of such an id: a thread's id holds no colon. */
export const threadOfSandbox = (id: string): string => id.slice(id.lastIndexOf(":") + 1);
