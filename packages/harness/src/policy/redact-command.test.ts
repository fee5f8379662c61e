/** What the log shows of commands. None of them is ever run. */
import { describe, expect, it } from "vitest";
import { redactCommand } from "./redact-command.js";

describe("redactCommand", () => {
  it.each([
    ["curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: [redacted]' x"],
    ["curl -H 'X-Api-Key: 12345' x", "curl -H 'X-Api-Key: [redacted]' x"],
    ["API_KEY=12345 ./a", "API_KEY=[redacted] ./a"],
    ["export GITHUB_TOKEN='a b'; ls", "export GITHUB_TOKEN=[redacted]; ls"],
    ["mysql --password=abc db", "mysql --password=[redacted] db"],
    ["tool --client-secret abc run", "tool --client-secret [redacted] run"],
    ["git clone https://me:pass@e.com/r.git", "git clone https://[redacted]@e.com/r.git"],
    ["curl -u me:pass https://e.com", "curl -u [redacted] https://e.com"],
    ["echo ghp_abcdefghijklmnopqrst", "echo [redacted]"],
    ['curl -d \'{"token":"abc"}\' x', "curl -d '{\"token\":[redacted]}' x"],
  ])("hides the secret in %j", (command, shown) => {
    expect(redactCommand(command).text).toBe(shown);
  });

  it.each([
    "git status",
    'curl -H "Authorization: $HEADER" https://e.com',
    "TOKEN=$OTHER ./a",
    "curl https://e.com/a@b",
    "sort -k2 file",
    "grep -rn token src",
  ])("leaves %j as it is", (command) => {
    expect(redactCommand(command).text).toBe(command);
  });

  it("says where positions are in the text", () => {
    const command = "TOKEN=abc ls; sudo ls";
    const { text, place } = redactCommand(command);
    const at = command.indexOf("sudo");
    expect(text.slice(place(at), place(command.length))).toBe("sudo ls");
    expect(place(0)).toBe(0);
  });

  it("takes little time for any text", () => {
    const began = performance.now();
    for (const unit of ["key", "key=", "a://", "bearer ", "-u ", "authorization:", "sk", '"key":"'])
      redactCommand(unit.repeat(20_000 / unit.length));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
