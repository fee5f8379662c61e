/** What no list of cases can show. None of these commands is ever run: they are only judged. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import LABELLED from "./command-audit-cases.json" with { type: "json" };
import OWN from "./command-audit-own-cases.json" with { type: "json" };
import { auditCommand } from "./command-audit.js";

const COMMANDS = [...LABELLED.map(({ cmd, verdict }) => ({ command: cmd, verdict })), ...OWN];
const blocked = COMMANDS.filter(({ verdict }) => verdict === "block").map(({ command }) => command);
const isLine = (command: string) => !command.includes("\n");

const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const double = (text: string) => `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

/** Ways to run a command that must change nothing. */
const WRAPPINGS: readonly ((command: string) => string)[] = [
  (command) => `( ${command}\n)`,
  (command) => `{ ${command}\n}`,
  (command) => `sh -c ${single(command)}`,
  (command) => `bash -c ${double(command)}`,
  (command) => `/usr/bin/env A=b bash -c ${single(command)}`,
  (command) => `nohup bash -c ${single(command)}`,
  (command) => `timeout -s KILL 9 sh -c ${double(command)}`,
  (command) => `eval ${single(command)}`,
  (command) => `true && { ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `f() { ${command}\n}; f`,
  (command) => `echo "$( ${command}\n)"`,
  (command) => `bash <<'END_OF_TEXT'\n${command}\nEND_OF_TEXT`,
  (command) => `bash <<< ${single(command)}`,
  (command) => `x=${single(command)}; eval "$x"`,
  (command) => `echo ${single(command)} > tool.sh; bash tool.sh`,
  (command) => `ls # a comment\n${command}`,
];

/** Ways to hold a command as mere text. */
const AS_DATA: readonly ((command: string) => string)[] = [
  (command) => `echo ${single(command)}`,
  (command) => `grep -n -e ${single(command)} notes.md`,
  (command) => `git commit -m ${single(command)}`,
  (command) => `cat > notes.md <<'END_OF_TEXT'\n${command}\nEND_OF_TEXT`,
  (command) => `printf '%s\\n' ${single(command)} >> notes.md`,
  (command) => `ls # ${command.replaceAll("\n", " ")}`,
];

describe("a command that is blocked", () => {
  it("stays blocked however it is wrapped", () => {
    const property = fc.property(
      fc.constantFrom(...blocked),
      fc.array(fc.constantFrom(...WRAPPINGS), { minLength: 1, maxLength: 2 }),
      (command, wrappings) => {
        const wrapped = wrappings.reduce((inner, wrap) => wrap(inner), command);
        expect({ wrapped, verdict: auditCommand(wrapped).verdict }).toEqual({ wrapped, verdict: "block" });
      },
    );
    fc.assert(property, { numRuns: 600 });
  });

  it("passes as data", () => {
    const property = fc.property(
      fc.constantFrom(...blocked.filter(isLine)),
      fc.constantFrom(...AS_DATA),
      (command, hold) => {
        const held = hold(command);
        expect({ held, verdict: auditCommand(held).verdict }).toEqual({ held, verdict: "pass" });
      },
    );
    fc.assert(property, { numRuns: 400 });
  });
});

describe("the audit of any text", () => {
  const PIECES = [
    "rm",
    "-rf",
    "/",
    "$(",
    "`",
    ")",
    "'",
    '"',
    "|",
    "&&",
    "<<E",
    "\n",
    "{",
    "}",
    "${",
    "((",
    "[[",
    "$'",
    "\\",
    ";",
    "for",
    "do",
    "done",
    "case",
    "esac",
    "f()",
    "<(",
    "~",
    "*",
    "=",
    "x",
    " ",
  ];
  const fragments = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));
  const mutated = fc
    .tuple(fc.constantFrom(...COMMANDS.map(({ command }) => command)), fc.nat(), fc.constantFrom(...PIECES))
    .map(([command, at, piece]) => {
      const cut = at % (command.length + 1);
      return command.slice(0, cut) + piece + command.slice(cut);
    });

  it("places the end of an unfinished construct inside the text", () => {
    const text = "${ \\";
    expect(auditCommand(text).findings.map(({ span }) => span.end)).toEqual([text.length]);
  });

  it("never throws and never fails inside", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fragments, mutated);
    const property = fc.property(texts, (text) => {
      const { verdict, findings } = auditCommand(text);
      expect(findings.filter(({ ruleId }) => ruleId === "audit-failed")).toEqual([]);
      expect(verdict === "pass").toBe(findings.length === 0);
      expect(findings.every(({ span }) => span.start >= 0 && span.end <= text.length)).toBe(true);
    });
    fc.assert(property, { numRuns: 1500 });
  });

  it.each([
    ["a doubling variable", `x=aaaaaaaa; ${"x=$x$x; ".repeat(1200)}`],
    ["loops in loops", `${"for a in 1 2 3 4 5 6 7 8; do $a ".repeat(90)}${"; done ".repeat(90)}`],
    ["braces beside braces", `echo ${"{a,b}".repeat(1900)}`],
    ["endless loops in endless loops", `${"while :; do ".repeat(200)} x & ${"done; ".repeat(200)}`],
    ["shells in loops", `sh -c 'for a in 1 2 3 4 5 6 7 8; do sh -c "eval $a; $a"; done'; `.repeat(130)],
    ["growing replacements", "x=a; ".concat("x=${x//a/aaaaaaaaaaaaaaaaaaaa}; ".repeat(300))],
  ])("takes little time for %s", (_what, text) => {
    const before = process.cpuUsage();
    auditCommand(text.slice(0, 10_000));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
