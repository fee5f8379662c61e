/** The file tools with everything that belongs to them, as one middleware for any LangChain agent. */
import { StateSchema } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { type Logger, silentLogger } from "../base/logger.js";
import { childOf } from "../base/virtual-path.js";
import { assertEnforceable } from "../filesystem/assert-enforceable.js";
import { isLinkFollowing, shellOf } from "../filesystem/capabilities.js";
import { CompositeBackend } from "../filesystem/composite-backend.js";
import type { FileBackend, Shell } from "../filesystem/contract.js";
import { filesChannel } from "../filesystem/files-channel.js";
import { guardFiles } from "../filesystem/guarded-backend.js";
import type { StateBackend } from "../filesystem/state-backend.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { DIALECTS } from "../tools/dialects.js";
import type { ToolKind } from "../tools/face.js";
import { createFileTools } from "../tools/file-tools.js";
import type { FileToolLimits } from "../tools/limits.js";
import type { OutputFiles } from "../tools/output-files.js";
import { ffmpegFrames } from "../tools/video-frames.js";
import { approvalRequests } from "./approval.js";
import { approvalCheck } from "./approval-check.js";
import { type ApprovalOptions, asksForApproval } from "./approval-pauses.js";
import { commandOutputFiles } from "./command-output-files.js";
import { composeMiddleware } from "./compose-middleware.js";
import { danglingToolCalls } from "./dangling-tool-calls.js";
import { fileToolFailures } from "./file-tool-failures.js";
import { fileToolVisibility } from "./file-tool-visibility.js";
import {
  type FilesystemMiddlewareOptions,
  type FilesystemSettings,
  filesystemSettings,
} from "./filesystem-options.js";
import { mediaMessages } from "./media-messages.js";
import { messageOffload } from "./message-offload.js";
import { type OffloadFolder, withReadableOffloads } from "./offload-permissions.js";
import { toolOutputOffload } from "./tool-output-offload.js";

export const FILESYSTEM_MIDDLEWARE = "FilesystemMiddleware";

const RESULTS_FOLDER = "large_tool_results";
const CONVERSATION_FOLDER = "conversation_history";

/** With files in the state: a run takes and gives back the field `files`. */
export type StateFilesMiddleware = AgentMiddleware<StateSchema<{ files: typeof filesChannel }>>;

/**
 * Gives an agent of LangChain's `createAgent`, or of this package, the file tools over one backend: with path rules,
 * approval, offload of what is too long, media that fit the model, and descriptions of what is really there.
 *
 * The rules stand around the files before any tool is made, so that no way of building the agent loses them; they
 * are about the model's calls. What the middleware itself puts into files goes past them, and the model may read it
 * unless a rule names those files. A call that was left without an answer, such as one whose approval was given up,
 * gets one in every request, because providers refuse an open call. The read-before-write gate is a middleware of its own, `createReadBeforeWriteMiddleware`.
 *
 * With `interrupt` rules or `interruptOn` the agent needs a checkpointer.
 * @throws DeerflowError `filesystem_options_invalid`, `permissions_invalid`, `permissions_unenforceable`
 * @example createAgent({ model, middleware: [createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir }) })] })
 */
export function createFilesystemMiddleware(
  options?: FilesystemMiddlewareOptions & { readonly backend?: StateBackend },
): StateFilesMiddleware;
export function createFilesystemMiddleware(options: FilesystemMiddlewareOptions): AgentMiddleware;
export function createFilesystemMiddleware(options: FilesystemMiddlewareOptions = {}): AgentMiddleware {
  const settings = filesystemSettings(options);
  const { backend, dialect, kinds } = settings;
  const { permissions = [], interruptOn = {}, systemPrompt, logger = silentLogger } = options;
  const { foldsCase } = backend;
  const given = withReadableOffloads(permissions, offloadFolders(settings), { foldsCase });
  const rules = new PermissionRules(given, { foldsCase });
  const executes = kinds.includes("execute");
  const shell = assertEnforceable(backend, executes ? shellOf(backend) : undefined, permissions);
  const files = guardFiles(backend, rules, shell);
  const limits = limitsOf(settings, shell);
  const tools = createFileTools({
    files,
    dialect,
    kinds,
    shell: shell?.sandbox,
    outputFiles: outputFilesOf(settings, rules, logger),
    limits,
    descriptions: options.customToolDescriptions ?? {},
    videoFrames: ffmpegFrames,
    logger,
  });
  const asking = {
    interruptOn,
    rules,
    logger,
    gate: FILESYSTEM_MIDDLEWARE,
    ...waitingFacts(backend, settings),
  };
  return composeMiddleware(FILESYSTEM_MIDDLEWARE, [
    ...filesField(backend),
    ...(asksForApproval(asking) ? [approvalRequests(asking)] : []),
    ...offloadParts(settings, logger),
    danglingToolCalls(),
    mediaMessages(),
    fileToolVisibility({
      files: backend,
      tools,
      describe: (kind, visible) => DIALECTS[dialect].faces[kind].describe({ limits, visible }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    }),
    createMiddleware({ name: "file-tools", tools }),
    fileToolFailures({ tools, logger }),
    // Innermost, because every wrap outside it may change the call.
    approvalCheck(asking),
  ]);
}

/** The dialect's numbers with those of the options. What a tool says itself stays below the size for offload. */
function limitsOf(
  { dialect, toolResultCharacters, ...settings }: FilesystemSettings,
  shell: Shell | undefined,
): FileToolLimits {
  const { limits } = DIALECTS[dialect];
  const most = toolResultCharacters === 0 ? Number.POSITIVE_INFINITY : toolResultCharacters;
  const found = settings.grepResults ?? limits.maxGrepResults;
  return {
    ...limits,
    maxReadCharacters: Math.min(limits.maxReadCharacters, most),
    maxListCharacters: Math.min(limits.maxListCharacters, most),
    maxSearchCharacters: Math.min(limits.maxSearchCharacters, most),
    defaultExecuteSeconds: shortest(
      shell?.timeoutSeconds ?? limits.defaultExecuteSeconds,
      settings.maxExecuteSeconds,
    ),
    maxExecuteSeconds: settings.maxExecuteSeconds,
    defaultGrepResults: found,
    maxGrepResults: Math.max(found, limits.maxGrepResults),
  };
}

const shortest = (wanted: number | undefined, most: number): number | undefined =>
  wanted === undefined ? undefined : Math.min(wanted, most);

const filesField = (backend: FileBackend): AgentMiddleware[] =>
  backend.usesGraphState === true
    ? [createMiddleware({ name: "files-field", stateSchema: new StateSchema({ files: filesChannel }) })]
    : [];

function waitingFacts(
  backend: FileBackend,
  { dialect, kinds }: FilesystemSettings,
): Pick<ApprovalOptions, "operationOf" | "realPath"> {
  const { faces } = DIALECTS[dialect];
  const operations = new Map<string, ToolKind>(kinds.map((kind) => [faces[kind].name, kind]));
  return {
    operationOf: (name) => operations.get(name),
    ...(isLinkFollowing(backend) ? { realPath: (path) => backend.realPath(path) } : {}),
  };
}

const artifactsRootOf = (files: FileBackend): string =>
  files instanceof CompositeBackend ? files.artifactsRoot : "/";

/** Where something may be put into files. */
function offloadFolders(settings: FilesystemSettings): readonly OffloadFolder[] {
  const { backend, toolResultCharacters, humanMessageCharacters } = settings;
  const root = artifactsRootOf(backend);
  const folders = [
    ...(toolResultCharacters === 0 ? [] : [childOf(root, RESULTS_FOLDER)]),
    ...(humanMessageCharacters === 0 ? [] : [childOf(root, CONVERSATION_FOLDER)]),
  ];
  return folders.map((folder) => ({ folder, ...(root === "/" ? {} : { home: root }) }));
}

/** Undefined where results are not put into files, or the model could not read what is there. */
function outputFilesOf(
  { backend: files, toolResultCharacters, retention }: FilesystemSettings,
  rules: PermissionRules,
  logger: Logger,
): OutputFiles | undefined {
  const folder = childOf(artifactsRootOf(files), RESULTS_FOLDER);
  if (toolResultCharacters === 0 || rules.decide("read", childOf(folder, "any")) === "deny") return undefined;
  return commandOutputFiles({ files, folder, retention, logger });
}

/** Written past the rules, because they are about the calls of the model and not about its memory. */
function offloadParts(settings: FilesystemSettings, logger: Logger): AgentMiddleware[] {
  const { backend: files, dialect, retention, toolResultCharacters, humanMessageCharacters } = settings;
  const root = artifactsRootOf(files);
  const shared = { files, dialect, retention, logger };
  const results = { ...shared, folder: childOf(root, RESULTS_FOLDER), limitCharacters: toolResultCharacters };
  const messages = {
    ...shared,
    folder: childOf(root, CONVERSATION_FOLDER),
    limitCharacters: humanMessageCharacters,
  };
  return [
    ...(toolResultCharacters === 0 ? [] : [toolOutputOffload(results)]),
    ...(humanMessageCharacters === 0 ? [] : [messageOffload(messages)]),
  ];
}
