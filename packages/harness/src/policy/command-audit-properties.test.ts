/** What no list of cases can show. None of these commands is ever run: they are only judged. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import LABELLED from "./command-audit-cases.json" with { type: "json" };
import EVASIONS from "./command-audit-evasions.json" with { type: "json" };
import OWN from "./command-audit-own-cases.json" with { type: "json" };
import { auditCommand, commandAuditor } from "./command-audit.js";
import { ALIKE, AS_DATA, double, isSimple, single, WRAPPINGS } from "../testing/command-wrappings.js";

const COMMANDS = [...LABELLED.map(({ cmd, verdict }) => ({ command: cmd, verdict })), ...OWN];
const blocked = [
  ...COMMANDS.filter(({ verdict }) => verdict === "block").map(({ command }) => command),
  ...EVASIONS,
];
const judge = commandAuditor();

/** What the wrapping makes of the whole table, save what it does not fit. */
const made = (change: (command: string) => string | undefined, commands: readonly string[]) =>
  commands.map(change).filter((text) => text !== undefined && text.length <= 10_000);

describe("a command that is blocked", () => {
  it.each(WRAPPINGS)("stays blocked: $name", ({ change }) => {
    const texts = made(change, blocked);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => judge(text ?? "").verdict !== "block")).toEqual([]);
  });

  it.each(ALIKE)("stays blocked, written otherwise: $name", ({ change }) => {
    const texts = made(change, blocked.filter(isSimple));
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.filter((text) => judge(text ?? "").verdict !== "block")).toEqual([]);
  });

  it("stays blocked when it is wrapped twice", () => {
    const property = fc.property(
      fc.constantFrom(...blocked),
      fc.array(fc.constantFrom(...WRAPPINGS), { minLength: 2, maxLength: 2 }),
      (command, wrappings) => {
        const wrapped = wrappings.reduce<string | undefined>(
          (inner, { change }) => (inner === undefined ? undefined : change(inner)),
          command,
        );
        if (wrapped === undefined || wrapped.length > 10_000) return;
        expect({ wrapped, verdict: judge(wrapped).verdict }).toEqual({ wrapped, verdict: "block" });
      },
    );
    fc.assert(property, { numRuns: 400, seed: 4 });
  });

  it.each(AS_DATA)("passes as data: $name", ({ change }) => {
    const texts = made(change, blocked);
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => judge(text ?? "").verdict !== "pass")).toEqual([]);
  });

  it("can be quoted in both ways", () => {
    expect([single("a 'b'"), double('a "$b"')]).toEqual([String.raw`'a '\''b'\'''`, String.raw`"a \"\$b\""`]);
  });
});

describe("the audit of any text", () => {
  const PIECES = [
    ..."rm -rf / $( ` ) ' \" | && <<E \n { } ${ (( [[ $' \\ ; for do done case esac f() <( ~ * = x if then fi".split(
      " ",
    ),
    ..."sh -c eval xargs sed awk python3 exec 3< >& a=( ]} ${a[@]} ${!a} ${a%b} !".split(" "),
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
    const strict = commandAuditor({ rules: { allow: ["git *"], ask: ["ls *"], deny: ["rm *", "*x*"] } });
    const property = fc.property(texts, (text) => {
      for (const { verdict, findings } of [judge(text), strict(text)]) {
        expect(findings.filter(({ ruleId }) => ruleId === "audit-failed")).toEqual([]);
        expect(verdict === "pass").toBe(findings.length === 0);
        expect(findings.every(({ span }) => span.start >= 0 && span.end <= text.length)).toBe(true);
      }
    });
    fc.assert(property, { numRuns: 1500, seed: 7 });
  });
});

/** Milliseconds of processor time; other work of the machine does not count. */
function timeOf(text: string): number {
  const before = process.cpuUsage();
  auditCommand(text.slice(0, 10_000), { rules: { allow: ["git *", "*a?b*c"], deny: ["rm *", "* -x *"] } });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Far above what is measured on a quiet machine (under 100), far below what work without a bound takes. */
const BOUND = 1500;

describe("the time of the audit", () => {
  it.each([
    ["a doubling variable", `x=aaaaaaaa; ${"x=$x$x; ".repeat(1200)}`],
    ["loops in loops", `${"for a in 1 2 3 4 5 6 7 8; do $a ".repeat(90)}${"; done ".repeat(90)}`],
    ["braces beside braces", `echo ${"{a,b}".repeat(1900)}`],
    ["endless loops in endless loops", `${"while :; do ".repeat(200)} x & ${"done; ".repeat(200)}`],
    ["shells in loops", `sh -c 'for a in 1 2 3 4 5 6 7 8; do sh -c "eval $a; $a"; done'; `.repeat(130)],
    ["growing replacements", "x=a; ".concat("x=${x//a/aaaaaaaaaaaaaaaaaaaa}; ".repeat(300))],
    ["many commands", "ls;".repeat(3300)],
    ["many pipes", "a|".repeat(4900)],
    ["open substitutions", "$(".repeat(4900)],
    ["open arithmetic", `echo $((${"1+".repeat(4900)}1))`],
    ["many substitutions", `echo ${"$(rm -rf /)".repeat(900)}`],
    ["open quotes", `echo ${'"'.repeat(9900)}`],
    ["open backticks", "`".repeat(9900)],
    [
      "long loops",
      `for i in ${Array.from({ length: 1500 }, (_, i) => i).join(" ")}; do echo $i; rm -rf x$i; done`,
    ],
    ["long input of xargs", `printf '${"a\\n".repeat(3000)}' | xargs -I{} sh -c {}`],
    ["a text that is evaluated again and again", `x='${"ls;".repeat(2000)}'; ${"eval $x;".repeat(400)}`],
    ["open brackets of sed", `sed '${"s/[/a/;".repeat(1300)}' x`],
    ["open texts of a program", `python3 -c '${'\\"'.repeat(4900)}'`],
    ["patterns", `x=${"a".repeat(5000)}; ${"echo ${x%%*b};".repeat(250)}`],
    ["wide patterns of a person", `echo ${"a$x b".repeat(1900)}`],
    ["many functions", "f(){ f;};".repeat(1100)],
    ["a doubling array", `a=(x y);${'a+=("${a[@]}");'.repeat(400)}`],
    ["a doubling array of nothing", `a=('' '');${'a=("${a[@]}" "${a[@]}");'.repeat(300)}`],
    ["doubling arguments", `set -- '' '';${'set -- "$@" "$@";'.repeat(400)}`],
    ["values that loops multiply", "for i in {1..50};do x=$x$i;done;".repeat(300)],
    ["loops that set a variable", "for i in {1..50};do y=$i;done;".repeat(300)],
    ["links to links", Array.from({ length: 600 }, (_, i) => `ln -s l${i} l${i + 1};`).join("")],
    ["open brackets", "[".repeat(9999)],
  ])("is short for %s", (_what, text) => {
    expect(timeOf(text)).toBeLessThan(BOUND);
  });

  it("is short for any 10,000 characters of shell", () => {
    const pieces = [
      "$(",
      "`",
      "${",
      "x",
      " ",
      ";",
      "|",
      "'",
      '"',
      "(",
      ")",
      "{",
      "}",
      "<<E\n",
      "for a in b;do ",
      "done;",
    ];
    const long = fc
      .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
      .map((some) => some.join("").repeat(10_000 / some.join("").length));
    const property = fc.property(long, (text) => {
      expect(timeOf(text)).toBeLessThan(BOUND);
    });
    fc.assert(property, { numRuns: 30, seed: 11 });
  });
});
