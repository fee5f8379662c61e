/** The trace that a read leaves on its own message, and how a later write finds it. */
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";
import { z } from "zod";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { Version } from "../filesystem/contract.js";

/** The key in a read's `additional_kwargs`. The mark lives and dies with its message: what was summarised away is unread. */
export const READ_MARK_KEY = "deerflow_read_mark";

export interface ReadMark {
  /** Canonical, with links resolved. */
  readonly path: string;
  /** The sha-256 of the whole file, in hex, however little of it was shown. */
  readonly hash: Version;
}

const Mark = z.object({ path: z.string(), hash: z.string() });

/**
 * The hash in the newest mark for `path`; undefined when no read of it is in sight.
 * @param nameOf gives two spellings of one file the same name, where the files fold case
 */
export function newestReadHash(
  messages: readonly BaseMessage[],
  path: string,
  nameOf: (path: string) => string = (given) => given,
): Version | undefined {
  const wanted = nameOf(path);
  for (const message of messages.toReversed()) {
    if (!ToolMessage.isInstance(message)) continue;
    const mark = Mark.safeParse(message.additional_kwargs[READ_MARK_KEY]);
    if (mark.success && nameOf(canonical(mark.data.path)) === wanted) return mark.data.hash;
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

/** The result with the mark on its (last) tool message. */
export function withReadMark(result: ToolMessage | Command, mark: ReadMark): ToolMessage | Command {
  const message = toolMessageOf(result);
  if (message !== undefined) {
    message.additional_kwargs = { ...message.additional_kwargs, [READ_MARK_KEY]: mark };
  }
  return result;
}

/**
 * The answer without marks that it brought along: only the gate gives them, so a tool of another maker cannot say what
 * was read.
 */
export function withoutReadMarks(result: ToolMessage | Command): ToolMessage | Command {
  for (const message of toolMessagesOf(result)) {
    if (!(READ_MARK_KEY in message.additional_kwargs)) continue;
    const { [READ_MARK_KEY]: _forged, ...kept } = message.additional_kwargs;
    message.additional_kwargs = kept;
  }
  return result;
}

const Facts = z.object({ path: z.string(), version: z.string() });

/** The version of `path` that the tool says it has read; undefined when it does not say. */
export function versionRead(result: ToolMessage | Command, path: string): Version | undefined {
  const facts = Facts.safeParse(toolMessageOf(result)?.artifact);
  return facts.success && facts.data.path === path ? facts.data.version : undefined;
}

const Nothing = z.object({ lines_shown: z.literal(0) });

/** True for a read that asked for no line, after which the model knows the file no better than before. */
export const showedNothing = (result: ToolMessage | Command): boolean =>
  Nothing.safeParse(toolMessageOf(result)?.artifact).success;

const Update = z.object({ messages: z.array(z.unknown()) });

/** The answer to the call; the last one, where a command holds several messages. */
export const toolMessageOf = (result: ToolMessage | Command): ToolMessage | undefined =>
  toolMessagesOf(result).at(-1);

function toolMessagesOf(result: ToolMessage | Command): readonly ToolMessage[] {
  if (!isCommand(result)) return [result];
  const update = Update.safeParse(result.update);
  return update.success ? update.data.messages.filter((message) => ToolMessage.isInstance(message)) : [];
}
