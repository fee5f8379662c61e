/** Loads a part of the page that is fetched only when it is needed, also over a connection that breaks. */
import { type Clock, systemClock } from "@deerflow/client";

/** Pauses between the attempts; the last one is repeated. Milliseconds. */
const PAUSES: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 30_000];

/**
 * What `load` gives, as soon as it gives something. It never fails: what stands there meanwhile is of use, and one
 * lost request must not cost the reader the page.
 */
export async function loadPatiently<Part>(
  load: () => Promise<Part>,
  clock: Clock = systemClock,
): Promise<Part> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      console.warn("A part of the page could not be loaded; it is tried again.", error);
      const pause = PAUSES[Math.min(attempt, PAUSES.length - 1)] ?? 0;
      await new Promise<void>((resolve) => clock.after(pause, resolve));
    }
  }
}
