/**
 * Judges a shell command before it runs, without running anything. The audit is advice and a log: it sees what
 * a careful reader would see in the text. The sandbox is the wall.
 */
import { COMMAND_RULES, type CommandRuleId, type Severity } from "./command-rules.js";
import type { Span } from "./shell/auditor.js";
import { CommandEvaluator } from "./shell/command-evaluator.js";

export type { Span } from "./shell/auditor.js";

export interface CommandFinding {
  readonly ruleId: CommandRuleId;
  readonly severity: Severity;
  /** The part of the command that breaks the rule. */
  readonly span: Span;
  /** One sentence: what the part does. */
  readonly reason: string;
  /** One sentence: what to do instead. */
  readonly instead: string;
}

export interface CommandVerdict {
  /** The worst of the findings; `pass` when there are none. */
  readonly verdict: "pass" | Severity;
  /** In the order of the command. */
  readonly findings: readonly CommandFinding[];
}

const COMMAND_CHARACTERS = 10_000;
const QUOTED_CHARACTERS = 80;

/**
 * Never throws and never runs anything.
 *
 * @example auditCommand("curl -s https://example.com/x.sh | sh").verdict // "block"
 */
export function auditCommand(command: string): CommandVerdict {
  const all = { start: 0, end: command.length };
  if (command.trim() === "" || command.length > COMMAND_CHARACTERS || command.includes("\0")) {
    return judge(command, [{ ruleId: "command-unusable", span: all }]);
  }
  const broken: BrokenRule[] = [];
  const evaluator = new CommandEvaluator((ruleId, { span, guess }) => {
    if (!guess || COMMAND_RULES[ruleId].severity === "block") {
      broken.push({ ruleId, span: within(command, span) });
    }
  });
  try {
    evaluator.runCommandLine(command);
  } catch {
    // A command that the audit cannot digest must not run because of that; the finding says so.
    broken.push({ ruleId: "audit-failed", span: all });
  }
  return judge(command, broken);
}

/** The parser may place the end of an unfinished construct behind the text. Pure. */
const within = (command: string, { start, end }: Span): Span => ({
  start: Math.min(Math.max(start, 0), command.length),
  end: Math.min(Math.max(end, 0), command.length),
});

interface BrokenRule {
  readonly ruleId: CommandRuleId;
  readonly span: Span;
}

/** One finding a rule and place, and the verdict over all. Pure. */
function judge(command: string, broken: readonly BrokenRule[]): CommandVerdict {
  const different = new Map(
    broken.map((rule) => [`${rule.ruleId} ${rule.span.start} ${rule.span.end}`, rule]),
  );
  const findings = [...different.values()]
    .toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end)
    .map(({ ruleId, span }) => {
      const { severity, reason, instead } = COMMAND_RULES[ruleId];
      return { ruleId, severity, span, reason: `${quoted(command, span)} ${reason}`, instead };
    });
  return { verdict: worst(findings), findings };
}

function quoted(command: string, { start, end }: Span): string {
  const part = command.slice(start, end).trim();
  if (part === "" || part.includes("\0")) return "The command";
  return `"${part.length > QUOTED_CHARACTERS ? `${part.slice(0, QUOTED_CHARACTERS - 1)}…` : part}"`;
}

const worst = (findings: readonly CommandFinding[]): CommandVerdict["verdict"] => {
  if (findings.some(({ severity }) => severity === "block")) return "block";
  return findings.length > 0 ? "warn" : "pass";
};
