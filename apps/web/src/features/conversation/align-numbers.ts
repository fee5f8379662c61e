/** A remark plugin: columns of numbers stand at the right, unless the author chose a side. */
import { isNumericColumn } from "../../lib/is-numeric-column.js";

/** What is needed of a markdown tree (mdast). */
export interface MarkdownNode {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly MarkdownNode[];
  align?: ("left" | "right" | "center" | null)[] | null;
}

const textOf = (node: MarkdownNode | undefined): string =>
  node?.value ?? node?.children?.map(textOf).join("") ?? "";

function alignTable(table: MarkdownNode): void {
  const [header, ...rows] = table.children ?? [];
  table.align = (header?.children ?? []).map((_, column) => {
    const cells = rows.map((row) => textOf(row.children?.[column]));
    return table.align?.[column] ?? (isNumericColumn(cells) ? "right" : null);
  });
}

export const alignNumbers = () => (tree: MarkdownNode) => {
  const visit = (node: MarkdownNode): void => {
    if (node.type === "table") alignTable(node);
    else node.children?.forEach(visit);
  };
  visit(tree);
};
