/** Whether the sandbox can be tested on this machine. */
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";

/**
 * Probes the sandbox. Where it does not work, says so in one line, so that a skip is seen.
 * @throws Error with DEERFLOW_REQUIRE_SERVICES=1 when it does not work: there nothing may be skipped for it
 */
export async function bubblewrapWorks(): Promise<boolean> {
  const provider = new BubblewrapProvider();
  const { available, reason } = await provider.health();
  await provider.close();
  if (available) return true;
  if (process.env["DEERFLOW_REQUIRE_SERVICES"] === "1")
    throw new Error(`The sandbox must work here: ${reason}`);
  process.stderr.write(`The sandbox tests are skipped: ${reason}\n`);
  return false;
}
