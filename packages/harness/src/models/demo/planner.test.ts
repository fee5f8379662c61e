import { readFileSync } from "node:fs";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { MAXIMUM_TURNS, planNextTurn } from "./planner.js";
import { parseTable, profileTable, totalsBy } from "./table-profile.js";
import type { PlannedCall, Turn } from "./turn.js";

const example = (name: string) =>
  readFileSync(new URL(`../../../../../examples/${name}`, import.meta.url), "utf8");
const UPLOADS = "/mnt/user-data/uploads";
const REPORT = "/mnt/user-data/outputs/report.md";
const FILE_TOOLS = ["ls", "glob", "grep", "read_file", "write_file", "write_todos", "present_files"];
const ALL_TOOLS = [...FILE_TOOLS, "bash"];

/** The tools as the planner meets them: files in memory, the gate in front of writes, the audit of commands. */
class World {
  readonly files = new Map<string, string>();
  readonly messages: BaseMessage[];
  readonly calls: PlannedCall[] = [];
  readonly read = new Map<string, string>();
  gate = true;
  pageLines = Number.POSITIVE_INFINITY;
  broken: (call: PlannedCall) => string | undefined = () => undefined;

  constructor(task: string, files: Record<string, string>) {
    this.messages = [new HumanMessage(task)];
    for (const [path, content] of Object.entries(files)) this.files.set(`${UPLOADS}/${path}`, content);
  }

  /** Plays until the model is done; the last text. */
  play(tools: readonly string[], most = 40): string {
    for (let turns = 0; turns < most; turns += 1) {
      const turn = planNextTurn(this.messages, tools);
      if (turn.calls.length === 0) {
        this.messages.push(new AIMessage(turn.text));
        return turn.text;
      }
      this.answer(turn, tools);
    }
    throw new Error("the model did not come to an end");
  }

  answer(turn: Turn, tools: readonly string[]): void {
    const ids = turn.calls.map((_, index) => `${this.messages.length}-${index}`);
    this.messages.push(
      new AIMessage({
        content: turn.text,
        tool_calls: turn.calls.map(({ name, args }, index) => ({
          type: "tool_call",
          id: ids[index]!,
          name,
          args,
        })),
      }),
    );
    for (const [index, call] of turn.calls.entries()) {
      expect(tools).toContain(call.name);
      this.calls.push(call);
      const [content, failed] = this.run(call);
      const status = failed ? "error" : "success";
      this.messages.push(new ToolMessage({ tool_call_id: ids[index]!, content, status }));
    }
  }

  run(call: PlannedCall): [string, boolean] {
    const broken = this.broken(call);
    if (broken !== undefined) return [broken, true];
    const { name, args } = call;
    const path = String(args["path"]);
    if (name === "glob" || name === "ls")
      return [[...this.files.keys()].filter((file) => file.startsWith(path)).join("\n"), false];
    if (name === "grep") return [this.grep(path, new RegExp(String(args["pattern"]))), false];
    if (name === "read_file") return this.readFile(path, args);
    if (name === "write_file") return this.writeFile(path, args);
    if (name === "bash") return this.bash(String(args["command"]));
    return ["ok", false];
  }

  grep(path: string, pattern: RegExp): string {
    return [...this.files]
      .filter(([file]) => file.startsWith(path))
      .flatMap(([file, text]) =>
        text
          .split("\n")
          .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line}`] : [])),
      )
      .join("\n");
  }

  readFile(path: string, args: PlannedCall["args"]): [string, boolean] {
    const content = this.files.get(path);
    if (content === undefined) return [`There is no file ${path}.`, true];
    const lines = content.replaceAll("\r\n", "\n").match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const from = Number(args["start_line"] ?? 1);
    const to = Math.min(Number(args["end_line"] ?? lines.length), from + this.pageLines - 1, lines.length);
    this.read.set(path, content);
    const cut = to < lines.length && args["end_line"] === undefined;
    const notice = cut
      ? `[Cut at 9 characters: lines ${from} to ${to} of ${lines.length}. Go on with start_line=${to + 1}.]`
      : "";
    return [lines.slice(from - 1, to).join("") + notice, false];
  }

  writeFile(path: string, args: PlannedCall["args"]): [string, boolean] {
    const before = this.files.get(path);
    if (this.gate && before !== undefined && this.read.get(path) !== before)
      return ["The file was not read.", true];
    const content = String(args["content"]);
    this.files.set(path, args["append"] === true ? (before ?? "") + content : content);
    return ["Wrote.", false];
  }

  bash(command: string): [string, boolean] {
    if (command.startsWith("curl")) return ["The command was refused: a download piped into a shell.", true];
    const [, file = "", delimiter, column, report] =
      /profile\.mjs '(.+)' (\w+)(?: (\d+))?(?: (\S+))?$/.exec(command) ?? [];
    const table = parseTable(
      this.files.get(file.replaceAll(`'\\''`, "'")) ?? "",
      { comma: ",", semicolon: ";" }[delimiter ?? ""] ?? ",",
    );
    const profile = profileTable(table);
    if (report !== undefined) {
      const before = this.files.get(report) ?? "";
      if (!before.includes("## Check")) this.files.set(report, `${before}\n## Check\n`);
      return ["checked", false];
    }
    const answer =
      column === undefined ? profile : totalsBy(table, profile, table.names[Number(column) - 1] ?? "");
    return [`${JSON.stringify(answer)}\n[exit code 0]`, false];
  }

  get report(): string {
    return this.files.get(REPORT) ?? "";
  }
}

const sales = () => new World("Profile sales.csv and write a report.", { "sales.csv": example("sales.csv") });
const used = (world: World, name: string) => world.calls.filter((call) => call.name === name);

describe("the demo model with a table", () => {
  it("plans, computes, reports and presents with the numbers that were added up by hand", () => {
    const world = sales();
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("revenue: sum 2980.7, mean 270.9727, from 59.7 to 698");
    expect(text).toContain("Top region: East with revenue 916.5 in 3 rows");
    expect(world.report).toContain("| revenue | 2980.7 | 270.9727 | 59.7 | 698 |");
    expect(world.report).toContain(
      "| East | 3 | 4 | 567.5 | 916.5 |\n| North | 4 | 9 | 587.4 | 894.2 |\n" +
        "| West | 2 | 16 | 108.9 | 733 |\n| South | 3 | 4 | 238.4 | 437 |",
    );
    expect(used(world, "present_files")).toEqual([{ name: "present_files", args: { filepaths: [REPORT] } }]);
  });

  it("shows a refused command and a refused stale write, recovers from both, and says so", () => {
    const world = sales();
    const text = world.play(ALL_TOOLS);
    expect(used(world, "bash")[0]?.args["command"]).toContain("| bash");
    expect(text).toContain("A download piped into a shell was refused");
    expect(text).toContain("A change of the report that I had not read was refused");
    expect(world.report.match(/## How this was made/g)).toHaveLength(1);
    expect(world.report.indexOf("## Check")).toBeLessThan(world.report.indexOf("## How this was made"));
  });

  it("keeps one step in progress until all are completed", () => {
    const world = sales();
    world.play(ALL_TOOLS);
    const statuses = used(world, "write_todos").map(({ args }) =>
      (args["todos"] as { status: string }[]).map(({ status }) => status),
    );
    expect(statuses[0]).toEqual(["in_progress", "pending", "pending", "pending"]);
    expect(statuses.at(-1)).toEqual(["completed", "completed", "completed", "completed"]);
    expect(
      statuses.slice(0, -1).every((list) => list.filter((status) => status === "in_progress").length === 1),
    ).toBe(true);
  });

  it("reads the table page by page where there is no shell, and says so", () => {
    const world = sales();
    world.pageLines = 5;
    const text = world.play(FILE_TOOLS);
    expect(text).toContain("revenue: sum 2980.7");
    expect(text).toContain("no program ran");
    expect(text).toContain("A change of the report that I had not read was refused");
    expect(used(world, "bash")).toEqual([]);
    expect(used(world, "read_file").map(({ args }) => args["start_line"])).toContain(11);
  });

  it("reads the table where the program gives no numbers, and says why", () => {
    const world = sales();
    world.broken = ({ name, args }) =>
      name === "bash" && String(args["command"]).startsWith("node") ? "bash: node: not found" : undefined;
    expect(world.play(ALL_TOOLS)).toContain("revenue: sum 2980.7");
    expect(world.report).toContain("The program did not answer with numbers.");
    expect(used(world, "bash").filter(({ args }) => String(args["command"]).startsWith("node"))).toHaveLength(
      2,
    );
  });

  it("does not ask again for what a person rejected", () => {
    const world = sales();
    world.broken = ({ name }) => (name === "bash" ? "User rejected the tool call." : undefined);
    expect(world.play(ALL_TOOLS)).toContain("revenue: sum 2980.7");
    expect(used(world, "bash")).toHaveLength(2);
  });

  it("reaches the same report after a stop at any place, with continue", () => {
    const whole = sales();
    whole.play(ALL_TOOLS);
    const length = whole.messages.length;
    for (let cut = 1; cut < length; cut += 1) {
      const world = sales();
      const most = whole.messages.slice(0, cut).filter((message) => AIMessage.isInstance(message)).length;
      for (let turn = 0; turn < most; turn += 1)
        world.answer(planNextTurn(world.messages, ALL_TOOLS), ALL_TOOLS);
      // A crash loses answers that were not yet stored; the tools have run all the same.
      world.messages.splice(cut);
      world.messages.push(new HumanMessage("continue"));
      expect(world.play(ALL_TOOLS)).toContain("revenue: sum 2980.7");
      expect(world.report).toBe(whole.report);
    }
  });

  it("writes over the report of an earlier task in the same thread", () => {
    const world = sales();
    world.play(ALL_TOOLS);
    world.messages.push(new HumanMessage("Profile sales.csv again, totals by product"));
    expect(world.play(ALL_TOOLS)).toContain("Top product: Chair with revenue 1157");
    expect(world.report).toContain("Totals by product");
    expect(world.report).not.toContain("Totals by region");
  });

  it("says so when the table cannot be read or is empty", () => {
    const missing = new World(`Profile ${UPLOADS}/none.csv`, {});
    expect(missing.play(ALL_TOOLS)).toContain("I cannot read none.csv: There is no file");
    expect(new World("Profile it", { "empty.csv": "" }).play(ALL_TOOLS)).toContain("empty.csv is empty");
  });

  it("quotes the name of the file and keeps hostile cells out of the report's markup", () => {
    const world = new World("Total it", {
      "it's; rm -rf x.csv": "who,n\n[x](http://e.vil)|y,1\n[x](http://e.vil)|y,2\nb,3\nb,4\n",
    });
    world.play(ALL_TOOLS);
    expect(used(world, "bash")[1]?.args["command"]).toContain(String.raw`'${UPLOADS}/it'\''s; rm -rf x.csv'`);
    expect(world.report).toContain(String.raw`\[x\](http://e.vil)\|y`);
  });
});

describe("the demo model with a folder", () => {
  const notes = { "notes/plan.md": "", "notes/ideas.md": "", "notes/minutes.txt": "" };
  for (const name of Object.keys(notes) as (keyof typeof notes)[]) notes[name] = example(name);

  it("counts what the files hold", () => {
    const world = new World("Give me an overview of these notes.", notes);
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("3 files with 28 lines, 82 words, 5 headings, 3 links, 3 notes of open work");
    expect(world.report).toContain("| plan.md | 13 | 38 | 3 | 2 |");
    expect(world.report).toContain("minutes.txt, line 3: TODO Ben writes to the bank");
    expect(world.report.match(/## How this was made/g)).toHaveLength(1);
  });

  it("surveys code by language and goes on without a file that cannot be read", () => {
    const world = new World("Survey the code.", {
      "src/a.ts": "a\nb\n",
      "src/b.py": "c\n",
      "src/c.ts": "d\n",
    });
    world.broken = ({ args }) => (String(args["path"]).endsWith("c.ts") ? "No." : undefined);
    world.play(FILE_TOOLS);
    expect(world.report).toContain("| TypeScript | 1 | 2 |\n| Python | 1 | 1 |");
    expect(world.report).toContain("src/c.ts could not be read.");
  });
});

describe("the demo model with anything else", () => {
  it("says what it is and how to connect a real model", () => {
    for (const task of ["Hello!", "Write me a poem about the sea."]) {
      const turn = planNextTurn([new HumanMessage(task)], ALL_TOOLS);
      expect(turn.calls).toEqual([]);
      expect(turn.text).toContain("a script, not an AI");
      expect(turn.text).toContain("ANTHROPIC_API_KEY");
    }
  });

  it("says that there are no files when there are none", () => {
    expect(new World("Summarize my files", {}).play(ALL_TOOLS)).toContain("I found no files.");
  });

  it("calls nothing that is not offered", () => {
    expect(planNextTurn([new HumanMessage("Profile sales.csv")], [])).toMatchObject({ calls: [] });
  });

  it("ends by itself when everything fails for ever", () => {
    const world = sales();
    world.broken = () => "No.";
    expect(world.play(ALL_TOOLS)).toBeTypeOf("string");
    const looping = Array.from({ length: MAXIMUM_TURNS }, () => new AIMessage("x"));
    expect(planNextTurn([new HumanMessage("Profile a.csv"), ...looping], ALL_TOOLS).text).toContain(
      "stop here",
    );
  });

  it("takes no message of the machinery for a task", () => {
    const hidden = new HumanMessage({
      content: "You repeat yourself.",
      additional_kwargs: { hide_from_ui: true },
    });
    const turn = planNextTurn([new HumanMessage("Profile sales.csv"), hidden], ALL_TOOLS);
    expect(turn.calls.map(({ name }) => name)).toEqual(["glob"]);
  });
});
