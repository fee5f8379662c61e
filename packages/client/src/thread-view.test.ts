import { readFileSync } from "node:fs";
import { createParser } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import type { StreamFrame } from "./event-source.js";
import { recordOf } from "./json.js";
import { emptyThreadView, threadView, type ThreadAction, type ThreadView } from "./thread-view.js";

const recorded: StreamFrame[] = [];
createParser({
  onEvent: ({ id, event = "", data }) => recorded.push({ id, event, data: JSON.parse(data) }),
}).feed(readFileSync(new URL("./recorded-run.sse.txt", import.meta.url), "utf8"));

const valuesAfter = (count: number) =>
  recordOf(recorded.slice(0, count).findLast(({ event }) => event === "values")?.data);

const play = (view: ThreadView, actions: readonly ThreadAction[]): ThreadView =>
  actions.reduce(threadView, view);
const frames = (list: readonly StreamFrame[]): ThreadAction[] =>
  list.map((frame) => ({ type: "frame", frame }));

const opened = play(emptyThreadView, [{ type: "open", threadId: "t" }]);
const followed = (replay: boolean): ThreadAction => ({ type: "follow", runId: "run-1", replay });
const ended: ThreadAction = { type: "settle", status: "success" };

/** The view without what only tells how it came about. */
const visible = ({ work: _work, ...rest }: ThreadView) => rest;

const live = play(opened, [followed(false), ...frames(recorded), ended]);

describe("threadView", () => {
  it("tells a whole run", () => {
    expect(live.messages.map(({ id, role, text }) => [id, role, text])).toEqual([
      ["h1", "human", "Add up sales.csv"],
      ["a1", "ai", "I read the table first."],
      ["t1", "tool", "1\tregion,amount\n2\tnorth,15\n3\tsouth,30"],
      ["a2", "ai", ""],
      ["t2", "tool", "Wrote /mnt/user-data/outputs/report.md."],
      ["t3", "tool", "The command was blocked: it reads a password file."],
      ["a3", "ai", "The total is **45**."],
    ]);
    expect(live.messages[0]?.files).toEqual([
      { filename: "sales.csv", size: 36, path: "/mnt/user-data/uploads/sales.csv" },
    ]);
    expect(live.messages[1]?.reasoning).toBe("A table came along.");
    expect([live.title, live.phase, live.error, live.artifacts]).toEqual([
      "Sales totals",
      "idle",
      undefined,
      ["/mnt/user-data/outputs/report.md"],
    ]);
    expect(live.todos.map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  it("knows how each tool call went", () => {
    expect(
      Object.values(live.toolCalls).map(({ id, headline, state, code }) => ({ id, headline, state, code })),
    ).toEqual([
      { id: "c1", headline: "Read the uploaded table", state: "done", code: undefined },
      { id: "c2", headline: "Write the report", state: "done", code: undefined },
      { id: "c3", headline: "Look around", state: "refused", code: "command_blocked" },
    ]);
  });

  it("tells how long a call took only where the tool measured it", () => {
    const call = (id: string) => ({ id, name: "bash", args: {} });
    const answer = (id: string, artifact?: unknown) => ({
      type: "tool",
      id: `t-${id}`,
      tool_call_id: id,
      content: "",
      artifact,
    });
    const asked = { type: "ai", id: "a", content: "", tool_calls: [call("c1"), call("c2")] };
    const messages = [asked, answer("c1", { duration_ms: 642 }), answer("c2")];
    const { toolCalls } = play(opened, [{ type: "state", values: { messages } }]);
    expect(Object.values(toolCalls).map(({ durationMs }) => durationMs)).toEqual([642, undefined]);
  });

  it.each(["interrupted", "success"])("still waits for a person when its run has ended as %s", (status) => {
    const waiting = play(opened, [
      followed(false),
      ...frames([{ id: "1", event: "values", data: { __interrupt__: [{ id: "i", value: "May I?" }] } }]),
      { type: "settle", status },
    ]);
    expect(waiting.ending).toBe("waiting");
    expect(play(waiting, [followed(false)]).ending).toBeUndefined();
  });

  it("shows an answer and the arguments of a call while they are being written", () => {
    const early = play(opened, [followed(false), ...frames(recorded.slice(0, 7))]);
    const answer = early.messages.at(-1);
    expect([answer?.text, answer?.reasoning, answer?.streaming]).toEqual([
      "I read the table first.",
      "A table came along.",
      true,
    ]);
    expect(early.toolCalls["c1"]).toMatchObject({ headline: "Read the upl", state: "writing" });
  });

  it.each(recorded.map((_, cut) => [cut] as const))(
    "doubles and loses nothing when the page is reloaded after frame %i and the run is told from its start",
    (cut) => {
      const reloaded = play(opened, [{ type: "state", values: valuesAfter(cut) }, followed(true)]);
      const replayed = play(reloaded, [...frames(recorded), ended]);
      expect(visible(replayed)).toEqual(visible(live));
    },
  );

  it.each(recorded.map((_, cut) => [cut] as const))(
    "never takes away a message during that replay (frame %i)",
    (cut) => {
      let view = play(opened, [{ type: "state", values: valuesAfter(cut) }, followed(true)]);
      const atLoad = view.messages.map(({ id }) => id);
      for (const action of frames(recorded)) {
        view = threadView(view, action);
        expect(view.messages.map(({ id }) => id)).toEqual(expect.arrayContaining(atLoad));
      }
    },
  );

  it("lets a state with fewer messages win outside a replay: the conversation was summarised", () => {
    const short = play(live, [
      { type: "state", values: { messages: [{ type: "ai", id: "s", content: "Short." }] } },
    ]);
    expect(short.messages.map(({ id }) => id)).toEqual(["s"]);
  });

  it("keeps the identity of what did not change", () => {
    const again = play(live, [followed(false), ...frames(recorded.slice(-2)), ended]);
    expect(again.messages).toBe(live.messages);
    expect(again.toolCalls).toBe(live.toolCalls);
    expect(again.todos).toBe(live.todos);
  });

  it("leaves out hidden messages, messages without id, and what an agent inside a tool call says", () => {
    const chunk = { type: "AIMessageChunk", id: "x", content: "inner", tool_call_chunks: [] };
    const quiet = play(opened, [
      followed(false),
      ...frames([
        { id: "1", event: "messages", data: [chunk, { langgraph_checkpoint_ns: "tools:1|model:2" }] },
        { id: "2", event: "messages", data: [chunk, { checkpoint_ns: "tools:1" }] },
        { id: "3", event: "messages|tools:1", data: [chunk, {}] },
        { id: "4", event: "messages", data: [{ ...chunk, id: undefined }, {}] },
        {
          id: "5",
          event: "messages",
          data: [{ type: "human", id: "y", content: "psst", additional_kwargs: { hide_from_ui: true } }, {}],
        },
        { id: "6", event: "messages", data: "nonsense" },
        { id: "7", event: "unheard-of", data: null },
      ]),
    ]);
    expect(quiet.messages).toEqual([]);
  });

  it("shows a message at once when it is sent, and only once when the run tells it", () => {
    const message = {
      id: "h1",
      role: "human",
      text: "Add up sales.csv",
      reasoning: "",
      calls: [],
      files: [],
      streaming: false,
    } as const;
    const sent = play(opened, [{ type: "send", message }]);
    expect([sent.phase, sent.messages.length]).toEqual(["starting", 1]);
    const told = play(sent, [followed(false), ...frames(recorded.slice(0, 2))]);
    expect(told.messages.map(({ id }) => id)).toEqual(["h1"]);
  });

  it("takes a message back that the gateway did not take", () => {
    const message = { ...live.messages[0]!, id: "h2" };
    const back = play(live, [
      { type: "send", message },
      { type: "unsend", messageId: "h2", error: "The gateway does not answer." },
    ]);
    expect([back.messages, back.phase, back.error]).toEqual([
      live.messages,
      "idle",
      "The gateway does not answer.",
    ]);
  });

  it("keeps an answer that was cut off by a stop, and marks calls without a result", () => {
    const cut = play(opened, [
      followed(false),
      ...frames(recorded.slice(0, 8)),
      { type: "stop" },
      { type: "settle", status: "interrupted" },
    ]);
    expect(cut.messages.at(-1)).toMatchObject({ text: "I read the table first.", streaming: false });
    expect(cut.toolCalls["c1"]?.state).toBe("stopped");
    expect([cut.phase, cut.ending]).toEqual(["idle", "interrupted"]);
  });

  it("says why a run failed", () => {
    const failed = play(opened, [
      followed(false),
      ...frames([
        { id: "1", event: "error", data: { error: "ModelError", message: "The model is not there." } },
      ]),
      { type: "settle", status: "error" },
    ]);
    expect([failed.phase, failed.error, failed.ending]).toEqual([
      "idle",
      "The model is not there.",
      undefined,
    ]);
  });

  it("follows the newest title, also from an update before the state", () => {
    const titled = play(
      opened,
      frames([{ id: "1", event: "updates", data: { model: { title: "New" }, tools: null } }]),
    );
    expect(titled.title).toBe("New");
  });

  it("does not believe todos and artifacts of a wrong shape", () => {
    const odd = play(opened, [
      {
        type: "state",
        values: { todos: [{ content: 1, status: "pending" }, null], artifacts: [7, "/a", "/a"] },
      },
    ]);
    expect([odd.todos, odd.artifacts]).toEqual([[], ["/a"]]);
  });

  it("shows what a call prints while it runs, and forgets it with the result", () => {
    const calls = [{ id: "c1", name: "bash", args: {}, type: "tool_call" }];
    const asked = { type: "ai", id: "a1", content: "", tool_calls: calls };
    const answer = { type: "tool", id: "t1", name: "bash", tool_call_id: "c1", content: "done" };
    const values = (...messages: object[]) => ({ event: "values", data: { messages }, id: "1" });
    const printed = (text: string) => ({
      event: "custom",
      data: { type: "tool_output", tool_call_id: "c1", tool: "bash", text },
      id: "2",
    });
    const running = play(opened, [
      followed(false),
      ...frames([values(asked), printed("one\n"), printed("two")]),
    ]);
    expect(running.toolCalls["c1"]).toMatchObject({
      state: "running",
      live: { text: "one\ntwo", isCut: false },
    });
    const [told] = [play(running, frames([values(asked, answer)]))];
    expect(told.toolCalls["c1"]).toMatchObject({ state: "done", live: undefined, result: "done" });
    expect(play(running, [ended]).toolCalls["c1"]?.live).toBeUndefined();
    expect(play(running, [followed(true)]).toolCalls["c1"]?.live).toBeUndefined();
  });
});
