/** Every path under DEER_FLOW_HOME is computed here, from the Principal. */
import { join, resolve } from "node:path";
import { DeerflowError } from "../base/errors.js";
import { LOCAL_PRINCIPAL, type Principal } from "./principal.js";

/** Where the agent sees the three folders of its thread, and the skills. */
export const VIRTUAL_USER_DATA = "/mnt/user-data";
export const VIRTUAL_WORKSPACE = "/mnt/user-data/workspace";
export const VIRTUAL_UPLOADS = "/mnt/user-data/uploads";
export const VIRTUAL_OUTPUTS = "/mnt/user-data/outputs";

const THREAD_ID = /^[A-Za-z0-9_-]{1,64}$/;
const SAFE_SEGMENT = /^[A-Za-z0-9_-]{1,64}$/;

/** The host folders of one thread; the keys are the folder names that the agent sees. */
export interface ThreadDirectories {
  readonly workspace: string;
  readonly uploads: string;
  readonly outputs: string;
}

/** The home folder: `DEER_FLOW_HOME`, else `.deer-flow` under the working directory. Absolute. */
export const resolveHome = (env: Readonly<Record<string, string | undefined>>, cwd: string): string =>
  resolve(cwd, env["DEER_FLOW_HOME"] || ".deer-flow");

/** @throws DeerflowError `thread_id_invalid` */
export function assertThreadId(threadId: string): string {
  if (!THREAD_ID.test(threadId)) throw new DeerflowError("thread_id_invalid", { threadId });
  return threadId;
}

/** The folder of one user: the home itself without identity, a folder of its own with it. */
function userHome(home: string, principal: Principal): string {
  if (principal.tenantId === LOCAL_PRINCIPAL.tenantId && principal.userId === LOCAL_PRINCIPAL.userId) {
    return home;
  }
  for (const segment of [principal.tenantId, principal.userId]) {
    if (!SAFE_SEGMENT.test(segment)) {
      throw new DeerflowError("internal", { reason: "a principal's id is not a safe folder name" });
    }
  }
  return join(home, "tenants", principal.tenantId, "users", principal.userId);
}

/** The folders that hold what belongs to threads, of every user. */
export const threadsFolders = (home: string): readonly string[] => [
  join(home, "threads"),
  join(home, "tenants"),
];

/** `<home>/threads/<id>`: everything that belongs to one thread on disk. */
export const threadHome = (home: string, principal: Principal, threadId: string): string =>
  join(userHome(home, principal), "threads", assertThreadId(threadId));

/** `<home>/threads/<id>/user-data/{workspace,uploads,outputs}`: DeerFlow's layout. Creates nothing. */
export function threadDirectories(home: string, principal: Principal, threadId: string): ThreadDirectories {
  const root = join(threadHome(home, principal, threadId), "user-data");
  return {
    workspace: join(root, "workspace"),
    uploads: join(root, "uploads"),
    outputs: join(root, "outputs"),
  };
}

/** The SQLite file of an installation that configures nothing else. */
export const defaultDatabasePath = (home: string): string => join(home, "data", "deerflow.db");

/** Where the verdict on every shell command is kept. */
export const auditLogPath = (home: string): string => join(home, "logs", "audit.log");

/** What is remembered of a switch of the database, until the configuration names the new one. */
export const databaseSwitchFolder = (home: string): string => join(home, "data", "database-switch");
