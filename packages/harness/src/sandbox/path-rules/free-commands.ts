/** Commands that no rules bind wait for their turn, too: they could change what another is about to hold. */
import type { SandboxMount } from "../contract.js";
import type { CommandStarts } from "./contract.js";
import { FOLDER_TURNS, type FolderTurns } from "./folder-turns.js";

/** @param mounts resolved */
export const freeCommands = (
  mounts: readonly SandboxMount[],
  turns: FolderTurns = FOLDER_TURNS,
): CommandStarts => ({
  async begin(request) {
    const { end } = await turns.free({ mounts, ...request });
    return {
      options: [],
      end: async () => {
        end();
        return [];
      },
    };
  },
});
