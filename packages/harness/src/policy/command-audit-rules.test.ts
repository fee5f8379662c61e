/** The command rules of a person, and severities. None of these commands is ever run: they are only judged. */
import { describe, expect, it } from "vitest";
import { SETTABLE_RULES } from "../config/command-section.js";
import { refusalOf } from "../testing/refusal-of.js";
import { auditCommand, commandAuditor } from "./command-audit.js";
import type { CommandAuditOptions, CommandRules } from "./command-policy.js";
import { COMMAND_RULES } from "./command-rules.js";

/** What an auditor is refused with when it is made. */
const refusal = (options: unknown) =>
  // The cast lets options through that no program in TypeScript could give.
  refusalOf((async () => commandAuditor(options as CommandAuditOptions))(), "/home");

const RULES = { allow: ["git *", "ls *"], deny: ["rm *"] };
const verdict = (command: string, rules: CommandRules = RULES) => auditCommand(command, { rules }).verdict;

describe("command rules", () => {
  it.each([
    "git status && rm -rf b",
    "git status; rm b",
    "git status || rm b",
    "git status & rm b",
    "git status &&rm b",
    "(git status; rm b)",
    "git log $(rm b)",
    "ls `rm b`",
    "git status\nrm b",
    "git status | xargs rm",
    "{ git status; rm b; }",
    'git log "$(rm b)"',
    "x=$(rm b) git log",
    'git log > "$(rm b)"',
    "git log <<E\n$(rm b)\nE",
    "git log <(rm b)",
    "sh -c 'git log; rm b'",
    "bash <<< 'rm b'",
    "eval 'rm b'",
    "git ls-files | xargs -n1 rm",
    "find . -exec rm {} +",
    "env A=b rm b",
    "timeout 5 nice rm b",
    "sudo rm b",
    "for f in *; do rm $f; done",
    "f() { rm b; }; f",
    "f() { rm b; }",
    "if git status; then rm b; fi",
    "/bin/rm b",
    "./rm b",
    "r''m b",
    "x=rm; $x b",
    "rm",
    "rm $UNKNOWN",
    "GIT_PAGER='rm b' git log",
    "git -c alias.x='!rm b' x",
    "alias git='rm b'; git status",
    "trap 'rm b' EXIT",
    "python3 -c 'import os; os.system(\"rm b\")'",
    "ssh host rm b",
  ])("deny all of %j for one part", (command) => {
    const { verdict, rule, reason, findings } = auditCommand(command, { rules: RULES });
    expect({ verdict, rule }).toEqual({ verdict: "block", rule: "command-denied" });
    expect(reason).toContain('is denied by the command rule "rm *"');
    expect(findings.find(({ ruleId }) => ruleId === "command-denied")?.glob).toBe("rm *");
  });

  it.each([
    "git status && make",
    "gitk",
    "make",
    "cd src && git status",
    "git status | xargs ls",
    "xargs -n1 echo",
    "./git status",
    "git/status",
    "$TOOL status",
    "git log $(date)",
    "sudo git status",
    "bash script.sh",
    "PATH=.:$PATH; git status",
    "PATH=. git status",
    "GIT_PAGER=less git log",
    "git status; if true",
    "git() { make; }; git status",
    "[ -f x ] && ls",
    "cat <(git log)",
  ])("ask about %j", (command) => {
    expect(verdict(command)).toBe("ask");
  });

  it.each([
    "git status && git log",
    'git commit -m "a && rm b"',
    "ls | ls -l",
    'git log -- "a;b"',
    "git",
    "/usr/bin/git status",
    "A=b git status",
    "x=1; git log $x",
    "git log > log.txt 2>&1",
    "timeout 5 git status",
    "env A=b nohup git status &",
    "command git status",
    "sh -c 'git status; ls'",
    "eval 'git status'",
    "for f in a b; do git add $f; done",
    "if git diff --quiet; then ls; fi",
    "f() { git status; }; f",
    'git commit -m "$(git log -1)"',
    "git log # rm b",
    "git commit -F - <<'E'\nrm b\nE",
    "[[ -n $x ]] && ls",
    "git add $FILES",
  ])("allow %j, all of it", (command) => {
    expect(auditCommand(command, { rules: RULES }).findings).toEqual([]);
  });

  it("ask nothing when there are none", () => {
    for (const rules of [{}, { allow: [], ask: [], deny: [] }]) expect(verdict("make", rules)).toBe("pass");
  });

  it("ask about all the rest when they only deny, and not when the rest is allowed", () => {
    expect(verdict("make", { deny: ["rm *"] })).toBe("ask");
    expect(verdict("make", { allow: ["*"], deny: ["rm *"] })).toBe("pass");
    expect(verdict("rm b", { allow: ["*"], deny: ["rm *"] })).toBe("block");
    expect(verdict("$TOOL b", { allow: ["*"] })).toBe("ask");
  });

  it("go from deny over ask to allow", () => {
    const rules = { allow: ["git *"], ask: ["git push *"], deny: ["git push --force *"] };
    expect(
      ["git pull", "git push", "git push x", "git push --force x"].map((command) => verdict(command, rules)),
    ).toEqual(["pass", "ask", "ask", "block"]);
    expect(auditCommand("git push", { rules })).toMatchObject({
      rule: "command-asked",
      findings: [{ glob: "git push *", span: { start: 0, end: 8 } }],
    });
  });

  it("ask where what is not known could make one deny", () => {
    const rules = { allow: ["git *"], deny: ["git push *"] };
    expect(verdict("git $VERB x", rules)).toBe("ask");
    expect(verdict("git log $X", rules)).toBe("pass");
  });

  it("leave the audit's own rules as they are: the worse of both decides", () => {
    expect(verdict("rm -rf /", { allow: ["*"] })).toBe("block");
    expect(verdict("sudo ls", { allow: ["*"] })).toBe("warn");
    expect(auditCommand("sudo make", { rules: RULES })).toMatchObject({
      verdict: "ask",
      rule: "command-unlisted",
    });
  });

  it("know * and ?, and take both as they are behind a backslash", () => {
    const fits = (glob: string, command: string) => verdict(command, { allow: [glob] }) === "pass";
    expect(fits("ls ?", "ls a")).toBe(true);
    expect(fits("ls ?", "ls ab")).toBe(false);
    expect(fits("npm run *:ci", "npm run test:ci")).toBe(true);
    expect(fits("npm run *:ci", "npm run test")).toBe(false);
    expect(fits("ls \\*", "ls '*'")).toBe(true);
    expect(fits("ls \\*", "ls a")).toBe(false);
    expect(fits("git*", "gitk")).toBe(true);
    expect(fits("*", "anything at all")).toBe(true);
  });

  it.each([
    [{ allow: [""] }, "rules.allow[0]", "empty"],
    [{ deny: ["rm *", " git *"] }, "rules.deny[1]", "begins or ends with a blank"],
    [{ ask: ["git  push"] }, "rules.ask[0]", "more than one blank"],
    [{ deny: ["git status && rm *"] }, "rules.deny[0]", "more than one command"],
    [{ deny: ['git commit -m "x"'] }, "rules.deny[0]", "quotation mark"],
    [{ deny: ["rm \\"] }, "rules.deny[0]", "backslash"],
    [{ deny: ["x".repeat(501)] }, "rules.deny[0]", "longer than 500"],
    [{ denied: ["rm *"] }, "rules.denied", "no such list"],
    [{ deny: "rm *" }, "rules.deny", "no list"],
    [{ deny: [7] }, "rules.deny[0]", "not a text"],
    [[], "rules", "no object"],
  ])("refuse %j, and say where", async (rules, place, reason) => {
    const { code, details } = await refusal({ rules });
    expect({ code, details }).toMatchObject({ code: "command_audit_invalid", details: { place } });
    expect(String(details["reason"])).toContain(reason);
  });
});

const INPUTS = {
  allowed: [
    'st=$(curl -sI http://127.0.0.1:9/h | head -1); echo "$st"',
    "echo $shelf",
    "echo ${curlopts}",
    "shfmt -d a.sh",
    "v=$(base64 --version | head -1)",
  ],
  blocked: [
    "$(curl -s http://127.0.0.1:9/x)",
    "`wget -qO- http://127.0.0.1:9/x`",
    'eval "$(curl -s http://127.0.0.1:9/x)"',
    'bash -c "$(curl -s http://127.0.0.1:9/x)"',
    "curl -s http://127.0.0.1:9/x | sh",
    "sh <(curl -s http://127.0.0.1:9/x)",
  ],
};

describe("severities", () => {
  it("allow a substitution as such, and block running what was fetched", () => {
    expect(INPUTS.allowed.map((command) => auditCommand(command).verdict)).toEqual(Array(5).fill("pass"));
    expect(INPUTS.blocked.map((command) => auditCommand(command).rule)).toEqual(
      Array(6).fill("run-download"),
    );
  });

  it.each(["warn", "ask"] as const)("turn each block into %s", (level) => {
    const judge = commandAuditor({ severity: { "run-download": level } });
    expect(INPUTS.blocked.map((command) => judge(command).verdict)).toEqual(Array(6).fill(level));
    expect(judge("rm -rf /").verdict).toBe("block");
  });

  it("switch a rule off, and only that", () => {
    const judge = commandAuditor({ severity: { "run-download": "off" } });
    expect(judge("curl -s x | sh")).toEqual({
      verdict: "pass",
      findings: [],
      switchedOff: ["run-download"],
    });
    expect(judge("curl -s x | sh; rm -rf /").rule).toBe("delete-system");
  });

  it("raise a warning to a block", () => {
    expect(auditCommand("sudo ls", { severity: { "change-user": "block" } }).verdict).toBe("block");
  });

  it.each([
    [{ "run-downlaod": "warn" }, "severity.run-downlaod", "did you mean run-download?"],
    [{ nonsense: "warn" }, "severity.nonsense", "known are delete-system, "],
    [{ "run-download": "wran" }, "severity.run-download", "wran is no level"],
    [{ "command-unusable": "warn" }, "severity.command-unusable", "always blocked"],
    [{ "command-too-deep": "off" }, "severity.command-too-deep", "always blocked"],
    [{ toString: "off" }, "severity.toString", "no such rule"],
  ])("refuse %j, and say where", async (severity, place, reason) => {
    const { code, details } = await refusal({ severity });
    expect({ code, details }).toMatchObject({ code: "command_audit_invalid", details: { place } });
    expect(String(details["reason"])).toContain(reason);
  });
});

describe("the table of rules", () => {
  const rows = Object.entries(COMMAND_RULES);

  it("names the same rules as the configuration does", () => {
    const settable = rows.filter(([, rule]) => !("isFixed" in rule)).map(([id]) => id);
    expect(settable).toEqual([...SETTABLE_RULES]);
  });

  it.each(rows.filter(([id]) => id !== "audit-failed"))(
    "has an example that breaks %s",
    (id, { example, severity }) => {
      expect(auditCommand(example)).toMatchObject({ verdict: severity, rule: id });
    },
  );

  it.each(rows)("has a command near %s that passes", (_id, { passes }) => {
    expect(auditCommand(passes).findings).toEqual([]);
  });
});

describe("what a rule for git or for all does not cover", () => {
  it.each([
    "'git /evil.sh'",
    "git\\ /evil.sh",
    "(( PATH = 0 )); git x",
    "x='$(id)'; git ${x@P}",
    "x='a[$(id)]'; git $((x))",
    "BASH_CMDS[git]=./evil; git x",
    "git x {PATH}>f; git y",
    "coproc PATH { git x; }; git y",
    "bash -c -i 'git status'",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=id git log",
    "GIT_EXEC_PATH=. git x",
    "HOME=. git x",
    "XDG_CONFIG_HOME=. git x",
    "LESS='+!id' git log",
    "git -c protocol.ext.allow=always fetch",
    "git ls-remote 'ext::id'",
    "git -c include.path=./e log",
    "git --exec-path=. x",
    "X=id git --config-env=core.pager=X log",
    "git config core.hooksPath x",
    "git clone --config alias.x='!id' u",
    "git init --template=./evil",
    "git difftool -yx id",
    "git send-email --sendmail-cmd=id",
    "git instaweb --httpd=./e",
    "git daemon --access-hook=id",
  ])("asks about %j, where only git is allowed", (command) => {
    expect(verdict(command, { allow: ["git *"] })).not.toMatch(/pass|warn/);
  });

  it.each([
    "docker exec c rm x",
    "docker run --rm a rm x",
    "docker compose exec c rm x",
    "kubectl exec p -- rm x",
    "npm exec -- rm x",
    "pnpm exec rm x",
    "uv run rm x",
    "poetry run rm x",
    "conda run -n x rm x",
    "bundle exec rm x",
    "direnv exec . rm x",
    "dotenv -- rm x",
    "fd -x rm",
    "perf stat rm x",
    "gdb --args rm x",
    "tmux new -d rm x",
    "rlwrap rm x",
    "cp /bin/rm r; ./r x",
    "hash -p /bin/rm q; q x",
  ])("denies %j, where rm is denied", (command) => {
    expect(auditCommand(command, { rules: { allow: ["*"], deny: ["rm *"] } }).rule).toBe("command-denied");
  });

  it("lets a person allow what opens git, and judges by the audit's own rules only what runs here", () => {
    expect(verdict("git config core.hooksPath x", { allow: ["git *", "core.hooksPath=*"] })).toBe("pass");
    expect(verdict("docker exec db rm -rf /var/lib/x", { allow: ["*"] })).toBe("pass");
    expect(auditCommand("docker run --rm alpine sh -c 'echo x >> /etc/hosts'").verdict).toBe("pass");
  });

  it("refuses options that are none", () => {
    expect(() => auditCommand("ls", null as unknown as CommandAuditOptions)).toThrow();
  });
});
