/** What is not right is said in one clear sentence, and nothing is written or lost. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ended, Installation } from "./support/deerflow-command.js";

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => installation.remove());

const oneSentence = ({ code, out, err }: Ended): string => {
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).not.toMatch(/\n\s+at /); // no stack trace
  const lines = err.trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
};

describe("a configuration that is not right", () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["broken YAML", "models:\n  - name: [a\n", /config\.yaml.*line \d+/],
    ["an unknown key", "sandbox:\n  provder: auto\n", /provder.*provider/],
    ["a value of the wrong type", "title:\n  max_words: many\n", /title\.max_words/],
    [
      "an environment variable that is not set",
      "models:\n  - name: a\n    use: openai\n    model: m\n    api_key: $NOT_SET_HERE\n",
      /models.*api_key.*NOT_SET_HERE/,
    ],
    ["an unknown provider", "models:\n  - name: a\n    use: nobody\n    model: m\n", /nobody/],
    [
      "a database server that is not there",
      "database:\n  backend: postgres\n  url: postgres://x\n",
      /postgres/,
    ],
  ];

  it.each(cases)("%s", async (_, yaml, expected) => {
    installation.configure(yaml);
    expect(oneSentence(await installation.run(["run", "hello"]))).toMatch(expected);
    expect(existsSync(installation.home)).toBe(false);
  });

  it("lets doctor say nothing of a database that nobody named", async () => {
    installation.configure("database:\n  backend: postgres\n  url: mysql://x/y\n");
    const { code, out } = await installation.run(["doctor"]);
    expect(code).toBe(2);
    expect(out).toMatch(/FAIL config .*database\.url/);
    expect(out).toMatch(/warn database +not looked at/);
    expect(out).not.toContain("deerflow.db");
  });

  it("is named by config validate too, and shown in full with --debug", async () => {
    installation.configure("databse: {}\n");
    expect(oneSentence(await installation.run(["config", "validate"]))).toMatch(/databse.*database/);
    expect((await installation.run(["--debug", "config", "validate"])).err).toMatch(/\n\s+at /);
  });
});

describe("a command that is not right", () => {
  it("names the nearest model for an unknown one", async () => {
    const sentence = oneSentence(await installation.run(["run", "hello", "--model", "demo/scripted-2"]));
    expect(sentence).toMatch(/demo\/scripted-2.*demo\/scripted-1/);
  });

  it("refuses a thread that does not exist, an empty task and an input that is not there", async () => {
    expect(oneSentence(await installation.run(["run", "x", "--thread", "nope"]))).toContain("nope");
    expect(oneSentence(await installation.run(["run", " "]))).toMatch(/task is empty/);
    expect(oneSentence(await installation.run(["run", "x", "--input", "/nowhere/at/all"]))).toContain(
      "/nowhere/at/all",
    );
  });

  it("refuses an input that the quota has no room for, before it is copied", async () => {
    installation.configure("quota: {thread_bytes: 400000}\n");
    const input = join(installation.folder, "big.bin");
    writeFileSync(input, Buffer.alloc(500_000));
    const sentence = oneSentence(await installation.run(["run", "x", "--input", input]));
    expect(sentence).toMatch(/would hold 500000 bytes .* 400000 are allowed/);
    expect(existsSync(join(installation.home, "threads"))).toBe(false);
  });

  it("names --port when the port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sentence = oneSentence(await installation.run(["serve", "--port", String(port)]));
    expect(sentence).toContain(String(port));
    expect(sentence).toContain("--port");
    server.close();
  });
});

describe("a place that is not right", () => {
  it("says so when the home is a file or cannot be written", async () => {
    writeFileSync(installation.home, "not a folder");
    expect(oneSentence(await installation.run(["run", "hello"]))).toContain(installation.home);
    expect(readFileSync(installation.home, "utf8")).toBe("not a folder");
    const readOnly = await installation.run(["run", "hello"], { DEER_FLOW_HOME: "/proc/deerflow" });
    expect(oneSentence(readOnly)).toContain("/proc/deerflow");
  });

  const database = () => join(installation.home, "data/deerflow.db");

  it.each([
    ["a file that is no database", Buffer.from("dear diary")],
    ["a database of another program", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4080)])],
  ])("leaves %s untouched", async (_, content) => {
    mkdirSync(dirname(database()), { recursive: true });
    writeFileSync(database(), content);
    const before = statSync(database()).mtimeMs;
    expect(oneSentence(await installation.run(["run", "hello"]))).toContain("deerflow.db");
    expect(readFileSync(database()).equals(content)).toBe(true);
    expect(statSync(database()).mtimeMs).toBe(before);
  });

  it("says so when the database is a folder", async () => {
    mkdirSync(database(), { recursive: true });
    expect(oneSentence(await installation.run(["threads", "list"]))).toContain("deerflow.db");
  });
});
