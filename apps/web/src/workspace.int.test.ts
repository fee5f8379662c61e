/** The whole workspace in a real browser, against a gateway whose run the test plays by hand. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildWorkspace, hasChromium, openBrowser, seriousProblems } from "./testing/browser.js";
import type { ScriptedFrame } from "./testing/scripted-run.js";
import { StubGateway } from "./testing/stub-gateway.js";

const SHOTS = process.env["DEERFLOW_WEB_SHOTS"];
const INITIAL_BUDGET = 250_000;
const FINAL = "The report is ready: revenue is 1,902.80 in total";

/** True for the frame in which a tool's answer arrives. */
const answers = (callId: string) => (frame: ScriptedFrame) =>
  frame.event === "messages" && JSON.stringify(frame.data).includes(`"id":"t-${callId}"`);
/** True for the piece of this number of an answer that is being written. */
const piece = (messageId: string, number: number) => {
  let seen = 0;
  return (frame: ScriptedFrame) => {
    if (frame.event === "messages" && JSON.stringify(frame.data).includes(`"id":"${messageId}"`)) seen += 1;
    return seen === number;
  };
};

describe.skipIf(!hasChromium())("the workspace in a browser", () => {
  let folder = "";
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let gateway: StubGateway;
  let address = "";
  let complaints: string[] = [];

  beforeAll(async () => {
    [folder, browser] = await Promise.all([buildWorkspace(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const enter = async (options: Parameters<Browser["newContext"]>[0] = {}) => {
    context = await browser.newContext({
      viewport: { width: 1360, height: 860 },
      locale: "en-GB",
      ...options,
    });
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(address);
  };
  beforeEach(async () => {
    gateway = new StubGateway();
    address = await gateway.start(folder);
    await enter();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      const shown = await page.locator("body").innerText({ timeout: 2_000 });
      console.error(`The page of "${task.name}" showed:\n${shown}\nand complained of:`, complaints);
    }
    await context.close();
    await gateway.close();
  });

  const shot = async (name: string) => {
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/web-${name}.png` });
  };
  const runDemo = async () => {
    await page.getByRole("button", { name: "Run the demo task" }).click();
    await page.waitForURL(/\/chats\//);
  };
  const countOf = (text: string) => page.getByText(text, { exact: false }).count();

  it("runs the demo task, and after a reload in the middle shows everything once", async () => {
    await page.getByText("demo (scripted, no AI)").waitFor();
    await shot("welcome");
    await runDemo();
    expect(gateway.uploads).toEqual(["sales.csv"]);

    await gateway.play(piece("a1", 10), 5);
    await page.getByText("I look at").waitFor();
    await gateway.play(piece("a2", 20), 5);
    await page.locator('[data-tool="write_file"][data-state="writing"]').waitFor();
    await shot("running");
    await gateway.play(answers("c4"));
    await page.locator('[data-tool="bash"][data-state="done"]').waitFor();

    await page.reload();
    await page.locator('[data-tool="bash"][data-state="done"]').waitFor();
    expect(await page.locator("[data-tool]").count()).toBe(7);
    await gateway.play(piece("a6", 4), 5);
    await page.reload();
    await page.getByText("The report is ready").waitFor();
    await gateway.play();
    await page.getByText(FINAL).waitFor();

    expect(await page.locator("[data-tool]").count()).toBe(9);
    expect(await countOf("I look at the table, add it up")).toBe(1);
    expect(await countOf("The figures are there. Now the report.")).toBe(1);
    expect(await countOf(FINAL)).toBe(1);
    expect(await page.getByText("Analyse the uploaded table and write a report").count()).toBe(1);
    expect(await page.locator('[data-state="refused"]').count()).toBe(2);
    await page.getByText("Blocked: the command was judged dangerous.").waitFor();
    await page.getByText("3 of 3").waitFor();
    await page.getByRole("heading", { name: "Sales by region" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    await shot("finished");
    expect(complaints).toEqual([]);
  });

  it("shows what was handed over, and fetches nothing for it from elsewhere", async () => {
    const foreign: string[] = [];
    page.on("request", (request) => !request.url().startsWith(address) && foreign.push(request.url()));
    await runDemo();
    await gateway.play();
    await page.getByRole("button", { name: "Open report.md" }).click();
    await page.getByRole("heading", { name: "What stands out" }).waitFor();
    await page.getByText("Image not loaded: logo").waitFor();
    expect(await page.getByRole("link", { name: "a link" }).getAttribute("rel")).toContain("noopener");
    expect(await page.getByRole("link", { name: "a trap" }).count()).toBe(0);
    await shot("report");

    await page.reload();
    await page.getByRole("heading", { name: "What stands out" }).waitFor();
    await page.getByRole("button", { name: "Back to plan and files" }).click();
    await page.getByRole("button", { name: "Open totals.csv" }).click();
    await page.getByRole("complementary").getByRole("cell", { name: "774.50" }).waitFor();
    await page.getByRole("button", { name: "Back to plan and files" }).click();
    await page.getByRole("button", { name: "Open report.html" }).click();
    await page.frameLocator("iframe").getByRole("heading", { name: "Sales" }).waitFor();
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe("");
    await shot("page");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download report.html" }).click();
    expect((await download).suggestedFilename()).toBe("report.html");
    expect(foreign).toEqual([]);
  });

  it("opens a tool call with the keyboard and shows what was asked and answered", async () => {
    await runDemo();
    await gateway.play();
    const card = page.locator('[data-tool="bash"][data-state="done"]').getByRole("button").first();
    await card.focus();
    await page.keyboard.press("Enter");
    await page.getByText("{ North: 774.5, South: 534, East: 388.5, West: 205.8 }").waitFor();
    expect(await card.getAttribute("aria-expanded")).toBe("true");
    await page.locator('[data-tool="read_file"][data-state="done"]').getByRole("button").first().click();
    await page.getByRole("button", { name: "Show all 30 lines" }).waitFor();
    await shot("tool-details");
  });

  it("shows the last of what a running command prints, until its result is there", async () => {
    await runDemo();
    await gateway.play((frame) => frame.event === "custom" && JSON.stringify(frame.data).includes("East"));
    const running = page.locator('[data-tool="bash"][data-state="running"]').first();
    const log = running.getByRole("log", { name: "What bash prints" });
    await log.getByText("adding up North\nadding up South\nadding up East").waitFor();
    expect(await log.getAttribute("aria-live")).toBe("polite");
    expect(await seriousProblems(page)).toEqual([]);
    await shot("live-output");
    await gateway.play(answers("c4"));
    await page.locator('[data-tool="bash"][data-state="done"]').waitFor();
    expect(await page.getByRole("log").count()).toBe(0);
  });

  it("stops a run and keeps what was said", async () => {
    await runDemo();
    await gateway.play(piece("a4", 5));
    await page.getByText("The figures are there.").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    const conversation = page.getByRole("region", { name: "Conversation" });
    await conversation.getByText("Stopped before the task was done.").waitFor();
    expect(gateway.cancelled).toHaveLength(1);
    expect(await countOf("The figures are there.")).toBe(1);
    await shot("stopped");
  });

  it("keeps a draft over a reload, uploads what is pasted, and sends with Enter but not with Shift+Enter", async () => {
    const field = page.getByRole("textbox", { name: "Message to the agent" });
    await field.fill("First line");
    await page.reload();
    expect(await field.inputValue()).toBe("First line");
    await field.press("End");
    await field.press("Shift+Enter");
    await field.pressSequentially("Second line");
    await page.locator("input[type=file]").setInputFiles([
      { name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") },
      { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("x") },
    ]);
    await page.getByRole("button", { name: "Remove a.csv" }).waitFor();
    await page.getByRole("button", { name: "Remove b.txt" }).click();
    await shot("composer");
    await field.press("Enter");
    await page.waitForURL(/\/chats\//);
    await gateway.play(answers("c1"));
    const said = page.getByRole("article", { name: "You" });
    expect(await said.innerText()).toContain("First line\nSecond line");
    expect(await said.innerText()).toContain("a.csv");
    expect(await field.inputValue()).toBe("");
  });

  it("says so when the gateway is away, loses no word, and goes on when it is back", async () => {
    await page.getByText("demo (scripted, no AI)").waitFor();
    gateway.offline = true;
    const field = page.getByRole("textbox", { name: "Message to the agent" });
    await field.fill("Do not lose me");
    await field.press("Enter");
    await page.getByText("The gateway does not answer. Is it running?").waitFor();
    expect(await field.inputValue()).toBe("Do not lose me");
    await page.getByText("The gateway does not answer. Trying again…").waitFor({ timeout: 20_000 });
    await shot("offline");
    gateway.offline = false;
    await page.getByText("The gateway does not answer. Trying again…").waitFor({ state: "hidden" });
    await field.press("Enter");
    await page.waitForURL(/\/chats\//);
  });

  it("shows where commands run, and what they may use and reach", async () => {
    await page.getByRole("button", { name: "Commands run in: bubblewrap" }).click();
    await page.getByText("Commands reach no network.").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await shot("sandbox-status");
  });

  it("follows a run through a lost connection", async () => {
    await runDemo();
    await gateway.play(answers("c2"));
    await page.locator('[data-tool="read_file"][data-state="done"]').waitFor();
    gateway.dropConnections();
    await gateway.play();
    await page.getByText(FINAL).waitFor();
    expect(await page.locator("[data-tool]").count()).toBe(9);
  });

  it("shows plain text until the renderer of Markdown can be loaded", async () => {
    let lost = 0;
    let isReachable = false;
    gateway.loses = (path) => path.includes("markdown-text") && !isReachable && (lost += 1) > 0;
    await runDemo();
    await gateway.play();
    await page.getByText("revenue is **1,902.80** in total").waitFor();
    await expect.poll(() => lost).toBeGreaterThan(1);
    isReachable = true;
    await page.getByText(FINAL).waitFor();
  });

  it("renames a conversation, and deletes it only after a question", async () => {
    await runDemo();
    await gateway.play();
    await page.getByText(FINAL).waitFor();
    const menu = page.getByRole("button", { name: "Options for Sales by region" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Figures");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Figures" }).waitFor();
    await page.getByRole("button", { name: "Options for Figures" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await shot("delete");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(gateway.threads.size).toBe(1);
    await page.getByRole("button", { name: "Options for Figures" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "What should the agent do?" }).waitFor();
    expect(gateway.threads.size).toBe(0);
  });

  it("speaks Chinese and turns dark, and remembers both", async () => {
    await page.getByRole("button", { name: "Appearance and language" }).click();
    await page.getByRole("menuitemradio", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "要完成什么任务？" }).waitFor();
    await page.getByRole("button", { name: "外观与语言" }).click();
    await page.getByRole("menuitemradio", { name: "深色" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "要完成什么任务？" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    await shot("chinese-dark");
  });

  it.each(["light", "dark"] as const)("has no serious barrier in %s", async (colorScheme) => {
    await context.close();
    await enter({ colorScheme, reducedMotion: "reduce" });
    await page.getByText("demo (scripted, no AI)").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await runDemo();
    await gateway.play(piece("a4", 5));
    await page.getByText("The figures are there.").waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await gateway.play();
    await page.getByText(FINAL).waitFor();
    await page.getByRole("button", { name: "Details of read_file" }).first().click();
    await page.getByRole("button", { name: "Open report.md" }).click();
    await page.getByRole("heading", { name: "What stands out" }).waitFor();
    await shot(`all-${colorScheme}`);
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("marks the demo model once, on a wide page and on a phone", async () => {
    const mark = page.getByText(/scripted/);
    for (const width of [1360, 390, 320]) {
      await page.setViewportSize({ width, height: 780 });
      await mark.waitFor();
      expect(await mark.count()).toBe(1);
      expect(await mark.evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true);
    }
    await shot("phone-narrow");
  });

  it("fits a phone", async () => {
    await context.close();
    await enter({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    await page.getByText("demo (scripted, no AI)").waitFor();
    await shot("phone-welcome");
    await runDemo();
    await gateway.play();
    await page.getByText(FINAL).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await shot("phone");
    await page.getByRole("button", { name: "Show plan and files" }).click();
    await page.getByRole("button", { name: "Open report.md" }).waitFor();
    await shot("phone-panel");
    await page.getByRole("complementary").getByRole("button", { name: "Hide plan and files" }).click();
    await page.getByRole("button", { name: "Open the list of conversations" }).click();
    await page.getByRole("link", { name: "Sales by region" }).waitFor();
    await shot("phone-sidebar");
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("shows the reader's own place while an answer grows", async () => {
    await page.setViewportSize({ width: 1000, height: 420 });
    await runDemo();
    await gateway.play(answers("c8"));
    const scroller = page.getByRole("region", { name: "Conversation" });
    await page.locator('[data-tool="write_file"]').nth(1).waitFor();
    await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
    await page.getByRole("button", { name: "Jump to the latest" }).waitFor();
    await gateway.play();
    await page.getByText(FINAL).waitFor();
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0);
    await page.getByRole("button", { name: "Jump to the latest" }).click();
    await page.getByRole("button", { name: "Jump to the latest" }).waitFor({ state: "hidden" });
  });

  it.each([
    ["/chats/nowhere", "There is no such conversation"],
    ["/no/such/page", "There is no such page"],
  ])("says that there is nothing at %s, and leads on to a new conversation", async (path, title) => {
    await page.goto(`${address}${path}`);
    await page.getByRole("heading", { name: title }).waitFor();
    expect(await page.title()).toContain(title);
    expect(await page.getByRole("textbox").count()).toBe(0);
    await page.getByRole("navigation").getByText("Nothing here yet.").waitFor();
    await shot(`not-found-${path.split("/")[1]}`);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "New chat" }).click();
    await page.getByRole("textbox", { name: "Message to the agent" }).waitFor();
  });

  it("lists a new conversation as soon as it is sent, before the gateway lists it", async () => {
    await page.getByText("Nothing here yet.").waitFor();
    gateway.unlisted = true;
    await runDemo();
    await page
      .getByRole("navigation")
      .getByRole("link", { name: "Analyse the uploaded table and write a report Running" })
      .waitFor();
    gateway.unlisted = false;
    await gateway.play();
    await page.getByRole("navigation").getByRole("link", { name: "Sales by region" }).waitFor();
    expect(await page.getByRole("navigation").getByRole("listitem").count()).toBe(1);
  });

  it("refuses a file that is too big when it is attached, in a sentence that can be read", async () => {
    const field = page.locator("input[type=file]");
    const limits = page.waitForResponse(/uploads\/limits/);
    await page.reload();
    await limits;
    const csv = (name: string, megabytes: number) => ({
      name,
      mimeType: "text/csv",
      buffer: Buffer.alloc(megabytes * 1024 * 1024, "1"),
    });
    await field.setInputFiles([csv("toobig.csv", 3), csv("a.csv", 2), csv("b.csv", 2), csv("c.csv", 1)]);
    await page.getByText("toobig.csv is 3 MB; at most 2 MB").waitFor();
    await page.getByText("c.csv does not fit: 5 MB together; at most 4 MB").waitFor();
    await page.getByRole("progressbar").first().waitFor({ state: "hidden" });
    expect(gateway.uploads.toSorted()).toEqual(["a.csv", "b.csv"]);
    await shot("too-big");
    await page.setViewportSize({ width: 390, height: 780 });
    await shot("phone-too-big");
    expect(await seriousProblems(page)).toEqual([]);
  });

  it("shows only durations that were measured, puts numbers at the right, and the same after a reload", async () => {
    const seen = async () => {
      await page.getByText(FINAL).waitFor();
      const number = page.getByRole("cell", { name: "534.00" });
      await number.waitFor();
      return [
        await page.getByText(/^\d[\d.]* m?s$/).allInnerTexts(),
        await number.evaluate((cell) => getComputedStyle(cell).textAlign),
      ];
    };
    await runDemo();
    await gateway.play();
    expect(await seen()).toEqual([["642 ms"], "right"]);
    await page.reload();
    expect(await seen()).toEqual([["642 ms"], "right"]);
  });

  it("says after a reload that the agent waits for a person", async () => {
    await runDemo();
    await gateway.play(answers("c1"));
    for (const thread of gateway.threads.values()) Object.assign(thread, { stopped: true, waits: true });
    await page.reload();
    await page.getByText("The agent waits for an answer.").waitFor();
    expect(await page.getByText("Stopped before the task was done.").count()).toBe(0);
    await shot("waiting");
  });

  it("loads no more than its budget at the start", async () => {
    const html = await readFile(join(folder, "index.html"), "utf8");
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const scripts = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map((match) => match[1] ?? "");
    const sizes = await Promise.all(
      scripts.map(async (path) => gzipSync(await readFile(join(folder, path))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(INITIAL_BUDGET);
  });
});
