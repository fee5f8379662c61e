/** Where there are no control groups: the launcher's limits of each single process are all there is. */
import type { LimitGroup, LimitGroups } from "./contract.js";

const NO_GROUP: LimitGroup = {
  descriptors: [],
  wrap: (program) => program,
  hits: () => [],
  close: async () => undefined,
};

export const PROCESS_LIMITS: LimitGroups = { tier: "process limits", open: () => NO_GROUP };
