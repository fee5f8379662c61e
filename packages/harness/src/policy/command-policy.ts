/** What a person set for the audit: how severe its rules are, and which commands are allowed, asked about, denied. */
import { DeerflowError } from "../base/errors.js";
import { isRecord } from "../base/json.js";
import { problemOfGlob, RULE_LEVELS, type RuleLevel, SETTABLE_RULES } from "../config/command-section.js";
import { nearestName } from "../config/nearest-name.js";
import { CommandGlob } from "./command-globs.js";
import { type BuiltInRuleId, COMMAND_RULES, type CommandRuleId } from "./command-rules.js";
import type { CommandPart } from "./shell/auditor.js";

/** Patterns for commands, as `git *`, which fits `git` and `git status` and not `gitk`. */
export interface CommandRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface CommandAuditOptions {
  /**
   * Judged on every part of a command, beside the rules of the audit: one denied part denies all; a command of
   * nothing but allowed parts runs; about any other a person is asked, also where nothing is allowed: to allow all
   * the rest, allow `*`. Absent, or without any pattern: nobody is asked.
   */
  readonly rules?: CommandRules;
  /** How severe rules of the audit are, where that is not their default. */
  readonly severity?: Readonly<Partial<Record<BuiltInRuleId, RuleLevel | undefined>>>;
}

/** What the command rules say of one part. */
export interface PartJudgement {
  readonly ruleId: Extract<CommandRuleId, "command-denied" | "command-asked" | "command-unlisted">;
  /** The pattern that decided. */
  readonly glob?: string;
}

const LISTS = ["allow", "ask", "deny"] as const;

/** @throws DeerflowError `command_audit_invalid` with the place of what is wrong */
export class CommandPolicy {
  readonly #allow: readonly CommandGlob[];
  readonly #ask: readonly CommandGlob[];
  readonly #deny: readonly CommandGlob[];
  readonly #severity: ReadonlyMap<string, RuleLevel>;

  constructor({ rules = {}, severity = {} }: CommandAuditOptions) {
    const problem = problemOfRules(rules) ?? problemOfSeverity(severity);
    if (problem !== undefined) throw new DeerflowError("command_audit_invalid", { ...problem });
    const globs = (list: readonly string[] = []) => list.map((text) => new CommandGlob(text));
    this.#allow = globs(rules.allow);
    this.#ask = globs(rules.ask);
    this.#deny = globs(rules.deny);
    this.#severity = new Map(
      Object.entries(severity).flatMap(([id, level]) => (level === undefined ? [] : [[id, level]])),
    );
  }

  /** Whether a person set any command rule. */
  get hasRules(): boolean {
    return this.#allow.length + this.#ask.length + this.#deny.length > 0;
  }

  levelOf(id: BuiltInRuleId): RuleLevel {
    return this.#severity.get(id) ?? COMMAND_RULES[id].severity;
  }

  /** Undefined when the part may run. */
  judge({ words, byName, bySystemName, isKnown, isRequired }: CommandPart): PartJudgement | undefined {
    const forms = byName === words ? [words] : [words, byName];
    const denied = this.#deny.find((glob) => forms.some((form) => glob.fits(form)));
    if (denied !== undefined) return { ruleId: "command-denied", glob: denied.text };
    const asked = [...this.#ask, ...(isKnown ? this.#deny : [])].find((glob) =>
      forms.some((form) => glob.mayFit(form)),
    );
    if (asked !== undefined) return { ruleId: "command-asked", glob: asked.text };
    if (!isRequired) return undefined;
    const isAllowed = isKnown && this.#allow.some((glob) => glob.fits(words) || glob.fits(bySystemName));
    return isAllowed ? undefined : { ruleId: "command-unlisted" };
  }
}

/** Whether any command could have to wait for a person. Pure. */
export const mayAsk = ({ rules = {}, severity = {} }: CommandAuditOptions): boolean =>
  LISTS.some((list) => (rules[list] ?? []).length > 0) ||
  Object.values(severity).some((level) => level === "ask");

interface Problem {
  readonly place: string;
  readonly reason: string;
}

/** What is wrong with command rules, and where; undefined when nothing is. Pure. */
export function problemOfRules(rules: unknown): Problem | undefined {
  if (!isRecord(rules)) return { place: "rules", reason: "it is no object with allow, ask and deny" };
  const unknown = Object.keys(rules).find((key) => !(LISTS as readonly string[]).includes(key));
  if (unknown !== undefined)
    return { place: `rules.${unknown}`, reason: `there is no such list; known are ${LISTS.join(", ")}` };
  for (const list of LISTS) {
    const globs: unknown = rules[list] ?? [];
    if (!Array.isArray(globs)) return { place: `rules.${list}`, reason: "it is no list of patterns" };
    const at = globs.findIndex((glob) => problemOfGlob(glob) !== undefined);
    if (at >= 0) return { place: `rules.${list}[${at}]`, reason: problemOfGlob(globs[at]) ?? "" };
  }
  return undefined;
}

/** The same for severities. Pure. */
export function problemOfSeverity(severity: unknown): Problem | undefined {
  if (!isRecord(severity)) return { place: "severity", reason: "it is no object of levels by rule" };
  for (const [id, level] of Object.entries(severity)) {
    const place = `severity.${id}`;
    const reason = problemOfLevel(id, level);
    if (reason !== undefined) return { place, reason };
  }
  return undefined;
}

function problemOfLevel(id: string, level: unknown): string | undefined {
  if (!Object.hasOwn(COMMAND_RULES, id)) {
    const near = nearestName(id, SETTABLE_RULES);
    return near === undefined
      ? `there is no such rule; known are ${SETTABLE_RULES.join(", ")}`
      : `there is no such rule; did you mean ${near}?`;
  }
  if (level !== undefined && !(RULE_LEVELS as readonly unknown[]).includes(level))
    return `${String(level)} is no level; known are ${RULE_LEVELS.join(", ")}`;
  const isFixed = !(SETTABLE_RULES as readonly string[]).includes(id);
  return isFixed && level !== undefined && level !== "block"
    ? "what cannot be judged is always blocked"
    : undefined;
}
