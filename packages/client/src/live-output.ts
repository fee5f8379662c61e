/** What running tools print, as the events of the stream mode `custom` tell it. */
import { recordOf } from "./json.js";

export interface LiveOutput {
  /** The end of it, at most {@link SHOWN_CHARACTERS}. */
  readonly text: string;
  /** True when nothing more of it is told before the result. */
  readonly isCut: boolean;
}

/** By the id of the tool call. */
export type LiveOutputs = Readonly<Record<string, LiveOutput>>;

const SHOWN_CHARACTERS = 8000;
/** Colours and other commands to a terminal. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const TERMINAL_COMMANDS = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

const isEvent = (
  data: Readonly<Record<string, unknown>>,
): data is { tool_call_id: string; text: string; truncated?: unknown } =>
  data["type"] === "tool_output" &&
  typeof data["tool_call_id"] === "string" &&
  typeof data["text"] === "string";

/** With one event more; the same where the event is none of these. */
export function withLiveOutput(before: LiveOutputs, event: unknown): LiveOutputs {
  const data = recordOf(event);
  if (!isEvent(data)) return before;
  const { tool_call_id: id, text } = data;
  const isCut = data.truncated === true;
  const known = Object.hasOwn(before, id) ? (before[id]?.text ?? "") : "";
  // The last event speaks English; who shows it says so in the reader's language.
  const whole = isCut ? known : known + plain(text);
  return { ...before, [id]: { text: whole.slice(-SHOWN_CHARACTERS), isCut } };
}

/** A carriage return begins a line anew in a terminal; here it begins another. */
const plain = (text: string): string => text.replaceAll(TERMINAL_COMMANDS, "").replaceAll(/\r\n?/g, "\n");
