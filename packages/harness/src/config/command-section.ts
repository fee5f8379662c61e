/** How shell commands are judged, and which of them are allowed, asked about, denied. */
import { z } from "zod";
import { section } from "./schema-parts.js";

/** What a rule of the audit can be set to. */
export const RULE_LEVELS = ["off", "warn", "ask", "block"] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];

/** `audit_only`: everything runs, and the log says what would have become of it. */
export const COMMAND_AUDIT_MODES = ["enforce", "audit_only"] as const;
export type CommandAuditMode = (typeof COMMAND_AUDIT_MODES)[number];

/** Rules of the audit whose severity can be set; what they are about stands in the audit's own table. */
export const SETTABLE_RULES = [
  "delete-system",
  "permissions-system",
  "write-disk",
  "write-system",
  "write-startup",
  "run-later",
  "system-control",
  "container-escape",
  "read-secret",
  "run-download",
  "run-decoded",
  "run-unknown-input",
  "loader-variable",
  "network-shell",
  "fork-bomb",
  "delete-unresolved",
  "change-user",
  "install-package",
  "permissions-open",
  "path-variable",
  "command-unresolved",
  "syntax-unclear",
] as const;
export type SettableRule = (typeof SETTABLE_RULES)[number];

const GLOB_CHARACTERS = 500;
const SEPARATOR = /(?:^|\s)(?:&&|\|\||[;|&])(?:\s|$)/;

/** What is wrong with a pattern, as the end of a sentence; undefined when nothing is. */
export function problemOfGlob(text: unknown): string | undefined {
  if (typeof text !== "string") return "it is not a text";
  if (text.trim() === "") return "it is empty";
  if (text !== text.trim()) return "it begins or ends with a blank, so it would fit nothing";
  if (/\s\s|[\n\t\0]/.test(text))
    return "it holds more than one blank in a row, so it would fit nothing: words are joined by one";
  if (text.length > GLOB_CHARACTERS) return `it is longer than ${GLOB_CHARACTERS} characters`;
  if (SEPARATOR.test(text))
    return "it names more than one command; every part of a command is judged by itself";
  if (/["'`]/.test(text))
    return "it holds a quotation mark; words are judged without their quotes (? fits one character)";
  return /(^|[^\\])(\\\\)*\\$/.test(text) ? "it ends with a backslash" : undefined;
}

const level = z.enum(RULE_LEVELS, `one of ${RULE_LEVELS.join(", ")}`).optional();
// The cast is sound: every rule has the same schema.
const levels = Object.fromEntries(SETTABLE_RULES.map((rule) => [rule, level])) as Record<
  SettableRule,
  typeof level
>;

export const commandAuditSection = section({
  mode: z
    .enum(COMMAND_AUDIT_MODES)
    .default("enforce")
    .describe("enforce, or audit_only: everything runs, and the log says what would have become of it."),
  severity: z
    .strictObject(levels)
    .default({})
    .describe("off, warn, ask or block, by rule, as {install-package: ask, read-secret: warn}."),
});

const globs = z
  .array(
    z.string().superRefine((text, context) => {
      const problem = problemOfGlob(text);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
    }),
  )
  .default([]);

export const commandRulesSection = section({
  allow: globs.describe('Commands that run unasked, as ["git *", "ls *"]; "*" allows all the rest.'),
  ask: globs.describe('Commands that a person must allow, as ["git push *"].'),
  deny: globs.describe('Commands that never run, as ["rm *"].'),
});
