/** Everything the gateway is given. It opens nothing itself, so that tests and programs can bring their own. */
import type { DatabaseStatus, DatabaseSwitchRequest, Health } from "@deerflow/protocol";
import type { FileBackend } from "@deerflow/harness/filesystem";
import type { RunEventStore } from "@deerflow/harness/persistence";
import type {
  Logger,
  ModelInfo,
  Principal,
  RunManager,
  StorageQuota,
  ThreadService,
} from "@deerflow/harness";

export interface UploadLimits {
  /** Files of one request. */
  readonly maxFiles: number;
  /** Bytes of one file. */
  readonly maxFileSize: number;
  /** Bytes of all files of one request. */
  readonly maxTotalSize: number;
}

export interface AssistantDescription {
  /** What a client sends as `assistant_id`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Who may talk to the server from a browser. Loopback names are always allowed; `*` allows any. */
export interface AccessRules {
  /** Host names, without port, under which the server is reached. */
  readonly hosts?: readonly string[];
  /** Origins, such as `https://ui.example.org`, whose pages may call the server. */
  readonly origins?: readonly string[];
}

export interface DatabaseAdministration {
  status(): DatabaseStatus;
  /** Resolves when the new database is open. @throws DeerflowError when it cannot be used; then nothing has changed */
  switchTo(request: DatabaseSwitchRequest): Promise<void>;
}

export interface GatewayDeps {
  readonly runs: RunManager;
  readonly threads: ThreadService;
  readonly events: RunEventStore;
  /** In order of preference; the first is the default. */
  models(): Promise<{ readonly models: readonly ModelInfo[] }>;
  /** The file tree of a thread, as its agent sees it. Does not ask whether the thread exists. */
  files(principal: Principal, threadId: string): Promise<FileBackend>;
  health(): Promise<Omit<Health, "status" | "service" | "version">>;
  /** What the server keeps its data in; without it nothing of that can be administered. */
  readonly databases?: DatabaseAdministration;
  /** Refuses whoever may not administer the server. Everybody may when absent: without identity there is one user. */
  requireAdministrator?(principal: Principal): Promise<void>;
  /** Who sends this request. @throws DeerflowError when nobody may */
  principal(request: Request): Promise<Principal>;
  /** Shown in `GET /info` and health. */
  readonly version: string;
  /** `lead_agent` alone when absent. */
  readonly assistants?: readonly AssistantDescription[];
  readonly uploadLimits?: UploadLimits;
  /** What threads and users may keep. Nothing is counted when absent. */
  readonly quota?: StorageQuota;
  readonly access?: AccessRules;
  /** Milliseconds between the signs of life of a quiet stream. Default 10,000. */
  readonly heartbeatMilliseconds?: number;
  /** Folder of the built web pages; no pages are served when absent. */
  readonly webRoot?: string;
  readonly logger?: Logger;
}

export const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  maxFiles: 10,
  maxFileSize: 50 * 1024 * 1024,
  maxTotalSize: 100 * 1024 * 1024,
};

export const LEAD_ASSISTANT: AssistantDescription = {
  id: "lead_agent",
  name: "lead_agent",
  description: "DeerFlow's lead agent.",
};

/** What the middleware puts into a request's context. */
export interface GatewayVariables {
  readonly Variables: { principal: Principal; requestId: string };
}
