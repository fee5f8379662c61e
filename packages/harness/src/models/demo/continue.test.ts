/** What the demo model does after a stop: it goes on, and repeats nothing that is done. */
import { readFileSync } from "node:fs";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { answerDanglingToolCalls } from "../../middleware/dangling-tool-calls.js";
import { ALL_TOOLS, DemoWorld, FILE_TOOLS } from "../../testing/demo-world.js";
import type { PlannedCall } from "./turn.js";

const example = (name: string) =>
  readFileSync(new URL(`../../../../../examples/${name}`, import.meta.url), "utf8");

interface Task {
  readonly text: string;
  readonly file: string;
  readonly tools: readonly string[];
  readonly result: string;
}
const TASKS: Record<string, Task> = {
  "a table": { text: "Profile it", file: "sales.csv", tools: ALL_TOOLS, result: "revenue: sum 2980.70" },
  "a table without a shell": {
    text: "Profile it",
    file: "sales.csv",
    tools: FILE_TOOLS,
    result: "revenue: sum 2980.70",
  },
  "a folder": { text: "Survey it", file: "notes/plan.md", tools: ALL_TOOLS, result: "1 file with 13 lines" },
};
const REQUESTS: Record<string, (messages: readonly BaseMessage[]) => readonly BaseMessage[]> = {
  "no answer": (messages) => messages,
  "a placeholder": answerDanglingToolCalls,
};
const open = ({ text, file }: Task) => new DemoWorld(text, { [file]: example(file) });
const isTurn = (message: BaseMessage) => AIMessage.isInstance(message);

/** A world that was stopped behind its first `kept` messages; the last turn's calls were carried out or not. */
function stopped(task: Task, whole: DemoWorld, kept: number, carriedOut: boolean): DemoWorld {
  const world = open(task);
  const turns = whole.messages.slice(0, kept).filter(isTurn).length;
  for (let turn = 1; turn <= turns; turn += 1) {
    const next = world.next(task.tools);
    const ids = world.say(next);
    if (turn < turns || carriedOut || kept > world.messages.length) world.carryOut(next, ids, task.tools);
  }
  world.messages.splice(kept);
  return world;
}

const key = ({ name, args }: PlannedCall) => JSON.stringify([name, args["path"], args["command"]]);
const completed = ({ args }: PlannedCall): number =>
  (args["todos"] as { status: string }[]).filter(({ status }) => status === "completed").length;

/** The calls of a world that were answered, and how far its plan was. */
function standOf({ messages }: DemoWorld) {
  const answered = new Set(
    messages.map((message) => ("tool_call_id" in message ? message.tool_call_id : "")),
  );
  const calls = messages.flatMap((message) =>
    AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
  );
  return {
    done: new Set(calls.filter(({ id }) => answered.has(id ?? "")).map(key)),
    plan: Math.max(0, ...calls.filter(({ name }) => name === "write_todos").map(completed)),
  };
}

describe.each(Object.entries(TASKS))("%s that was stopped", (_, task) => {
  const whole = open(task);
  whole.play(task.tools);
  const places = whole.messages.flatMap((message, index) =>
    index === 0 || index === whole.messages.length - 1
      ? []
      : [
          { kept: index + 1, carriedOut: true },
          ...(isTurn(message) ? [{ kept: index + 1, carriedOut: false }] : []),
        ],
  );

  it.each(Object.entries(REQUESTS))(
    "reaches the same report from any place, with %s for open calls",
    (__, request) => {
      for (const { kept, carriedOut } of places) {
        const world = stopped(task, whole, kept, carriedOut);
        const { done, plan } = standOf(world);
        world.request = request;
        world.calls.length = 0;
        world.messages.push(new HumanMessage("continue"));
        const at = world.messages.length;
        expect(world.play(task.tools)).toContain(task.result);
        expect(String(world.messages[at]?.content)).toContain("I go on where I was stopped.");
        expect(world.report).toBe(whole.report);

        const commands = world.calls.filter(({ name }) => name === "bash").map(key);
        expect(commands.filter((command) => done.has(command) || command.includes("curl"))).toEqual(
          [...done].some((call) => call.includes("curl")) || kept >= firstCurl(whole)
            ? []
            : [expect.stringContaining("curl")],
        );
        const plans = world.calls.filter(({ name }) => name === "write_todos").map(completed);
        expect(plans).toEqual(plans.toSorted((left, right) => left - right));
        expect(plans.every((length) => length >= plan)).toBe(true);
      }
    },
  );
});

/** How many messages there are with the turn that tries the download; more than any where none does. */
const firstCurl = ({ messages }: DemoWorld): number => {
  const place = messages.findIndex(
    (message) => AIMessage.isInstance(message) && JSON.stringify(message.tool_calls).includes("curl"),
  );
  return place < 0 ? 0 : place + 1;
};

describe("continue", () => {
  const task = TASKS["a table"]!;
  const kept = (whole: DemoWorld, call: string) =>
    whole.messages.findIndex(
      (message) => AIMessage.isInstance(message) && JSON.stringify(message.tool_calls).includes(call),
    ) + 1;
  const goOn = (call: string, carriedOut: boolean) => {
    const whole = open(task);
    whole.play(task.tools);
    const world = stopped(task, whole, kept(whole, call), carriedOut);
    world.calls.length = 0;
    world.messages.push(new HumanMessage("continue"));
    world.play(task.tools);
    const calls = world.calls.filter(({ name }) => name !== "write_todos");
    return calls.map(({ name, args }) => `${name} ${String(args["description"])}`);
  };

  it("reads whether a write that was cut off took place, and writes only what is missing", () => {
    const look = "read_file Read profile.mjs as it is now (Write the program that profiles the table)";
    const write = "write_file Write the program that profiles the table";
    expect(goOn("Write the program", true).slice(0, 2)).toEqual([look, "bash Profile sales.csv"]);
    expect(goOn("Write the program", false).slice(0, 3)).toEqual([look, write, "bash Profile sales.csv"]);
  });

  it("reads whether a check that was cut off took place", () => {
    const look = "read_file Read report.md as it is now (Let the program add a check to the report)";
    expect(goOn("add a check", true).slice(0, 2)).toEqual([look, "write_file Add the notes to the report"]);
    expect(goOn("add a check", false).slice(0, 2)).toEqual([
      look,
      "bash Let the program add a check to the report",
    ]);
  });

  it("runs a program again whose answer was lost, and nothing before it", () => {
    expect(goOn("Profile sales.csv", true)[0]).toBe("bash Profile sales.csv");
    expect(goOn("Total by region", true)[0]).toBe("bash Total by region");
  });

  it("gives the result again after a finished task, and does nothing", () => {
    const world = open(task);
    const result = world.play(task.tools);
    world.calls.length = 0;
    world.messages.push(new HumanMessage("go on"));
    expect(world.play(task.tools)).toBe(`That task is finished; here is its result again.\n\n${result}`);
    expect(world.calls).toEqual([]);
  });

  it("tries once more what failed in a task that was answered", () => {
    const world = new DemoWorld("Profile /mnt/user-data/uploads/late.csv", {});
    expect(world.play(task.tools)).toContain("I cannot read late.csv");
    world.files.set("/mnt/user-data/uploads/late.csv", "who,n\nA,1\n");
    world.messages.push(new HumanMessage("continue"));
    expect(world.next(task.tools).text).toContain("I try once more.");
    expect(world.play(task.tools)).toContain("late.csv has 1 row and 2 columns.");
  });
});
