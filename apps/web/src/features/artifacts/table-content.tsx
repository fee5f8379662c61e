/** The beginning of a table. */
import { useMemo } from "react";
import { useText } from "../../i18n/language-context.js";
import { delimiterOf, parseTable } from "./parse-table.js";

const SHOWN_ROWS = 200;

export function TableContent({ text }: { readonly text: string }) {
  const t = useText();
  const table = useMemo(() => parseTable(text, delimiterOf(text), SHOWN_ROWS), [text]);
  /* Rows and cells have no other identity than their place. */
  /* eslint-disable react/no-array-index-key */
  return (
    <>
      <table className="text-xs tabular-nums">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} className="border-b border-line-strong py-1.5 pr-5 text-left font-semibold">
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
                  className="max-w-80 border-b border-line py-1.5 pr-5 align-top wrap-anywhere"
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
