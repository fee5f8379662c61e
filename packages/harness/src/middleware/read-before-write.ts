/** Refuses to change a file whose current version the model has not read and can no longer see. */
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";
import { createMiddleware, type ToolCallRequest } from "langchain";
import { z } from "zod";
import { reasonOf } from "../base/errors.js";
import { KeyedLock } from "../base/keyed-lock.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { readProse } from "../base/prose.js";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { FileBackend, Version } from "../filesystem/contract.js";
import { type Operation, operationOf, refuse } from "../tools/define-tool.js";
import { pathArgument } from "../tools/file-arguments.js";

const GUIDANCE = readProse(new URL("./read-before-write.md", import.meta.url));

/** The key in a read's `additional_kwargs`. The mark lives and dies with its message: what was summarised away is unread. */
export const READ_MARK_KEY = "deerflow_read_mark";

export interface ReadMark {
  /** Canonical. */
  readonly path: string;
  /** The sha-256 of the whole file, in hex, however little of it was shown. */
  readonly hash: Version;
}

export interface ReadBeforeWriteOptions {
  readonly files: FileBackend;
  readonly logger?: Logger;
  /** Shared by agents that work on the same files. By default all of this process share one. */
  readonly lock?: KeyedLock;
}

const WRITES: ReadonlySet<Operation | undefined> = new Set(["write", "edit"]);

/** A key is a backend's id and a path, so agents on other files never wait for each other. */
const EVERYONE = new KeyedLock();

/**
 * Guards every tool whose operation is `write` or `edit`; stamps those whose operation is `read`. A new file is free.
 * A write never counts as a read. What cannot be inspected is let through and logged: the tool then says what is wrong.
 */
export function readBeforeWrite({ files, logger = silentLogger, lock = EVERYONE }: ReadBeforeWriteOptions) {
  const currentVersion = async (path: string): Promise<Inspection> => {
    try {
      return { inspected: true, version: (await files.read(path))?.version };
    } catch (error) {
      logger.warn("Read-before-write could not inspect a file and lets the call through", {
        path,
        reason: reasonOf(error),
      });
      return { inspected: false };
    }
  };

  return createMiddleware({
    name: "read-before-write",

    async wrapToolCall(request, next) {
      const operation = operationOf(request.tool);
      const path = pathArgument(request.toolCall.args);
      if (path === undefined || !(operation === "read" || WRITES.has(operation))) return next(request);

      // Calls of one turn run side by side: neither check and write, nor read and mark may be torn apart.
      return lock.hold(`${files.id}\n${path}`, async () => {
        if (operation === "read") {
          const result = await next(request);
          if (toolMessageOf(result)?.status === "error") return result;
          const mark = markOfRead(result) ?? markOf(path, await currentVersion(path));
          return mark === undefined ? result : withReadMark(result, mark);
        }
        const verdict = judgeWrite(await currentVersion(path), newestReadHash(messagesOf(request), path));
        if (verdict === "allow") return next(request);
        const guidance = GUIDANCE.replace("{path}", () => path);
        return refuse(request.toolCall, "file_not_read", { path }, guidance);
      });
    },
  });
}

/** What is known of a file at the moment of a write. No version: no file. */
export type Inspection =
  | { readonly inspected: true; readonly version: Version | undefined }
  | { readonly inspected: false };

/** Whether a write may go on, given the file as it is and the hash of the newest read that is still in sight. */
export function judgeWrite(file: Inspection, read: Version | undefined): "allow" | "refuse" {
  if (!file.inspected || file.version === undefined) return "allow";
  return file.version === read ? "allow" : "refuse";
}

const Mark = z.object({ path: z.string(), hash: z.string() });

/** The hash in the newest mark for `path`; undefined when no read of it is in sight. */
export function newestReadHash(messages: readonly BaseMessage[], path: string): Version | undefined {
  for (const message of messages.toReversed()) {
    if (!ToolMessage.isInstance(message)) continue;
    const mark = Mark.safeParse(message.additional_kwargs[READ_MARK_KEY]);
    if (mark.success && canonical(mark.data.path) === path) return mark.data.hash;
  }
  return undefined;
}

/** Marks of older threads may hold a path as the model spelled it. */
function canonical(path: string): string {
  try {
    return parseVirtualPath(path);
  } catch {
    // No path of ours, so it matches none.
    return path;
  }
}

const messagesOf = (request: ToolCallRequest): readonly BaseMessage[] => request.state.messages ?? [];

const Facts = z.object({ path: z.string(), version: z.string() });

/** The mark of what the tool says it has read; undefined when it does not say, so its word need not be taken. */
function markOfRead(result: ToolMessage | Command): ReadMark | undefined {
  const facts = Facts.safeParse(toolMessageOf(result)?.artifact);
  return facts.success ? { path: facts.data.path, hash: facts.data.version } : undefined;
}

const markOf = (path: string, file: Inspection): ReadMark | undefined =>
  file.inspected && file.version !== undefined ? { path, hash: file.version } : undefined;

/** The result with the mark on its (last) tool message. */
export function withReadMark(result: ToolMessage | Command, mark: ReadMark): ToolMessage | Command {
  const message = toolMessageOf(result);
  if (message !== undefined) {
    message.additional_kwargs = { ...message.additional_kwargs, [READ_MARK_KEY]: mark };
  }
  return result;
}

const Update = z.object({ messages: z.array(z.unknown()) });

function toolMessageOf(result: ToolMessage | Command): ToolMessage | undefined {
  if (!isCommand(result)) return result;
  const update = Update.safeParse(result.update);
  return update.success
    ? update.data.messages.findLast((message) => ToolMessage.isInstance(message))
    : undefined;
}
