/** Which stream modes a client may ask for, and what each needs from the graph. */
import { DeerflowError } from "../base/errors.js";

/** Modes of LangGraph's `stream` that the runtime uses. */
export type GraphMode =
  | "values"
  | "updates"
  | "messages"
  | "custom"
  | "checkpoints"
  | "tasks"
  | "tools"
  | "debug";

/** A client's mode and the graph's mode that feeds it. */
const FEEDS = {
  values: "values",
  updates: "updates",
  "messages-tuple": "messages",
  messages: "messages",
  custom: "custom",
  checkpoints: "checkpoints",
  tasks: "tasks",
  tools: "tools",
  debug: "debug",
} as const satisfies Record<string, GraphMode>;

/** `messages-tuple` is sent as event `messages`; the older `messages` as `messages/partial` and `/complete`. */
export type StreamMode = keyof typeof FEEDS;

export const STREAM_MODES = Object.keys(FEEDS) as readonly StreamMode[]; // the keys of the table above

const isStreamMode = (mode: string): mode is StreamMode => Object.hasOwn(FEEDS, mode);

/** @throws DeerflowError `stream_mode_unsupported`, naming the supported ones */
export function parseStreamModes(requested: string | readonly string[] | null | undefined): StreamMode[] {
  const modes = typeof requested === "string" ? [requested] : (requested ?? []);
  const parsed = new Set<StreamMode>();
  for (const mode of modes) {
    if (!isStreamMode(mode)) {
      throw new DeerflowError("stream_mode_unsupported", { mode, supported: STREAM_MODES.join(", ") });
    }
    parsed.add(mode);
  }
  return parsed.size === 0 ? ["values"] : [...parsed];
}

/** What the graph must stream: what the client asked for, and what the runtime itself watches. */
export const graphModes = (requested: readonly StreamMode[]): GraphMode[] => [
  ...new Set<GraphMode>(["values", "messages", ...requested.map((mode) => FEEDS[mode])]),
];
