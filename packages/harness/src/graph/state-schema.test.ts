import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, DeltaValue, ReducedValue, StateSchema } from "@langchain/langgraph";
import { registry } from "@langchain/langgraph/zod";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { AgentStateSchema } from "./state-schema.js";

const appended = (left: string[], right: string[]) => [...left, ...right];
const list = () => z.array(z.string()).default(() => []);

describe("AgentStateSchema", () => {
  it("merges StateSchemas and Zod objects of both versions; of one field the earlier wins", () => {
    const schema = new AgentStateSchema(z.object({ title: z.string().default("own") }), [
      createMiddleware({
        name: "a",
        stateSchema: new StateSchema({ log: new ReducedValue(list(), { reducer: appended }) }),
      }),
      createMiddleware({ name: "b", stateSchema: z3.object({ old: z3.number().default(3) }) as never }),
      createMiddleware({
        name: "c",
        stateSchema: z.object({ title: z.number().default(5), _private: z.string() }),
      }),
    ]);
    expect(schema.fields).toEqual(["messages", "title", "log", "old", "_private"]);
    const { title, old } = schema.schema.getChannels();
    expect([title?.get(), old?.get()]).toEqual(["own", 3]);
  });

  it("knows the reducer of a field, wherever it was declared", () => {
    const registered = list().register(registry, { reducer: { fn: appended, schema: z.array(z.string()) } });
    const schema = new AgentStateSchema(z.object({ registered, plain: z.string() }), [
      createMiddleware({
        name: "m",
        stateSchema: new StateSchema({
          delta: new DeltaValue(list(), { reducer: (left, writes) => [...left, ...writes.flat()] }),
        }),
      }),
    ]);
    expect(schema.reducer("registered")?.(["a"], ["b"])).toEqual(["a", "b"]);
    expect(schema.reducer("delta")?.(["a"], ["b"])).toEqual(["a", "b"]);
    expect(schema.reducer("plain")).toBeUndefined();
    expect(schema.reducer("messages")?.([], new HumanMessage("x"))).toHaveLength(1);
  });

  it("shows a middleware the messages and its own fields only", () => {
    const mine = createMiddleware({
      name: "mine",
      stateSchema: z.object({ count: z.number(), later: z.string() }),
    });
    const other = createMiddleware({ name: "other" });
    const schema = new AgentStateSchema(z.object({ title: z.string() }), [mine, other]);
    const state = { messages: [], count: 1, title: "T" };
    expect(schema.view(mine, state)).toEqual({ messages: [], count: 1 });
    expect(schema.view(other, state)).toEqual({ messages: [] });
  });

  it("parses an update, settles its messages and drops what it does not know", async () => {
    const schema = new AgentStateSchema(z.object({ title: z.string().trim() }), []);
    const { messages, ...rest } = await schema.validate({ messages: "hi", title: " T ", unknown: 1 });
    expect(rest).toEqual({ title: "T" });
    expect((messages as BaseMessage[]).map(({ text, id }) => [text, typeof id])).toEqual([["hi", "string"]]);
  });

  it("refuses a schema that it cannot read, and says whose it is", () => {
    const odd = createMiddleware({
      name: "odd",
      stateSchema: Annotation.Root({ x: Annotation<string>() }) as never,
    });
    expect(() => new AgentStateSchema(undefined, [odd])).toThrow(
      "The state schema of the middleware odd is neither",
    );
  });
});
