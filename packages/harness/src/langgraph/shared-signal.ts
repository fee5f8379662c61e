/** The abort signal that all tasks of a step have in common. */
import { setMaxListeners } from "node:events";

/**
 * Lets any number of calls wait for `signal` at once: LangGraph hands one signal to all tasks of a step, and from the
 * eleventh listener on Node would print a warning of a leak that is none.
 */
export function shareSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setMaxListeners(0, signal);
}
