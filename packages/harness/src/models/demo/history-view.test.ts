import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { viewHistory } from "./history-view.js";

const called = (id: string) =>
  new AIMessage({ content: "", tool_calls: [{ type: "tool_call", id, name: "ls", args: { path: id } }] });
const answered = (id: string, status: "success" | "error") =>
  new ToolMessage({ tool_call_id: id, content: `of ${id}`, status });

describe("viewHistory", () => {
  it("takes the newest human message for the task, with the files that came along", () => {
    const block =
      "<uploaded_files>\n- /mnt/user-data/uploads/a b.csv (12 bytes)\n- /mnt/user-data/uploads/c.csv\n</uploaded_files>";
    const view = viewHistory([
      new HumanMessage("Old task"),
      new AIMessage("done"),
      new HumanMessage(`${block}\n\nCompare with /mnt/user-data/workspace/d.csv.`),
    ]);
    expect(view).toEqual({
      task: "Compare with /mnt/user-data/workspace/d.csv.",
      namedPaths: [
        "/mnt/user-data/uploads/a b.csv",
        "/mnt/user-data/uploads/c.csv",
        "/mnt/user-data/workspace/d.csv",
      ],
      hasUploads: true,
      outcomes: [],
      resumed: "no",
      earlierFiles: [],
      turns: 0,
    });
  });

  it("goes on with the task before, in whatever way it is asked to", () => {
    for (const text of [
      "continue",
      "Please continue.",
      "continue, please",
      "go on!",
      "Weiter",
      "mach weiter",
      "继续。",
      "请继续",
    ]) {
      expect(viewHistory([new HumanMessage("Total it"), called("1"), new HumanMessage(text)]).task).toBe(
        "Total it",
      );
    }
    expect(viewHistory([new HumanMessage("A"), new HumanMessage("continue with b")]).task).toBe(
      "continue with b",
    );
    const more = "<uploaded_files>\n- /mnt/user-data/uploads/b.csv\n</uploaded_files>\n\ncontinue";
    expect(viewHistory([new HumanMessage("A"), new HumanMessage(more)])).toMatchObject({
      task: "continue",
      namedPaths: ["/mnt/user-data/uploads/b.csv"],
    });
  });

  it("knows what became of each call, whichever message it lies before", () => {
    const view = viewHistory([
      new HumanMessage("Total it"),
      called("1"),
      answered("1", "error"),
      called("2"),
      new HumanMessage("continue"),
      called("3"),
      answered("3", "success"),
    ]);
    const outcome = (id: string) => ({ name: "ls", args: { path: id } });
    expect(view.outcomes).toEqual([
      { ...outcome("1"), status: "failed", text: "of 1", recent: true },
      { ...outcome("2"), status: "interrupted", text: "", recent: true },
      { ...outcome("3"), status: "done", text: "of 3", recent: true },
    ]);
    expect(view).toMatchObject({ turns: 1, resumed: "stopped" });
  });

  it("forgets failures once the task was answered, as who goes on then wants another try", () => {
    const asked = [new HumanMessage("Total it"), called("1"), answered("1", "error")];
    const go = new HumanMessage("continue");
    const view = viewHistory([...asked, new AIMessage("I cannot."), go]);
    expect(view).toMatchObject({ resumed: "answered", outcomes: [{ status: "failed", recent: false }] });
    const cut = new AIMessage({ content: "I ca", response_metadata: { stop_reason: "cancelled" } });
    expect(viewHistory([...asked, cut, go])).toMatchObject({
      resumed: "stopped",
      outcomes: [{ recent: true }],
    });
  });

  it("knows the files that were handed over before", () => {
    const call = {
      type: "tool_call" as const,
      id: "1",
      name: "present_files",
      args: { filepaths: ["/r.md"] },
    };
    const view = viewHistory([
      new HumanMessage("Total it"),
      new AIMessage({ content: "", tool_calls: [call] }),
      answered("1", "success"),
      new HumanMessage("Thanks"),
    ]);
    expect(view).toMatchObject({ task: "Thanks", outcomes: [], earlierFiles: ["/r.md"] });
  });
});
