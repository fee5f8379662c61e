/** Refuses to change a file whose current version the model has not read and can no longer see. */
import { posix } from "node:path";
import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import { createMiddleware, type ToolCallHandler } from "langchain";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { readProse } from "../base/prose.js";
import { assertBackend, assertOptions } from "../filesystem/assert-backend.js";
import type { FileBackend, Version } from "../filesystem/contract.js";
import { type Operation, operationOf, refuse } from "../tools/define-tool.js";
import { givenPath, namesPath, pathArgument } from "../tools/file-arguments.js";
import { filesOf } from "../tools/file-tools.js";
import {
  deniedSandbox,
  inspect,
  type Inspection,
  nameIn,
  realPathOf,
} from "./read-before-write-inspection.js";
import {
  newestReadHash,
  showedNothing,
  toolMessageOf,
  versionRead,
  withReadMark,
  withoutReadMarks,
} from "./read-before-write-marks.js";
import { describeFailure } from "./tool-errors.js";

const GUIDANCE = readProse(new URL("./read-before-write.md", import.meta.url));

export interface ReadBeforeWriteOptions {
  readonly files: FileBackend;
  readonly logger?: Logger;
  /** Shared by agents that work on the same files. By default all of this process share one. */
  readonly lock?: KeyedLock;
}

/** A key is a backend's id and a path, so agents on other files never wait for each other. */
const EVERYONE = new KeyedLock();

/** Tools of other makers, by the names that they usually have. */
const WELL_KNOWN: ReadonlyMap<string, Operation> = new Map([
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "edit"],
  ["str_replace", "edit"],
]);

/**
 * Guards every tool whose operation is `write` or `edit`; stamps those whose operation is `read`. A new file is free.
 * A write never counts as a read. What cannot be inspected is let through and logged: the tool then says what is
 * wrong. A sandbox that may not be used is a refusal and never lets a call through.
 */
export function readBeforeWrite({ files, logger = silentLogger, lock = EVERYONE }: ReadBeforeWriteOptions) {
  const inspectNow = ({ runtime }: Request, { files: own, path }: TargetFile) =>
    inspect(own, path, { logger, signal: runtime.signal });

  const versionNow = async (request: Request, target: TargetFile): Promise<Version | undefined> => {
    const file = await inspectNow(request, target);
    return file.inspected ? file.version : undefined;
  };

  const read = async (request: Request, next: ToolCallHandler, file: TargetFile): Promise<Answer> => {
    const answer = withoutReadMarks(await next(request));
    if (isFailedRead(answer, request) || showedNothing(answer)) return answer;
    const hash = versionRead(answer, file.path) ?? (await versionNow(request, file));
    return hash === undefined ? answer : withReadMark(answer, { path: file.real, hash });
  };

  const write = async (request: Request, next: ToolCallHandler, file: TargetFile): Promise<Answer> => {
    const seen = newestReadHash(messagesOf(request), file.real, nameIn(file.files));
    const verdict = judgeWrite(await inspectNow(request, file), seen);
    return verdict === "allow" ? withoutReadMarks(await next(request)) : refuseUnread(request, file.path);
  };

  const pass = async (request: Request, next: ToolCallHandler): Promise<Answer> => {
    const target = targetOf(request);
    if (target === undefined) return withoutReadMarks(await next(request));
    const { path, does } = target;
    // A tool's own files have its path rules around them: what a rule hides, the gate must not tell either.
    const own = filesOf(request.tool) ?? files;
    const scope = `${scopeOf(own, request)}\n${own.id}`;
    // Calls of one turn run side by side: neither check and write, nor read and mark may be torn apart. The first lock
    // keeps the calls of one path in their order, however long it takes to find out where the path leads.
    return lock.hold(`asked\n${scope}\n${path}`, async () => {
      const real = await realPathOf(own, path);
      const work = () => (does === "read" ? read : write)(request, next, { files: own, path, real });
      return lock.hold(`real\n${scope}\n${nameIn(own)(real)}`, work);
    });
  };

  return createMiddleware({
    name: "read-before-write",

    async wrapToolCall(request, next) {
      try {
        return await pass(request, next);
      } catch (error) {
        const denied = deniedSandbox(error) ?? (isAmbiguity(error) ? error : undefined);
        if (denied === undefined) throw error;
        return withMeta(refuse(request.toolCall, denied.code, denied.details), denied);
      }
    },
  });
}

/**
 * The gate on its own, for an agent of LangChain's `createAgent`: a file is only changed when the model has read its
 * current version and can still see that read. Guards the tools of this package, and others that are called
 * `write_file`, `edit_file` or `str_replace`, with `read_file` as what satisfies it.
 * @param options `backend`: the files that the tools work on. `enabled`: false lets everything pass. Default true.
 * @throws DeerflowError `filesystem_options_invalid`
 * @example createAgent({ model, tools, middleware: [createReadBeforeWriteMiddleware({ backend })] })
 */
export function createReadBeforeWriteMiddleware(
  options: { readonly backend: FileBackend; readonly enabled?: boolean } & Omit<
    ReadBeforeWriteOptions,
    "files"
  >,
) {
  assertOptions(options, "backend");
  const { backend, enabled = true, ...rest } = options;
  assertBackend("backend", backend);
  return enabled
    ? readBeforeWrite({ files: backend, ...rest })
    : createMiddleware({ name: "read-before-write", wrapToolCall: (request, next) => next(request) });
}

type Answer = ToolMessage | Command;
type Request = Parameters<ToolCallHandler>[0];

/** The file of a call: as it was named, and where that really lies. Both canonical. */
interface TargetFile {
  readonly files: FileBackend;
  readonly path: string;
  readonly real: string;
}

/** Undefined for a call that the gate has nothing to do with. */
function targetOf({ tool, toolCall }: Request): { path: string; does: "read" | "write" } | undefined {
  const own = operationOf(tool);
  const operation = own ?? WELL_KNOWN.get(toolCall.name);
  const does = operation === "edit" ? "write" : operation;
  if (does !== "read" && does !== "write") return undefined;
  if (own === undefined && does === "write") assertOnePath(toolCall.args);
  const path = own === undefined ? foreignPath(toolCall.args) : pathArgument(toolCall.args);
  return path === undefined ? undefined : { path, does };
}

/**
 * Our tools refuse a call that names several files; another maker's takes one of them, and nobody knows which.
 * @throws DeerflowError `arguments_invalid`
 */
function assertOnePath(args: Request["toolCall"]["args"]): void {
  if (!namesPath(args) || typeof givenPath(args) === "string") return;
  throw new DeerflowError("arguments_invalid", { reason: "the call must name one file, as text" });
}

const isAmbiguity = (error: unknown): error is DeerflowError =>
  DeerflowError.is(error) && error.code === "arguments_invalid";

/** Tools of other makers may take a relative path, and fold `..` where ours refuse it. */
function foreignPath(args: Request["toolCall"]["args"]): string | undefined {
  const given = givenPath(args);
  return typeof given === "string" && given !== ""
    ? pathArgument({ path: posix.resolve("/", given) })
    : undefined;
}

/** A foreign tool may say in words only that it failed. */
function isFailedRead(answer: Answer, { tool }: Request): boolean {
  const message = toolMessageOf(answer);
  if (message === undefined || message.status === "error") return true;
  return operationOf(tool) === undefined && message.text.startsWith("Error:");
}

const Run = z.object({ configurable: z.object({ thread_id: z.string() }) });
const Context = z.object({ context: z.object({ thread_id: z.string() }) });

/** A backend's id names its files, save where they lie in the state of each thread. */
function scopeOf(files: FileBackend, { runtime }: Request): string {
  if (files.usesGraphState !== true) return "";
  const run = Run.safeParse(runtime).data?.configurable ?? Context.safeParse(runtime).data?.context;
  return run?.thread_id ?? "";
}

/** Whether a write may go on, given the file as it is and the hash of the newest read that is still in sight. */
export function judgeWrite(file: Inspection, read: Version | undefined): "allow" | "refuse" {
  if (!file.inspected || file.version === undefined) return "allow";
  return file.version === read ? "allow" : "refuse";
}

const messagesOf = (request: Request): readonly BaseMessage[] => request.state.messages ?? [];

function refuseUnread({ toolCall }: Request, path: string): ToolMessage {
  const guidance = GUIDANCE.replace("{path}", () => path);
  const error = new DeerflowError("file_not_read", { path });
  return withMeta(refuse(toolCall, "file_not_read", { path }, guidance), error, guidance);
}

/** The message is new here, and nobody else's. */
function withMeta(message: ToolMessage, error: DeerflowError, action?: string): ToolMessage {
  const failure = describeFailure(error);
  message.additional_kwargs = {
    ...message.additional_kwargs,
    deerflow_tool_meta: action === undefined ? failure : { ...failure, recommended_next_action: action },
  };
  return message;
}
