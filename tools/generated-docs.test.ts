/** The pages under docs/generated are printed from the tables in the code; `npm run docs` rewrites them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../apps/cli/src/exit-codes.js";
import { ERROR_CATALOGUE } from "../packages/harness/src/base/error-catalogue.js";
import { exampleConfig } from "../packages/harness/src/config/example-config.js";
import { RESERVED_NAMES } from "../packages/harness/src/config/known-sections.js";
import { RESTART_REQUIRED } from "../packages/harness/src/config/restart-required.js";
import { ORDER } from "../packages/harness/src/middleware/order.js";
import { COMMAND_RULES, PERSON_RULES } from "../packages/harness/src/policy/command-rules.js";

const page = (name: string) => fileURLToPath(new URL(`../docs/generated/${name}.md`, import.meta.url));
const NOTE = "<!-- Printed from the code by `npm run docs`; do not edit. -->";

const cell = (value: unknown): string => String(value).replaceAll("|", "\\|").replaceAll("\n", " ");

const table = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

/** Commands stand in code; one that cannot be provoked has none. */
const code = (command: string): string => (command.trim() === "" ? "" : `\`\` ${command} \`\``);

const AUDIT_TEXT = readFileSync(new URL("command-audit-text.md", import.meta.url), "utf8").trim();
const RULES_TEXT = readFileSync(new URL("command-rules-text.md", import.meta.url), "utf8").trim();

const document = (title: string, ...parts: readonly string[]): string =>
  [`# ${title}`, NOTE, ...parts].join("\n\n").concat("\n");

describe("the generated pages", () => {
  it("show the order of the middleware as it is", async () => {
    const rows = ORDER.map((row, index) => [
      index + 1,
      row.name,
      row.on,
      row.guard ? "yes" : "",
      row.because,
    ]);
    const text =
      "First is outermost: its before-hooks run first, its after-hooks last, and its wraps stand around all below.";
    await expect(
      document("Middleware order", text, table(["#", "Middleware", "On", "Guard", "Why here"], rows)),
    ).toMatchFileSnapshot(page("middleware-order"));
  });

  it("show every error code with its status and next step", async () => {
    const rows = Object.entries(ERROR_CATALOGUE).map(([code, row]) => [
      `\`${code}\``,
      row.status,
      row.retry,
      row.text,
      "next" in row ? row.next : "",
    ]);
    await expect(
      document("Errors", table(["Code", "Status", "Who may retry", "What is wrong", "What to do"], rows)),
    ).toMatchFileSnapshot(page("errors"));
  });

  it("show the whole configuration with its defaults", async () => {
    const restart = RESTART_REQUIRED.map((row) => [`\`${row.setting}\``, row.because]);
    const reserved = RESERVED_NAMES.map((row) => [`\`${row.path}\``, row.because]);
    await expect(
      document(
        "Configuration",
        "`deerflow config init` writes this file:",
        `\`\`\`yaml\n${exampleConfig().trimEnd()}\n\`\`\``,
        "## Settings that need a restart",
        table(["Setting", "Why"], restart),
        "## Names of DeerFlow that are understood and have no effect yet",
        table(["Name", "Why"], reserved),
      ),
    ).toMatchFileSnapshot(page("configuration"));
  });

  it("show every rule of the command audit with an example", async () => {
    const rows = Object.entries(COMMAND_RULES).map(([id, row]) => [
      `\`${id}\``,
      "isFixed" in row ? `${row.severity}, always` : row.severity,
      `The command ${row.reason}.`,
      row.instead,
      code(row.example),
      code(row.passes),
    ]);
    const person = Object.entries(PERSON_RULES).map(([id, row]) => [
      `\`${id}\``,
      row.severity,
      `The command ${row.reason}${id === "command-unlisted" ? "" : " that is named"}.`,
      row.instead,
    ]);
    await expect(
      document(
        "Command audit",
        AUDIT_TEXT,
        table(["Rule", "Severity", "What", "Instead", "Breaks it", "Passes"], rows),
        RULES_TEXT,
        table(["Rule", "Severity", "What", "Instead"], person),
      ),
    ).toMatchFileSnapshot(page("command-audit"));
  });

  it("show the exit codes of the command line", async () => {
    const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => [code, meaning]);
    await expect(document("Exit codes", table(["Code", "Meaning"], rows))).toMatchFileSnapshot(
      page("exit-codes"),
    );
  });
});
