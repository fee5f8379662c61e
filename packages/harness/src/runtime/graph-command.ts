/** What the graph is given to start with: new input, a command, or nothing. */
import { Command, END, Send, START } from "@langchain/langgraph";
import type { AgentGraph } from "../agent/contract.js";
import { DeerflowError } from "../base/errors.js";
import { isJsonObject } from "../base/json.js";
import { assignMessageIds, toGraphInput } from "./run-input.js";
import type { GotoTarget, RunCommand, RunRequest } from "./run-request.js";

/** A command beats input; null makes the graph go on from its checkpoint. */
export function graphInput(request: RunRequest): unknown {
  const { input, command } = request;
  if (givesUp(request)) return null;
  if (command !== undefined) return toCommand(command);
  return input === undefined ? null : toGraphInput(input);
}

/** Whether a client gives up what the graph waits for: nothing is resumed, and the way leads straight to the end. */
export const givesUp = ({ command }: RunRequest): boolean =>
  command !== undefined &&
  command.resume === undefined &&
  command.goto?.length === 1 &&
  command.goto[0]?.node === END;

function toCommand(command: RunCommand): Command {
  const { resume, goto } = command;
  const update = commandUpdate(command);
  return new Command({
    ...(resume === undefined ? {} : { resume }),
    ...(update === null ? {} : { update }),
    ...(goto === undefined ? {} : { goto: goto.map(toGoto) }),
  });
}

/** The part of the state that a command writes; null when it writes none. */
export const commandUpdate = ({ update }: RunCommand): Record<string, unknown> | null =>
  isJsonObject(update) ? toGraphInput(assignMessageIds(update)) : null;

const toGoto = ({ node, input }: GotoTarget): string | Send =>
  input === undefined ? node : new Send(node, toGraphInput(assignMessageIds(input)));

/** @throws DeerflowError `invalid_request` when a command leads to a node that the graph does not have */
export function requireNodes({ goto = [] }: RunCommand, { nodes }: Pick<AgentGraph, "nodes">): void {
  if (nodes === undefined) return;
  const known = [...Object.keys(nodes).filter((name) => name !== START), END];
  const unknown = goto.find(({ node }) => !known.includes(node));
  if (unknown === undefined) return;
  const reason = `command.goto names ${unknown.node}, and the nodes are ${known.join(", ")}`;
  throw new DeerflowError("invalid_request", { reason });
}
