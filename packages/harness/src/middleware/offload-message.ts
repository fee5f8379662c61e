/** The messages around an offloaded text: what is measured of them, and how they look with less of it. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { fullTextOf, keptTextOf, type KeptText, withContentAlone } from "../tools/define-tool.js";
import { textOf, withText } from "./offload-text.js";

/** What a tool had to say. */
export interface Said {
  /** The whole of it, also where the tool has cut its message. */
  readonly text: string;
  /** What stands in the message behind the end of that text, such as how a command ended; mostly empty. */
  readonly ending: string;
  /** The file that the text is in already, where it is. */
  readonly kept?: KeptText;
}

const COMPARED_CHARACTERS = 200;
const MAX_ENDING_CHARACTERS = 2000;

export function saidIn(message: ToolMessage): Said {
  const kept = keptTextOf(message);
  // The stub says where the file is in its own words.
  const own = kept === undefined ? textOf(message) : textOf(message).replace(`\n${kept.note}`, () => "");
  const full = fullTextOf(message);
  if (full === undefined || (kept === undefined && full.length <= own.length)) {
    return { text: own, ending: "" };
  }
  const end = full.trimEnd().slice(-COMPARED_CHARACTERS);
  const at = own.lastIndexOf(end);
  const ending = at === -1 ? "" : own.slice(at + end.length).trim();
  return {
    text: full,
    ending: ending.slice(0, MAX_ENDING_CHARACTERS),
    ...(kept === undefined ? {} : { kept }),
  };
}

/** The same answer with one text for all its text; media and everything else stay. What was left out is let go. */
export const toolMessageWith = (message: ToolMessage, text: string): ToolMessage =>
  withContentAlone(message, withText(message.content, text));

/** The same message of the user with other content or further facts. */
export function humanMessageWith(
  message: HumanMessage,
  changed: Partial<Pick<HumanMessage, "content" | "additional_kwargs">>,
): HumanMessage {
  const { id, name, content, additional_kwargs, response_metadata } = message;
  return new HumanMessage({
    content,
    additional_kwargs,
    response_metadata,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...changed,
  });
}

type ChangeMessage = (message: ToolMessage) => Promise<ToolMessage>;

/** The result with every tool message in it changed; itself when none was. */
export async function mapToolMessages(
  result: ToolMessage | Command,
  change: ChangeMessage,
): Promise<ToolMessage | Command> {
  if (ToolMessage.isInstance(result)) return change(result);
  const { update } = result;
  if (update === undefined || update === null) return result;
  const fields: readonly (readonly [string, unknown])[] = Array.isArray(update)
    ? (update as [string, unknown][])
    : Object.entries(update);
  const changed = await Promise.all(
    fields.map(
      async ([field, value]): Promise<[string, unknown]> =>
        field === "messages" ? [field, await mapMessages(value, change)] : [field, value],
    ),
  );
  if (changed.every(([, value], index) => value === fields[index]?.[1])) return result;
  return new Command({
    update: Array.isArray(update) ? changed : Object.fromEntries(changed),
    ...(result.goto === undefined ? {} : { goto: result.goto }),
    ...(result.graph === undefined ? {} : { graph: result.graph }),
    ...(result.resume === undefined ? {} : { resume: result.resume }),
  });
}

/** What is no tool message, a marker that empties the list among it, stays where it is. */
async function mapMessages(written: unknown, change: ChangeMessage): Promise<unknown> {
  if (ToolMessage.isInstance(written)) return change(written);
  if (!Array.isArray(written)) return written;
  const changed = await Promise.all(
    written.map((message: unknown) => (ToolMessage.isInstance(message) ? change(message) : message)),
  );
  return changed.some((message, index) => message !== written[index]) ? changed : written;
}
