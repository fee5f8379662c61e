/** Who stands outside whom. This table IS the order of the middleware; nothing else may set it. */
import type { AgentMiddleware } from "langchain";
import type { Logger } from "../base/logger.js";
import { type ThreadDirectories, VIRTUAL_OUTPUTS } from "../context/home-paths.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { AuditSink } from "../policy/audit-sink.js";
import type { LazySandbox } from "../sandbox/lazy-sandbox.js";
import { approval } from "./approval.js";
import { type ApprovalOptions, asksForApproval } from "./approval-pauses.js";
import { clarification } from "./clarification.js";
import type { CommandGate } from "./command-gate.js";
import { danglingToolCalls } from "./dangling-tool-calls.js";
import { messageOffload, type MessageOffloadOptions } from "./message-offload.js";
import { mediaMessages } from "./media-messages.js";
import type { TakesMedia } from "./media-support.js";
import { modelErrors } from "./model-errors.js";
import { DEFAULT_RECENT_MEDIA, recentMedia, type RecentMediaLimits } from "./recent-media.js";
import { readBeforeWrite } from "./read-before-write.js";
import { sandbox } from "./sandbox.js";
import { sandboxAudit } from "./sandbox-audit.js";
import { threadData } from "./thread-data.js";
import { title, type TitleOptions } from "./title.js";
import { todoList } from "./todo-list.js";
import { toolErrors } from "./tool-errors.js";
import { toolOutputOffload, type ToolOutputOffloadOptions } from "./tool-output-offload.js";
import { uploads } from "./uploads.js";

/** What the middleware of one agent may use. A row whose service is absent is left out. */
export interface MiddlewareServices {
  readonly logger: Logger;
  readonly audit: AuditSink;
  /** Replaces host paths in a text by what the agent sees. */
  readonly mask: (text: string) => string;
  readonly directories?: ThreadDirectories;
  readonly files?: FileBackend;
  readonly sandbox?: LazySandbox;
  readonly title?: TitleOptions;
  /**
   * The files for what is too long, by the folder that it is to go to: past the rules for the model's own calls, and
   * undefined where those would not let it read what is there. Absent: `files`.
   */
  readonly offloadFiles?: (folder: string) => FileBackend | undefined;
  /** Where long results go and what is shown of them, where that is not DeerFlow's default. */
  readonly toolOutput?: Omit<ToolOutputOffloadOptions, "files" | "logger">;
  /** The same for long messages of the user. */
  readonly longMessages?: Omit<MessageOffloadOptions, "files" | "logger">;
  /** Judges the commands of the agent. */
  readonly commands: CommandGate;
  /** Which calls wait for a person. */
  readonly approval?: ApprovalOptions;
  /** As the user knows it. */
  readonly modelName?: string;
  /** What the installation knows of the model's eyes and ears, beside the model's own profile. */
  readonly takesMedia?: TakesMedia;
  /** How much media one request carries, where that is not the default. */
  readonly recentMedia?: RecentMediaLimits;
}

/** What can be switched; `true` builds the row, `false` leaves it out. */
export const FEATURES = [
  "threadData",
  "messageOffload",
  "toolOutputOffload",
  "uploads",
  "sandbox",
  "danglingToolCalls",
  "modelErrors",
  "recentMedia",
  "mediaMessages",
  "approval",
  "sandboxAudit",
  "readBeforeWrite",
  "toolErrors",
  "todoList",
  "title",
  "clarification",
] as const;
export type Feature = (typeof FEATURES)[number];
export type RuntimeFeatures = Readonly<Record<Feature, boolean>>;

export interface OrderRow {
  readonly name: string;
  readonly feature: Feature;
  /** Which agents carry it. */
  readonly on: "lead" | "sub" | "both";
  /** A guard refuses things; nothing of the host may be placed outside it. */
  readonly guard: boolean;
  /** Why it stands exactly here. */
  readonly because: string;
  /** Undefined when a service that it needs is absent. */
  build(services: MiddlewareServices): AgentMiddleware | undefined;
}

export const DEERFLOW_MESSAGES = {
  dialect: "deerflow",
  folder: `${VIRTUAL_OUTPUTS}/.conversation-history`,
} as const;
export const DEERFLOW_RESULTS = { dialect: "deerflow", folder: `${VIRTUAL_OUTPUTS}/.tool-results` } as const;

const offloadFilesOf = (
  { files, offloadFiles }: Pick<MiddlewareServices, "files" | "offloadFiles">,
  folder: string,
): FileBackend | undefined => (offloadFiles === undefined ? files : offloadFiles(folder));

/**
 * First = outermost: its before-hooks run first, its after-hooks last, its wraps stand around all below.
 * Order after DeerFlow's chain, of which this is the part that exists so far.
 */
export const ORDER: readonly OrderRow[] = [
  {
    name: "thread-data",
    feature: "threadData",
    on: "both",
    guard: false,
    because: "Every row below may touch the thread's folders, so they exist first.",
    build: ({ directories }) => directories && threadData({ directories }),
  },
  {
    name: "message-offload",
    feature: "messageOffload",
    on: "both",
    guard: false,
    because:
      "Outside uploads, so that the files named there stand in front of the stub, and are not stored with the text.",
    build({ logger, longMessages, ...services }) {
      const options = { ...DEERFLOW_MESSAGES, ...longMessages, logger };
      const files = offloadFilesOf(services, options.folder);
      return files && messageOffload({ ...options, files });
    },
  },
  {
    name: "tool-output-offload",
    feature: "toolOutputOffload",
    on: "both",
    guard: false,
    because:
      "Outside every other tool wrap, so that it sees the result as the model would: audit notes and what became of errors are in it.",
    build({ logger, toolOutput, ...services }) {
      const options = { ...DEERFLOW_RESULTS, ...toolOutput, logger };
      const files = offloadFilesOf(services, options.folder);
      return toolOutputOffload({ ...options, ...(files && { files }) });
    },
  },
  {
    name: "uploads",
    feature: "uploads",
    on: "lead",
    guard: false,
    because: "Outside every further change of the request, so that those see the files named.",
    build: () => uploads(),
  },
  {
    name: "sandbox",
    feature: "sandbox",
    on: "both",
    guard: false,
    because: "Its after-hook lets the sandbox go, so it runs after all others' after-hooks.",
    build: (services) => services.sandbox && sandbox({ sandbox: services.sandbox }),
  },
  {
    name: "dangling-tool-calls",
    feature: "danglingToolCalls",
    on: "both",
    guard: false,
    because: "Repairs the history before a row further in reads or cuts it.",
    build: () => danglingToolCalls(),
  },
  {
    name: "model-errors",
    feature: "modelErrors",
    on: "both",
    guard: false,
    because: "Inside the repair of the history, outside every row that may call the model again.",
    build: ({ modelName }) => (modelName === undefined ? undefined : modelErrors({ modelName })),
  },
  {
    name: "recent-media",
    feature: "recentMedia",
    on: "both",
    guard: false,
    because:
      "Inside the repair of the history, whose order it counts; outside media-messages, which moves media away from the answers that name their files.",
    build: ({ recentMedia: limits = DEFAULT_RECENT_MEDIA, takesMedia }) =>
      recentMedia(takesMedia === undefined ? limits : { ...limits, takes: takesMedia }),
  },
  {
    name: "media-messages",
    feature: "mediaMessages",
    on: "both",
    guard: false,
    because: "Inside every row that repairs or shortens the history, so that it fits what is really sent.",
    build: ({ takesMedia }) => mediaMessages(takesMedia === undefined ? {} : { takes: takesMedia }),
  },
  {
    name: "approval",
    feature: "approval",
    on: "both",
    guard: true,
    because:
      "After-hooks run up the table, so a person is asked last, about the calls as every row below left them; no row above changes an answer.",
    build: (services) =>
      services.approval && asksForApproval(services.approval) ? approval(services.approval) : undefined,
  },
  {
    name: "sandbox-audit",
    feature: "sandboxAudit",
    on: "both",
    guard: true,
    because: "A blocked command must reach neither the gate, nor the tool.",
    build: ({ commands }) => sandboxAudit({ commands }),
  },
  {
    name: "read-before-write",
    feature: "readBeforeWrite",
    on: "both",
    guard: true,
    because:
      "A refused write must not reach the tool; outside tool-errors, so that a failed read leaves no mark.",
    build: ({ files, logger }) => files && readBeforeWrite({ files, logger }),
  },
  {
    name: "tool-errors",
    feature: "toolErrors",
    on: "both",
    guard: false,
    because: "Innermost of the tool wraps: what a tool throws is an answer before any row above sees it.",
    build: ({ mask, logger }) => toolErrors({ mask, logger }),
  },
  {
    name: "todo-list",
    feature: "todoList",
    on: "lead",
    guard: false,
    because: "Adds its text behind the repaired history and before the title.",
    build: () => todoList(),
  },
  {
    name: "title",
    feature: "title",
    on: "lead",
    guard: false,
    because: "Only reads the first request; its place is free, it stands where DeerFlow has it.",
    build: (services) => services.title && title(services.title),
  },
  {
    name: "clarification",
    feature: "clarification",
    on: "lead",
    guard: false,
    because: "Always last: a question to the user must not be seen as a tool's work by any row above.",
    build: () => clarification(),
  },
];

/**
 * The chain of one agent, outermost first.
 * @param extra the host's own, placed before Clarification
 */
export function assembleMiddleware(
  who: "lead" | "sub",
  features: RuntimeFeatures,
  services: MiddlewareServices,
  extra: readonly AgentMiddleware[] = [],
): AgentMiddleware[] {
  const build = (rows: readonly OrderRow[]): AgentMiddleware[] =>
    rows
      .filter((row) => row.on === "both" || row.on === who)
      .filter((row) => features[row.feature])
      .flatMap((row) => row.build(services) ?? []);
  const last = ORDER.filter((row) => row.name === "clarification");
  return [...build(ORDER.filter((row) => !last.includes(row))), ...extra, ...build(last)];
}
