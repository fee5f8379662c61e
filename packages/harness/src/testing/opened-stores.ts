import type { AppStores } from "../persistence/contract.js";

/** What the suites of the stores need of a backend. */
export interface OpenedStores extends AppStores {
  close(): Promise<void>;
}
