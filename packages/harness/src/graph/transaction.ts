/** The state during one run of the model node: what the hooks have changed so far, and the writes that make it so. */
import { type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { Command, Overwrite, REMOVE_ALL_MESSAGES, type Send } from "@langchain/langgraph";
import type { AgentState, StateUpdate } from "./agent-state.js";
import { isRemoveAll } from "./messages-reducer.js";
import { overwriteOf } from "../langgraph/private-keys.js";
import type { AgentStateSchema } from "./state-schema.js";

/** Where the graph goes next: nodes by name, or Sends. */
export type Goto = string | Send | readonly (string | Send)[];

type Write = readonly [field: string, value: unknown];

/**
 * Lets several hooks run in one node as if each were a node of its own: each sees what those before it changed,
 * and at the end one commit writes it all. `state` is at any moment what the channels will hold after the commit.
 */
export class Transaction {
  readonly #schema: AgentStateSchema;
  readonly #state: AgentState;
  #writes: Write[] = [];
  readonly #overwritten = new Set<string>();

  constructor(schema: AgentStateSchema, state: AgentState) {
    this.#schema = schema;
    this.#state = { ...state, messages: state.messages ?? [] };
  }

  get state(): AgentState {
    return this.#state;
  }

  /** @throws Error when a value does not fit its schema, with LangGraph's own wording */
  async apply(update: StateUpdate): Promise<void> {
    const { messages, ...rest } = update;
    // A hook that hands the whole state back did not mean to append the conversation to itself.
    const changed = messages === undefined || messages === this.#state.messages ? rest : update;
    const parsed = await this.#schema.validate(changed);
    for (const [field, value] of Object.entries(parsed)) this.#applyField(field, value, changed[field]);
  }

  /** Writes of one field stay in their order; the last command carries the way on. */
  commit(goto: Goto): Command[] {
    const updates: Record<string, unknown>[] = [];
    for (const [field, value] of this.#netWrites()) {
      const free = updates.find((update) => !(field in update));
      if (free === undefined) updates.push({ [field]: value });
      else free[field] = value;
    }
    const last = updates.pop() ?? {};
    // The cast only drops `readonly`, which the constructor's type does not know.
    const target = goto as string | Send | (string | Send)[];
    return [...updates.map((update) => new Command({ update })), new Command({ update: last, goto: target })];
  }

  /** The raw value is written, not the parsed one: LangGraph parses every write itself, and once is enough. */
  #applyField(field: string, value: unknown, raw: unknown): void {
    const reducer = this.#schema.reducer(field);
    if (reducer === undefined) {
      this.#writes = [...this.#writes.filter(([name]) => name !== field), [field, raw]];
      this.#state[field] = value;
      return;
    }
    if (value === undefined) return;
    const current = this.#state[field];
    const replaced = overwriteOf(value);
    if (replaced !== undefined) {
      this.#overwritten.add(field);
      this.#state[field] = replaced.value;
    } else {
      this.#state[field] = current === undefined ? value : reducer(current, value);
    }
    // Settled messages carry the ids that the state now shows; the raw ones might get others.
    this.#writes.push([field, field === "messages" ? value : raw]);
  }

  #netWrites(): readonly Write[] {
    const messages = this.#writes.flatMap(([field, value]) => (field === "messages" ? [value] : []));
    const others = this.#writes.filter(([field]) => field !== "messages" && !this.#overwritten.has(field));
    const overwrites = [...this.#overwritten]
      .filter((field) => field !== "messages")
      .map((field): Write => [field, new Overwrite(this.#state[field])]);
    return [
      ...others,
      ...overwrites,
      ...this.#netMessages(messages).map((list): Write => ["messages", list]),
    ];
  }

  #netMessages(writes: readonly unknown[]): readonly (readonly BaseMessage[])[] {
    // The casts are sound: the schema settled every write of messages into a list, or into an overwrite.
    const lists = writes.map((write) => (overwriteOf(write)?.value ?? write) as readonly BaseMessage[]);
    const replaced = this.#overwritten.has("messages") || lists.some((list) => list.some(isRemoveAll));
    // What follows a remove-all is stored as it stands, duplicates and all, so the net list is written instead.
    if (replaced) return [[new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...this.#state.messages]];
    return foldMessages(lists);
  }
}

/**
 * Joins writes of messages into as few as give the same result: the last version of a message at its first place.
 * A write with a removal stands alone, because "remove, then add again" moves a message and one write would not.
 */
export function foldMessages(
  writes: readonly (readonly BaseMessage[])[],
): readonly (readonly BaseMessage[])[] {
  const folded: BaseMessage[][] = [];
  let open: BaseMessage[] | undefined;
  for (const write of writes.filter((list) => list.length > 0)) {
    if (write.some((message) => RemoveMessage.isInstance(message))) {
      folded.push([...write]);
      open = undefined;
    } else if (open === undefined) {
      open = lastVersions(write);
      folded.push(open);
    } else {
      open.splice(0, open.length, ...lastVersions([...open, ...write]));
    }
  }
  return folded;
}

const lastVersions = (messages: readonly BaseMessage[]): BaseMessage[] => [
  ...new Map(messages.map((message) => [message.id, message])).values(),
];
