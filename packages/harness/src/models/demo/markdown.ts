/** Markdown whose cells and names are the user's text. */

export function markdownTable(heads: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]): string =>
    `| ${cells.map((cell) => inline(String(cell ?? ""))).join(" | ")} |`;
  return [line(heads), `|${" --- |".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}

/** Names and values are the user's text: they must not break a table or become a link or an image. */
export const inline = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|<>[\]`*]/g, "\\$&")
    .slice(0, 200);
