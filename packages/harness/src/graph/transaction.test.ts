import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import {
  type Command,
  MemorySaver,
  Overwrite,
  ReducedValue,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AgentStateSchema } from "./state-schema.js";
import { foldMessages, Transaction } from "./transaction.js";

const schema = new AgentStateSchema(
  new StateSchema({
    log: new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.array(z.string()), reducer: (current, added) => [...current, ...added] },
    ),
    title: z.string().trim().optional(),
  }),
  [],
);
const human = (id: string, content = id) => new HumanMessage({ id, content });
const empty = () => new Transaction(schema, { messages: [] });

/** What the channels really hold after the commit. */
async function stored(updates: readonly Record<string, unknown>[], before: BaseMessage[] = []) {
  const node = async (state: { messages: BaseMessage[] }) => {
    const transaction = new Transaction(schema, state);
    for (const update of updates) await transaction.apply(update);
    expected = transaction.state;
    return transaction.commit([]);
  };
  let expected: Record<string, unknown> = {};
  const graph = new StateGraph(schema.schema)
    .addNode("node", node)
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() });
  const actual = await graph.invoke({ messages: before }, { configurable: { thread_id: "t" } });
  return { expected, actual };
}

describe("Transaction", () => {
  it("shows each hook what those before it changed, and commits it as one command", async () => {
    const transaction = empty();
    await transaction.apply({ messages: [human("1")], log: ["a"] });
    await transaction.apply({ messages: human("2"), title: " Title " });
    expect(transaction.state).toMatchObject({ log: ["a"], title: "Title" });
    expect(transaction.state.messages.map(({ id }) => id)).toEqual(["1", "2"]);
    const commands = transaction.commit("tools");
    expect(commands.map(({ update, goto }) => [update, goto])).toEqual([
      [{ log: ["a"], messages: transaction.state.messages, title: " Title " }, ["tools"]],
    ]);
  });

  it("writes a reduced field once for each update, in order, and a plain field only the last time", async () => {
    const transaction = empty();
    await transaction.apply({ log: ["a"], title: "one" });
    await transaction.apply({ log: ["b"], title: "two" });
    expect(transaction.commit("tools").map(({ update }) => update)).toEqual([
      { log: ["a"], title: "two" },
      { log: ["b"] },
    ]);
  });

  it("ignores fields that the schema does not know, and the conversation handed back as it was", async () => {
    const transaction = new Transaction(schema, { messages: [human("1")] });
    await transaction.apply({ messages: transaction.state.messages, unknown: 1 });
    expect(transaction.commit("tools").map(({ update }) => update)).toEqual([{}]);
  });

  it("refuses a value that does not fit its schema", async () => {
    await expect(empty().apply({ log: "not a list" })).rejects.toThrow('Validation failed for field "log"');
  });

  it("gives a message without id the id under which it is stored", async () => {
    const transaction = empty();
    await transaction.apply({ messages: [{ role: "user", content: "raw" }] });
    const [message] = transaction.state.messages;
    const [command] = transaction.commit("tools") as [Command];
    expect(command.update).toEqual({ messages: [message] });
    expect(message?.id).toBeTruthy();
  });

  it.each<[string, Record<string, unknown>[]]>([
    [
      "an overwrite of a reduced field, and updates after it",
      [{ log: ["a"] }, { log: new Overwrite(["b"]) }, { log: ["c"] }],
    ],
    [
      "a remove-all between additions",
      [
        { messages: [human("2")] },
        { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), human("3"), human("3", "newer")] },
        { messages: [human("4")] },
      ],
    ],
    [
      "a message that is removed and added again",
      [{ messages: [new RemoveMessage({ id: "0" })] }, { messages: [human("2"), human("0", "moved")] }],
    ],
    [
      "a message that replaces one of the same transaction",
      [{ messages: [human("2")] }, { messages: [human("3"), human("2", "edited")] }],
    ],
    ["a plain field that is cleared", [{ title: "x" }, { title: undefined }]],
  ])("shows what the channels will hold after %s", async (_, updates) => {
    const { expected, actual } = await stored(updates, [human("0"), human("1")]);
    expect(actual["messages"].map(({ id, text }: BaseMessage) => [id, text])).toEqual(
      (expected["messages"] as BaseMessage[]).map(({ id, text }) => [id, text]),
    );
    expect(actual["log"]).toEqual(expected["log"]);
    expect(actual["title"]).toEqual(expected["title"]);
  });
});

describe("foldMessages", () => {
  it("gives the same list as one write after the other", async () => {
    const ids = fc.constantFrom("a", "b", "c", "d");
    const write = fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .array(fc.tuple(ids, fc.nat(9)), { maxLength: 3 })
          .map((list) => list.map(([id, n]) => new AIMessage({ id, content: String(n) }))),
      },
      { weight: 1, arbitrary: fc.constantFrom("a", "b").map((id) => [new RemoveMessage({ id })]) },
    );
    const reduce = schema.reducer("messages") as (left: unknown, right: unknown) => BaseMessage[];
    const run = (writes: readonly (readonly BaseMessage[])[]) => {
      try {
        return writes
          .reduce<BaseMessage[]>((list, next) => reduce(list, next), [human("a"), human("b")])
          .map(({ id, text }) => [id, text]);
      } catch {
        return "a removal of what is not there";
      }
    };
    fc.assert(
      fc.property(fc.array(write, { maxLength: 6 }), (writes) => {
        expect(run(foldMessages(writes))).toEqual(run(writes));
      }),
    );
  });
});
