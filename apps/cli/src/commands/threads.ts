/** `deerflow threads`: what was done, and removing it. */
import { DeerflowError, type Host, LOCAL_PRINCIPAL, openHost } from "@deerflow/harness";
import { type CommandContext, type GlobalOptions, hostOptions } from "../command-context.js";
import { printable } from "../terminal/printable.js";
import { textOf } from "../terminal/run-printer.js";

export interface ListOptions {
  readonly json?: boolean;
  readonly limit?: string;
}

const DEFAULT_LIMIT = 50;

async function withHost<T>(
  context: CommandContext,
  globals: GlobalOptions,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const host = await openHost(hostOptions(context, globals));
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

export const listThreads = (
  context: CommandContext,
  globals: GlobalOptions,
  options: ListOptions,
): Promise<number> =>
  withHost(context, globals, async ({ persistence }) => {
    const limit = Number(options.limit ?? DEFAULT_LIMIT);
    if (!Number.isInteger(limit) || limit < 1) {
      throw new DeerflowError("invalid_request", {
        reason: `--limit ${options.limit} is not a positive number`,
      });
    }
    const threads = await persistence.threads.search(LOCAL_PRINCIPAL, {
      limit,
      offset: 0,
      sortBy: "updated_at",
      sortOrder: "desc",
    });
    const { print, note } = context.output;
    if (options.json) threads.forEach((thread) => print(`${JSON.stringify(thread)}\n`));
    else if (threads.length === 0) note('There are no threads yet. Start one with: npx deerflow run "…"\n');
    else {
      for (const { threadId, status, updatedAt, values } of threads) {
        const when = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
        print(`${threadId}  ${when}  ${status.padEnd(11)}  ${printable(String(values["title"] ?? ""))}\n`);
      }
    }
    return 0;
  });

export const showThread = (
  context: CommandContext,
  globals: GlobalOptions,
  threadId: string,
): Promise<number> =>
  withHost(context, globals, async (host) => {
    const thread = await host.persistence.threads.find(LOCAL_PRINCIPAL, threadId);
    if (thread === undefined) throw new DeerflowError("thread_missing", { threadId });
    const { print, colors } = context.output;
    print(`${colors.bold(printable(String(thread.values["title"] ?? threadId)))}  ${thread.status}\n\n`);
    const events = await host.persistence.events.list(LOCAL_PRINCIPAL, threadId, { limit: 10_000 });
    for (const { eventType, content } of events) {
      const line = eventLine(eventType, content);
      if (line !== undefined) print(`${line}\n`);
    }
    return 0;
  });

/** One line per event that a person wants to see. */
function eventLine(eventType: string, content: unknown): string | undefined {
  if (!eventType.startsWith("message.")) return undefined;
  const message = content as { name?: string; content?: unknown; tool_calls?: { name: string }[] };
  const text = textOf(message.content).trim();
  const calls = (message.tool_calls ?? []).map((call) => `[${call.name}]`).join(" ");
  if (eventType === "message.human") return `> ${text}`;
  if (eventType === "message.tool") return `    ${message.name ?? "tool"}: ${text.split("\n")[0] ?? ""}`;
  return [text, calls].filter((part) => part !== "").join(" ");
}

export const deleteThread = (
  context: CommandContext,
  globals: GlobalOptions,
  threadId: string,
): Promise<number> =>
  withHost(context, globals, async (host) => {
    const found = await host.threads.remove(LOCAL_PRINCIPAL, threadId);
    if (!found) throw new DeerflowError("thread_missing", { threadId });
    context.output.note(`Deleted thread ${threadId} with its files.\n`);
    return 0;
  });
