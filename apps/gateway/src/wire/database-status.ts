/** The databases of an installation, as clients are told. */
import type { InstalledDatabases } from "@deerflow/harness";
import type { DatabaseStatus } from "@deerflow/protocol";

/** Pure. */
export function databaseStatus({ places, lastSwitch }: InstalledDatabases): DatabaseStatus {
  if (lastSwitch === undefined) return { databases: [...places] };
  const { runsOnOld, threadsOnOld, threadsLeft, startedAt, problem, ...same } = lastSwitch;
  return {
    databases: [...places],
    switch: {
      ...same,
      runs_on_old: runsOnOld,
      threads_on_old: threadsOnOld,
      threads_left: threadsLeft,
      started_at: new Date(startedAt).toISOString(),
      ...(problem === undefined ? {} : { problem }),
    },
  };
}
