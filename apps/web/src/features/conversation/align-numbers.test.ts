import { describe, expect, it } from "vitest";
import { alignNumbers, type MarkdownNode } from "./align-numbers.js";

const text = (value: string): MarkdownNode => ({ type: "text", value });
const cell = (...children: MarkdownNode[]): MarkdownNode => ({ type: "tableCell", children });
const row = (...children: MarkdownNode[]): MarkdownNode => ({ type: "tableRow", children });

describe("alignNumbers", () => {
  it("puts columns of numbers at the right, and leaves the author's own choice alone", () => {
    const table: MarkdownNode = {
      type: "table",
      align: [null, null, "left"],
      children: [
        row(cell(text("Region")), cell(text("Revenue")), cell(text("Rank"))),
        row(cell(text("North")), cell({ type: "strong", children: [text("774.50")] }), cell(text("1"))),
        row(cell(text("South")), cell(text("534.00"))),
      ],
    };
    alignNumbers()({ type: "root", children: [{ type: "blockquote", children: [table] }] });
    expect(table.align).toEqual([null, "right", "left"]);
  });
});
