/** The built workspace in a real browser, served by the built command, with the real agent behind it. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasChromium, openBrowser } from "../apps/web/src/testing/browser.js";
import { Installation, type Started } from "./support/deerflow-command.js";
import type { Values } from "./support/sdk-reading.js";
import { sdkClient } from "./support/served-host.js";

/** A folder for pictures of the pages; none are taken when it is not set. */
const SHOTS = process.env["DEERFLOW_WEB_SHOTS"];
const TASK = "Analyse the uploaded table and write a report";
const ANSWER = "sales.csv has 12 rows and 8 columns.";

describe.skipIf(!hasChromium())("the workspace of a running installation", () => {
  let installation: Installation;
  let server: Started;
  let url = "";
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[] = [];

  beforeAll(async () => {
    installation = new Installation();
    installation.configure("demo_model:\n  pace_milliseconds: 4\n");
    server = installation.start(["serve", "--port", "0"]);
    const [printed, opened] = await Promise.all([server.seen("Ctrl-C"), openBrowser()]);
    url = /http:\/\/\S+/.exec(printed)?.[0] ?? "";
    browser = opened;
  });
  afterAll(async () => {
    await browser?.close();
    server.kill("SIGINT");
    expect((await server.ended).code).toBe(0);
    installation.remove();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1360, height: 860 }, locale: "en-GB" });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(url);
  });
  afterEach(() => context.close());

  const shot = async (name: string) => {
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/host-${name}.png` });
  };
  const runDemo = async () => {
    await page.getByRole("button", { name: "Run the demo task" }).click();
    await page.waitForURL(/\/chats\//);
  };
  const settled = () => page.getByRole("button", { name: "Send", exact: true }).waitFor();
  const send = async (text: string) => {
    const field = page.getByRole("textbox", { name: "Message to the agent" });
    await field.fill(text);
    await field.press("Enter");
  };
  /** Tool and state of every call, as shown. */
  const cards = () =>
    page
      .locator("[data-tool]")
      .evaluateAll((all) =>
        all.map((card) => `${card.getAttribute("data-tool")} ${card.getAttribute("data-state")}`),
      );
  const countOf = (text: string) => page.getByText(text).count();

  it("runs the demo task, and after a reload in the middle shows the whole of it once", async () => {
    await page.getByText("demo (scripted, no AI)").waitFor();
    await runDemo();
    // The card stays, whatever state it is in when the browser comes to draw it; the run goes on behind it.
    await page.locator('[data-tool="write_file"]').first().waitFor();
    await shot("running");
    await page.reload();
    await page.locator('[data-tool="write_file"][data-state="done"]').first().waitFor();
    await page.getByText(ANSWER).waitFor();
    await settled();

    const client = sdkClient(url);
    const [thread] = await client.threads.search();
    const { values } = await client.threads.getState<Values>(thread?.thread_id ?? "");
    const calls = values.messages.flatMap(({ tool_calls = [] }) => tool_calls);
    expect((await cards()).map((card) => card.split(" ")[0])).toEqual(calls.map(({ name }) => name));
    for (const text of [
      ANSWER,
      "I make a plan and look at sales.csv.",
      "I have the numbers and write the report.",
    ])
      expect({ text, count: await countOf(text) }).toEqual({ text, count: 1 });
    expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);
    await page.getByText("4 of 4").waitFor();
    await page.getByRole("button", { name: "Open report.md" }).first().click();
    const panel = page.getByRole("complementary");
    await panel.getByRole("heading", { name: "Report on sales.csv" }).waitFor();
    expect(await panel.innerText()).toContain("2980.7");
    await shot("finished");
    expect(complaints).toEqual([]);
  });

  it("stops a run, and goes on with the next message", async () => {
    await runDemo();
    await page.locator('[data-tool="read_file"]').first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    const conversation = page.getByRole("region", { name: "Conversation" });
    await conversation.getByText("Stopped before the task was done.").waitFor();
    await settled();
    await shot("stopped");
    await send("continue");
    await page.getByText(ANSWER).waitFor();
    await settled();
    expect(await conversation.getByText("Stopped before the task was done.").count()).toBe(0);
    expect(await page.getByRole("article", { name: "You" }).allInnerTexts()).toEqual([
      expect.stringContaining(TASK),
      expect.stringContaining("continue"),
    ]);
    const shown = await cards();
    expect(shown).toContainEqual("present_files done");
    await page.reload();
    await page.getByText(ANSWER).waitFor();
    expect(await cards()).toEqual(shown);
    await shot("continued");
    expect(complaints).toEqual([]);
  });
});
