/** For tests: a small world of files and tools around the planner. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { planNextTurn } from "../models/demo/planner.js";
import { parseTable, profileTable, totalsBy } from "../models/demo/table-profile.js";
import type { PlannedCall, Turn } from "../models/demo/turn.js";

export const UPLOADS = "/mnt/user-data/uploads";
export const REPORT = "/mnt/user-data/outputs/report.md";
export const FILE_TOOLS = ["ls", "glob", "grep", "read_file", "write_file", "write_todos", "present_files"];
export const ALL_TOOLS = [...FILE_TOOLS, "bash"];

/** For tests: the tools as the planner meets them: files in memory, the gate in front of writes, the audit of commands. */
export class DemoWorld {
  readonly files = new Map<string, string>();
  readonly messages: BaseMessage[];
  readonly calls: PlannedCall[] = [];
  /** A read counts as long as the message that answered it is there. */
  readonly reads: { readonly at: number; readonly path: string; readonly content: string }[] = [];
  /** Lines of a file that one read shows. */
  pageLines = Number.POSITIVE_INFINITY;
  /** Why a call fails; undefined lets it pass. */
  broken: (call: PlannedCall) => string | undefined = () => undefined;

  /** What a middleware makes of the messages for a request. */
  request: (messages: readonly BaseMessage[]) => readonly BaseMessage[] = (messages) => messages;

  constructor(task: string, files: Record<string, string>) {
    this.messages = [new HumanMessage(task)];
    for (const [path, content] of Object.entries(files)) this.files.set(`${UPLOADS}/${path}`, content);
  }

  /** Plays until the model is done; the last text. */
  play(tools: readonly string[], most = 40): string {
    for (let turns = 0; turns < most; turns += 1) {
      const turn = this.next(tools);
      if (turn.calls.length === 0) {
        this.messages.push(new AIMessage(turn.text));
        return turn.text;
      }
      this.answer(turn, tools);
    }
    throw new Error("the model did not come to an end");
  }

  /** The next turn, planned from what a request of the agent would show. */
  next(tools: readonly string[]): Turn {
    return planNextTurn(this.request(this.messages), tools);
  }

  /** Says a turn and carries out its calls; their answers are kept. */
  answer(turn: Turn, tools: readonly string[]): void {
    this.carryOut(turn, this.say(turn), tools);
  }

  /** The message of a turn, with the ids of its calls. */
  say(turn: Turn): string[] {
    const ids = turn.calls.map((_, index) => `${this.messages.length}-${index}`);
    this.messages.push(
      new AIMessage({
        content: turn.text,
        tool_calls: turn.calls.map(({ name, args }, index) => ({
          type: "tool_call",
          id: ids[index] ?? "",
          name,
          args,
        })),
      }),
    );
    return ids;
  }

  carryOut(turn: Turn, ids: readonly string[], tools: readonly string[]): void {
    for (const [index, call] of turn.calls.entries()) {
      if (!tools.includes(call.name)) throw new Error(`the model calls ${call.name}, which is not offered`);
      this.calls.push(call);
      const [content, failed] = this.run(call);
      const status = failed ? "error" : "success";
      this.messages.push(new ToolMessage({ tool_call_id: ids[index] ?? "", content, status }));
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
    if (content === "") return [`[${path} is empty.]`, false];
    if (content.includes("\0"))
      return [`[${path} is not UTF-8 text: text/csv, 9 bytes. Its content is not shown.]`, false];
    const lines = content.replaceAll("\r\n", "\n").match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const from = Number(args["start_line"] ?? 1);
    const to = Math.min(Number(args["end_line"] ?? lines.length), from + this.pageLines - 1, lines.length);
    this.reads.push({ at: this.messages.length, path, content });
    const cut = to < lines.length && args["end_line"] === undefined;
    const notice = cut
      ? `[Cut at 9 characters: lines ${from} to ${to} of ${lines.length}. Go on with start_line=${to + 1}.]`
      : "";
    return [lines.slice(from - 1, to).join("") + notice, false];
  }

  writeFile(path: string, args: PlannedCall["args"]): [string, boolean] {
    const before = this.files.get(path);
    const read = this.reads.findLast((one) => one.path === path && one.at < this.messages.length);
    if (before !== undefined && read?.content !== before) return ["The file was not read.", true];
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
