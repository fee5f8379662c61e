/** What the graph is given to start with: new input, a command, or nothing. */
import { Command, END, Send } from "@langchain/langgraph";
import type { JsonObject, JsonValue } from "../base/json.js";
import { assignMessageIds, toGraphInput } from "./run-input.js";
import type { RunCommand, RunRequest } from "./run-request.js";

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A command beats input; null makes the graph go on from its checkpoint. */
export function graphInput(request: RunRequest): unknown {
  const { input, command } = request;
  if (givesUp(request)) return null;
  if (command !== undefined) return toCommand(command);
  return input === undefined ? null : toGraphInput(input);
}

/** Whether a client gives up what the graph waits for: nothing is resumed, and the way leads straight to the end. */
export const givesUp = ({ command }: RunRequest): boolean =>
  command !== undefined && command.resume === undefined && command.goto === END;

function toCommand(command: RunCommand): Command {
  const { resume, goto } = command;
  const update = commandUpdate(command);
  return new Command({
    ...(resume === undefined ? {} : { resume }),
    ...(update === null ? {} : { update }),
    ...(goto === undefined ? {} : { goto: toGoto(goto) }),
  });
}

/** The part of the state that a command writes; null when it writes none. */
export const commandUpdate = ({ update }: RunCommand): Record<string, unknown> | null =>
  isObject(update) ? toGraphInput(assignMessageIds(update)) : null;

/** A node's name, `{node, input}`, or a list of these; anything else is left out. */
function toGoto(goto: JsonValue): (string | Send)[] {
  const list = Array.isArray(goto) ? goto : [goto];
  return list.flatMap((target): (string | Send)[] => {
    if (typeof target === "string") return [target];
    if (isObject(target) && typeof target["node"] === "string")
      return [new Send(target["node"], target["input"])];
    return [];
  });
}
