import { readFileSync } from "node:fs";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ALL_TOOLS, DemoWorld, FILE_TOOLS, REPORT, UPLOADS } from "../../testing/demo-world.js";
import { MAXIMUM_TURNS, planNextTurn } from "./planner.js";

const example = (name: string) =>
  readFileSync(new URL(`../../../../../examples/${name}`, import.meta.url), "utf8");

const sales = () =>
  new DemoWorld("Profile sales.csv and write a report.", { "sales.csv": example("sales.csv") });
const used = (world: DemoWorld, name: string) => world.calls.filter((call) => call.name === name);

describe("the demo model with a table", () => {
  it("plans, computes, reports and presents with the numbers that were added up by hand", () => {
    const world = sales();
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("revenue: sum 2980.70, mean 270.97, from 59.70 to 698.00");
    expect(text).toContain("Top region: East with revenue 916.50 in 3 rows");
    expect(world.report).toContain(
      "| unit_price | – | 125.18 | 19.90 | 349.00 |\n| revenue | 2980.70 | 270.97 | 59.70 | 698.00 |",
    );
    expect(world.report).toContain(
      "| East | 3 | 4 | 916.50 |\n| North | 4 | 9 | 894.20 |\n| West | 2 | 16 | 733.00 |\n| South | 3 | 4 | 437.00 |",
    );
    expect(used(world, "present_files")).toEqual([{ name: "present_files", args: { filepaths: [REPORT] } }]);
  });

  it("shows a refused command and a refused stale write, recovers from both, and says so", () => {
    const world = sales();
    const text = world.play(ALL_TOOLS);
    expect(used(world, "bash")[0]?.args["command"]).toContain("| bash");
    expect(text).toContain("A download piped into a shell was refused, and I went on without it.");
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

  it("writes over the report of an earlier task in the same thread", () => {
    const world = sales();
    world.play(ALL_TOOLS);
    world.messages.push(new HumanMessage("Profile sales.csv again, totals by product"));
    expect(world.play(ALL_TOOLS)).toContain("Top product: Chair with revenue 1157.00");
    expect(world.report).toContain("Totals by product");
    expect(world.report).not.toContain("Totals by region");
  });

  it("says so when the table cannot be read or is empty", () => {
    const missing = new DemoWorld(`Profile ${UPLOADS}/none.csv`, {});
    expect(missing.play(ALL_TOOLS)).toContain("I cannot read none.csv: There is no file");
    expect(new DemoWorld("Profile it", { "empty.csv": "" }).play(ALL_TOOLS)).toContain("empty.csv is empty");
  });

  it("quotes the name of the file and keeps hostile cells out of the report's markup", () => {
    const world = new DemoWorld("Total it", {
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
    const world = new DemoWorld("Give me an overview of these notes.", notes);
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("3 files with 28 lines, 82 words, 5 headings, 3 links, 3 notes of open work");
    expect(world.report).toContain("| plan.md | 13 | 38 | 3 | 2 |");
    expect(world.report).toContain("minutes.txt, line 3: TODO Ben writes to the bank");
    expect(world.report.match(/## How this was made/g)).toHaveLength(1);
  });

  it("surveys code by language and goes on without a file that cannot be read", () => {
    const world = new DemoWorld("Survey the code.", {
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

describe("the demo model with several files", () => {
  it("takes the first table that can be read and has rows, and names the others", () => {
    const world = new DemoWorld("Profile the data.", {
      "a.csv": "",
      "b.csv": "x,y\n",
      "c.csv": "\0\0",
      "d.csv": "who,n\nA,1\n",
      "e.csv": "who,n\nB,2\n",
      "f.md": "# Hi\n",
    });
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("d.csv has 1 row and 2 columns.");
    for (const remark of [
      "a.csv is empty.",
      "b.csv has a header but no rows.",
      "c.csv is not UTF-8 text, so I cannot read it. If it is a table, save it as UTF-8 and upload it again.",
      "I left 2 other files alone: e.csv, f.md.",
    ]) {
      expect(text).toContain(remark);
      expect(world.report).toContain(remark);
    }
  });

  it("takes the one that the task names", () => {
    const world = new DemoWorld("Profile e.csv", { "d.csv": "n\n1\n", "e.csv": "n\n2\n" });
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("e.csv has 1 row and 1 column.");
    expect(text).toContain("I left 1 other file alone: d.csv.");
  });
});

describe("the demo model where nothing can be done", () => {
  it.each([
    ["empty.csv", "", "empty.csv is empty."],
    ["header.csv", "a,b\n", "header.csv has a header but no rows."],
    ["binary.csv", "\0", "binary.csv is not UTF-8 text"],
    ["blank.csv", `a,b\n${"\n".repeat(40)}`, "blank.csv has a header but no rows."],
  ])("says what is wrong with %s and closes the plan with what was done", (name, content, problem) => {
    const world = new DemoWorld("Profile it", { [name]: content });
    const text = world.play(ALL_TOOLS);
    expect(text).toContain(problem);
    expect(text).toContain("I wrote no report.");
    expect(used(world, "write_todos").at(-1)?.args["todos"]).toEqual([
      { content: "Look at the table", status: "completed" },
    ]);
    expect(world.report).toBe("");
  });

  it("closes the plan of a survey too", () => {
    const world = new DemoWorld("Survey it", { "a.md": "\0", "b.md": "\0" });
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("/a.md is not UTF-8 text; save it as UTF-8 to have it counted.");
    expect(used(world, "write_todos").at(-1)?.args["todos"]).toEqual([
      { content: "Search the folder", status: "completed" },
    ]);
  });

  it("keeps what was done in the plan when the report cannot be written", () => {
    const world = sales();
    world.broken = ({ args }) => (args["path"] === REPORT ? "The disk is full." : undefined);
    const text = world.play(ALL_TOOLS);
    expect(text).toContain("revenue: sum 2980.70");
    expect(text).toContain("The report could not be written (The disk is full).");
    expect(used(world, "write_todos").at(-1)?.args["todos"]).toEqual([
      { content: "Look at the table", status: "completed" },
      { content: "Compute its numbers", status: "completed" },
    ]);
  });

  it("names files of which it can make nothing", () => {
    const text = new DemoWorld("Report on my files", { "a.png": "\0" }).play(ALL_TOOLS);
    expect(text).toContain("I found no table, text or code. I left 1 other file alone: a.png.");
  });
});

describe("what the demo model does not read", () => {
  const unread = "The demo model does not read what a task asks";

  it("is said once where a task asks for more than its routine", () => {
    const notes = { "notes/plan.md": "# A\n" };
    const text = new DemoWorld("What is in /mnt/user-data/uploads/notes?", notes).play(ALL_TOOLS);
    expect(text.split(unread)).toHaveLength(2);
    expect(new DemoWorld("Give me an overview of these notes.", notes).play(ALL_TOOLS)).not.toContain(unread);
    const best = new DemoWorld("Which region sells best in sales.csv?", {
      "sales.csv": example("sales.csv"),
    });
    expect(best.play(ALL_TOOLS)).toContain(unread);
    expect(sales().play(ALL_TOOLS)).not.toContain(unread);
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

  it("answers a message after a finished task with what it can do, and where the report is", () => {
    const world = sales();
    world.play(ALL_TOOLS);
    world.messages.push(new HumanMessage("Thanks! What is the capital of France?"));
    const text = world.play(ALL_TOOLS);
    expect(text).toContain(`What I made before is still there: ${REPORT}.`);
    expect(text).toContain("Profile a table. Upload a CSV or TSV file");
    expect(text).toContain("OPENAI_API_KEY");
  });

  it("says that there are no files when there are none", () => {
    expect(new DemoWorld("Summarize my files", {}).play(ALL_TOOLS)).toContain(
      "I found no files: nothing was uploaded",
    );
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
