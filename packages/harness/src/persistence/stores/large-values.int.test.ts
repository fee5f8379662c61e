import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.js";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { testDatabases } from "../../testing/test-databases.js";
import type { AppStores } from "../contract.js";
import type { SqlDatabase } from "../sql/contract.js";
import { openDatabase } from "../sql/open-database.js";
import { appStores } from "./app-stores.js";

const MEGABYTE = 1024 * 1024;
/** Quotes and line ends, which grow when they are written as JSON and again as SQL, and characters of four bytes. */
const textOf = (bytes: number): string => 'he said "deer" 🦌\n'.repeat(Math.ceil(bytes / 20));

const run = (request: { text: string }) => ({
  runId: "r",
  threadId: "t",
  assistantId: "lead_agent",
  multitaskStrategy: "enqueue" as const,
  onDisconnect: "continue" as const,
  request,
  metadata: {},
  owner: "here",
});

describe.each(await testDatabases())("large values on $name", ({ backend, open, drop }) => {
  let database: SqlDatabase;
  let stores: AppStores;
  const event = (text: string) => ({ runId: "r", eventType: "message.ai", content: { text } });

  beforeEach(async () => {
    database = await openDatabase(await open());
    stores = appStores(database, systemClock);
    await stores.threads.create(LOCAL_PRINCIPAL, { threadId: "t" });
  });
  afterEach(() => database.close());
  afterAll(drop);

  it("keeps a request of 5 MB", async () => {
    const request = { text: textOf(5 * MEGABYTE) };
    await stores.runs.create(LOCAL_PRINCIPAL, run(request));
    const claimed = await stores.runs.claim(LOCAL_PRINCIPAL, "t", "r");
    expect(claimed?.request["text"] === request.text).toBe(true);
  });

  it("keeps several events of 5 MB that come together, and small ones between them", async () => {
    const sizes = [5 * MEGABYTE, 20, 5 * MEGABYTE, 5 * MEGABYTE, 20, 5 * MEGABYTE];
    const texts = sizes.map(textOf);
    await stores.events.append(LOCAL_PRINCIPAL, "t", texts.map(event));
    const stored = await stores.events.list(LOCAL_PRINCIPAL, "t", { limit: 10 });
    const kept = stored.map(
      ({ content }, index) => JSON.stringify(content) === JSON.stringify(event(texts[index] ?? "").content),
    );
    expect(kept).toEqual(sizes.map(() => true));
  });

  it.skipIf(backend !== "mysql")("refuses what the server cannot take, and goes on", async () => {
    const [row] = await database.read((session) => session.all("SELECT @@max_allowed_packet AS bytes"));
    const tooLarge = event(textOf(Number(row?.["bytes"]) + MEGABYTE));
    const refused = { code: "database_statement_too_large" };
    await expect(
      stores.events.append(LOCAL_PRINCIPAL, "t", [event("before"), tooLarge]),
    ).rejects.toMatchObject(refused);
    await expect(stores.runs.create(LOCAL_PRINCIPAL, run(tooLarge.content))).rejects.toMatchObject(refused);
    expect(await stores.events.list(LOCAL_PRINCIPAL, "t", { limit: 10 })).toEqual([]);
    expect(await stores.events.append(LOCAL_PRINCIPAL, "t", [event("after")])).toBe(1);
  });
});
