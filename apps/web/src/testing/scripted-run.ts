/** The frames of one run as a gateway sends them: plan, read, a refused write, a blocked command, a report. */

export interface ScriptedFrame {
  readonly event: string;
  readonly data: unknown;
}

type Json = Readonly<Record<string, unknown>>;
interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}
interface Answer {
  /** Told while the tool runs. */
  readonly printed?: readonly string[];
  readonly text: string;
  readonly artifact?: Json;
  readonly changes?: Json;
}
interface Step {
  readonly id: string;
  readonly reasoning?: string;
  readonly text: string;
  readonly calls: readonly (readonly [Call, Answer])[];
}

const OUTPUTS = "/mnt/user-data/outputs";
export const REPORT_PATH = `${OUTPUTS}/report.md`;
export const PAGE_PATH = `${OUTPUTS}/report.html`;
export const TABLE_PATH = `${OUTPUTS}/totals.csv`;

export const REPORT = `# Sales report

**12 orders** between 5 January and 20 February 2026, four regions.

| Region | Orders | Revenue |
|:--|--:|--:|
| North | 4 | 774.50 |
| South | 3 | 534.00 |
| East | 3 | 388.50 |
| West | 2 | 205.80 |

## What stands out

- North brings **40.7 %** of the revenue.
- One row has no price; it was left out and is listed below.

\`\`\`js
const share = totals.north / totals.all; // 0.407
\`\`\`

![logo](https://images.example.org/track.png)
[a link](https://example.org/) and [a trap](javascript:alert(1))
`;

const todos = (...states: string[]) =>
  ["Look at the table", "Add up the figures with a small program", "Write the report"].map(
    (content, index) => ({
      content,
      status: states[index],
    }),
  );

const PROGRAM = `import { readFileSync } from "node:fs";

const rows = readFileSync("/mnt/user-data/uploads/sales.csv", "utf8").trim().split("\\n").slice(1);
const totals = new Map();
for (const row of rows) {
  const cells = row.split(",");
  totals.set(cells[2], (totals.get(cells[2]) ?? 0) + Number(cells.at(-2)));
}
console.log(Object.fromEntries(totals));
`;

const STEPS: readonly Step[] = [
  {
    id: "a1",
    reasoning: "A table was uploaded. I plan three steps and look at it first.",
    text: "I look at the table, add it up with a small program, and write a report.",
    calls: [
      [
        { id: "c1", name: "write_todos", args: { todos: todos("in_progress", "pending", "pending") } },
        { text: "The plan has 3 steps.", changes: { todos: todos("in_progress", "pending", "pending") } },
      ],
      [
        {
          id: "c2",
          name: "read_file",
          args: { description: "Look at the uploaded table", path: "/mnt/user-data/uploads/sales.csv" },
        },
        {
          text: Array.from({ length: 30 }, (_, row) => `${row + 1}\torder ${1000 + row},North,59.70`).join(
            "\n",
          ),
        },
      ],
    ],
  },
  {
    id: "a2",
    text: "",
    calls: [
      [
        {
          id: "c3",
          name: "write_file",
          args: {
            description: "Write a program that adds up the revenue",
            path: "/mnt/user-data/workspace/totals.mjs",
            content: PROGRAM,
          },
        },
        {
          text: "Wrote 11 lines to /mnt/user-data/workspace/totals.mjs.",
          changes: { todos: todos("completed", "in_progress", "pending") },
        },
      ],
    ],
  },
  {
    id: "a3",
    text: "",
    calls: [
      [
        {
          id: "c4",
          name: "bash",
          args: { description: "Run the program", command: "node totals.mjs" },
        },
        {
          printed: ["adding up North\nadding up South\n", "\u001b[32madding up East\u001b[0m\n"],
          text: "{ North: 774.5, South: 534, East: 388.5, West: 205.8 }",
          artifact: { exit_code: 0, duration_ms: 642 },
        },
      ],
      [
        { id: "c5", name: "bash", args: { description: "Tidy up", command: "rm -rf /" } },
        { text: "The command was blocked: it deletes everything.", artifact: { code: "command_blocked" } },
      ],
      [
        {
          id: "c6",
          name: "str_replace",
          args: {
            description: "Correct a heading",
            path: "/mnt/user-data/workspace/notes.md",
            old_str: "a",
            new_str: "b",
          },
        },
        { text: "notes.md must be read first.", artifact: { code: "file_not_read" } },
      ],
      [
        {
          id: "c7",
          name: "read_file",
          args: { description: "Look for older notes", path: "/mnt/user-data/uploads/old.md" },
        },
        { text: "There is no file /mnt/user-data/uploads/old.md.", artifact: { code: "path_not_found" } },
      ],
    ],
  },
  {
    id: "a4",
    text: "The figures are there. Now the report.",
    calls: [
      [
        {
          id: "c8",
          name: "write_file",
          args: { description: "Write the report", path: REPORT_PATH, content: REPORT },
        },
        {
          text: `Wrote 24 lines to ${REPORT_PATH}.`,
          changes: { todos: todos("completed", "completed", "in_progress") },
        },
      ],
    ],
  },
  {
    id: "a5",
    text: "",
    calls: [
      [
        {
          id: "c9",
          name: "present_files",
          args: { description: "Hand over the report", filepaths: [REPORT_PATH, TABLE_PATH, PAGE_PATH] },
        },
        {
          text: "Handed over 3 files.",
          changes: {
            todos: todos("completed", "completed", "completed"),
            artifacts: [REPORT_PATH, TABLE_PATH, PAGE_PATH],
          },
        },
      ],
    ],
  },
  {
    id: "a6",
    text: "The report is ready: revenue is **1,902.80** in total, and **North** is the strongest region with 774.50.\n\n| Region | Revenue |\n|---|---|\n| North | 774.50 |\n| South | 534.00 |\n\nOne row had no price and was left out.",
    calls: [],
  },
];

const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
const base = { additional_kwargs: {}, response_metadata: {}, tool_calls: [], invalid_tool_calls: [] };

function chunksOf(step: Step): ScriptedFrame[] {
  const chunk = (extra: Json): ScriptedFrame => ({
    event: "messages",
    data: [
      { ...base, type: "AIMessageChunk", id: step.id, content: "", tool_call_chunks: [], ...extra },
      { langgraph_node: "model", langgraph_checkpoint_ns: `model:${step.id}` },
    ],
  });
  return [
    ...pieces(step.reasoning ?? "", 12).map((piece) =>
      chunk({ additional_kwargs: { reasoning_content: piece } }),
    ),
    ...pieces(step.text, 9).map((piece) => chunk({ content: piece })),
    ...step.calls.flatMap(([call], index) => [
      chunk({ tool_call_chunks: [{ id: call.id, name: call.name, args: "", index }] }),
      ...pieces(JSON.stringify(call.args), 24).map((args) => chunk({ tool_call_chunks: [{ args, index }] })),
    ]),
  ];
}

/** Everything from the first frame to `end`, for a message that came in. */
export function scriptedRun(runId: string, human: Json): ScriptedFrame[] {
  let state: Json & { readonly messages: readonly Json[] } = { messages: [human] };
  const frames: ScriptedFrame[] = [
    { event: "metadata", data: { run_id: runId, attempt: 1 } },
    { event: "values", data: state },
  ];
  for (const step of STEPS) {
    const message = {
      ...base,
      type: "ai",
      id: step.id,
      content: step.text,
      additional_kwargs: step.reasoning === undefined ? {} : { reasoning_content: step.reasoning },
      tool_calls: step.calls.map(([call]) => ({ ...call, type: "tool_call" })),
    };
    state = { ...state, title: "Sales by region", messages: [...state.messages, message] };
    frames.push(...chunksOf(step), { event: "values", data: state });
    for (const [call, answer] of step.calls) {
      const { id, name } = call;
      for (const text of answer.printed ?? []) {
        frames.push({ event: "custom", data: { type: "tool_output", tool_call_id: id, tool: name, text } });
      }
      const tool = {
        type: "tool",
        id: `t-${call.id}`,
        name: call.name,
        tool_call_id: call.id,
        content: answer.text,
        status: answer.artifact?.["code"] === undefined ? "success" : "error",
        additional_kwargs: {},
        response_metadata: {},
        ...(answer.artifact === undefined ? {} : { artifact: answer.artifact }),
      };
      frames.push({
        event: "messages",
        data: [tool, { langgraph_node: "tools", langgraph_checkpoint_ns: "tools:1" }],
      });
      state = { ...state, ...answer.changes, messages: [...state.messages, tool] };
    }
    if (step.calls.length > 0) frames.push({ event: "values", data: state });
  }
  return [...frames, { event: "end", data: { status: "success", stop_reason: null } }];
}
