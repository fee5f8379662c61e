/** The beginning of a table. */
import { useMemo } from "react";
import { useText } from "../../i18n/language-context.js";
import { classes } from "../../lib/classes.js";
import { isNumericColumn } from "../../lib/is-numeric-column.js";
import { delimiterOf, parseTable } from "./parse-table.js";

const SHOWN_ROWS = 200;

export function TableContent({ text }: { readonly text: string }) {
  const t = useText();
  const table = useMemo(() => parseTable(text, delimiterOf(text), SHOWN_ROWS), [text]);
  const sides = useMemo(
    () =>
      table.header.map((_, column) =>
        isNumericColumn(table.rows.map((row) => row[column] ?? "")) ? "text-right" : "text-left",
      ),
    [table],
  );
  /* Rows and cells have no other identity than their place. */
  /* eslint-disable react/no-array-index-key */
  return (
    <>
      <table className="text-xs tabular-nums">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th
                key={index}
                className={classes("border-b border-line-strong py-1.5 pr-5 font-semibold", sides[index])}
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td
                  key={column}
                  className={classes(
                    "max-w-80 border-b border-line py-1.5 pr-5 align-top wrap-anywhere",
                    sides[column],
                  )}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.cut && <p className="mt-4 text-xs text-ink-faint">{t("previewCut")}</p>}
    </>
  );
  /* eslint-enable react/no-array-index-key */
}
