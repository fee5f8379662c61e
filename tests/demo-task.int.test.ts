/** The main job as a user does it: the built command, real files, the real sandbox where there is one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Installation, ROOT } from "./support/deerflow-command.js";
import { startOpenAiStub } from "./support/openai-stub-server.js";

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => installation.remove());

const reportIn = (out: string): string => readFileSync(/Result (\S+report\.md)/.exec(out)?.[1] ?? "", "utf8");

describe("deerflow demo", () => {
  it("writes a report whose numbers are those added up by hand", async () => {
    const { code, out } = await installation.run(["demo"]);
    expect({ code, out }).toMatchObject({ code: 0 });
    const report = reportIn(out);
    for (const number of ["2980.7", "270.97", "33"]) expect(report).toContain(number);
    // On purpose: a blocked command and a stale write, each refused and recovered from.
    expect(out).toContain("have not read its current version");
    expect(out).toContain("[x] Check it and hand it over");
  });

  it("does the same for another table, with other separators and decimals", async () => {
    const { code, out } = await installation.run(["demo", "--input", join(ROOT, "examples/sales-de.csv")]);
    expect(code).toBe(0);
    expect(reportIn(out)).toContain("2181.2");
  });

  it("takes a relative input from where the user stood when npm started it", async () => {
    const { code, out } = await installation.run(["demo", "--input", "sales.csv"], {
      INIT_CWD: join(ROOT, "examples"),
    });
    expect(code).toBe(0);
    expect(out).toContain("sales.csv has 12 rows");
  });

  it("surveys a folder of Markdown files", async () => {
    const { code, out } = await installation.run(["demo", "--input", join(ROOT, "examples/notes")]);
    expect(code).toBe(0);
    expect(reportIn(out)).toMatch(/Survey of \/mnt\/user-data\/uploads\/notes/);
  });

  it("finishes by another path and says so where there is no shell", async () => {
    installation.configure("sandbox:\n  provider: none\n");
    const { code, out, err } = await installation.run(["demo"]);
    expect({ code, out, err }).toMatchObject({ code: 0 });
    expect(err).toContain("shell none");
    expect(out).not.toContain("● bash");
    expect(reportIn(out)).toContain("2980.7");
  });

  it("prints events one a line with --json", async () => {
    const { code, out } = await installation.run(["demo", "--json"]);
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; id?: string });
    expect(code).toBe(0);
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(["metadata", "end"]);
    expect(events.every((event) => typeof event.id === "string")).toBe(true);
  });
});

describe("a model behind HTTP", () => {
  it("does the same task through an OpenAI-compatible server, and its key goes nowhere else", async () => {
    const stub = await startOpenAiStub();
    try {
      installation.configure(
        `models:\n  - name: stub\n    use: openai-compatible\n    model: stub-1\n    base_url: ${stub.url}\n    api_key: $STUB_KEY\n`,
      );
      const input = join(ROOT, "examples/sales.csv");
      const args = ["run", "Analyse the uploaded table and write a report", "--input", input, "--yes"];
      const { code, out, err } = await installation.run(args, { STUB_KEY: "sk-stub-secret" });
      expect({ code, out, err }).toMatchObject({ code: 0 });
      expect(reportIn(out)).toContain("2980.7");
      expect(stub.requests.length).toBeGreaterThan(5);
      expect(stub.requests.every(({ authorization }) => authorization === "Bearer sk-stub-secret")).toBe(
        true,
      );
      expect(JSON.stringify(stub.requests.map(({ body }) => body))).not.toContain(installation.home);
      expect(out + err + JSON.stringify(stub.requests.map(({ body }) => body))).not.toContain(
        "sk-stub-secret",
      );
    } finally {
      await stub.close();
    }
  });

  it("says what is wrong when the server is gone, and does not fall back to the demo model", async () => {
    installation.configure(
      "models:\n  - name: gone\n    use: openai-compatible\n    model: m\n    base_url: http://127.0.0.1:9/v1\n    api_key: none\n    max_retries: 0\n",
    );
    const { code, out } = await installation.run(["run", "hello"]);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ The model gone cannot be reached \(.+base_url/);
    expect(out).not.toContain("demo model");
  });
});
