/** Images in a conversation of the lead agent: what is stored of them, and what the model is shown. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeLeadAgent } from "../agent/lead-agent.js";
import { silentLogger } from "../base/logger.js";
import { parseConfig } from "../config/parse-config.js";
import { threadDirectories } from "../context/home-paths.js";
import { LOCAL_PRINCIPAL } from "../context/principal.js";
import type { ModelInfo } from "../models/contract.js";
import type { Persistence } from "../persistence/contract.js";
import { openPersistence } from "../persistence/open-persistence.js";
import { openSqlite } from "../persistence/sqlite/open-sqlite.js";
import { ScriptedModel, type ScriptedTurn } from "../testing/scripted-model.js";
import { MemoryStreamBridge } from "./bridge/memory-stream-bridge.js";
import { InProcessRunQueue } from "./run-queue/in-process-run-queue.js";
import { RunManager } from "./run-manager.js";
import { parseRunRequest } from "./run-request.js";
import { ThreadService } from "./thread-service.js";

const THREAD = "t1";
const MEBIBYTE = 1024 * 1024;

/** A picture that no compression makes smaller. */
function picture(bytes: number): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, Buffer.from(name), content, Buffer.alloc(4)]);
  };
  const header = Buffer.from("0000006400000064080200000000".slice(0, 26), "hex");
  const parts = [chunk("IHDR", header), chunk("IDAT", randomBytes(bytes)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}

const reading = (path: string): ScriptedTurn => ({
  calls: [{ name: "read_file", args: { description: "look", path: `/mnt/user-data/uploads/${path}` } }],
});

let home: string;
let opened: Persistence | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "deerflow-images-"));
});
const close = async () => {
  await opened?.close();
  opened = undefined;
};
afterEach(async () => {
  await close();
  await rm(home, { recursive: true });
});

async function upload(name: string, content: Buffer | string): Promise<void> {
  const { uploads } = threadDirectories(home, LOCAL_PRINCIPAL, THREAD);
  await mkdir(uploads, { recursive: true });
  await writeFile(join(uploads, name), content);
}

/** The installation as it is after a start; a second call is a restart. */
async function start(turns: readonly ScriptedTurn[], config: object = {}) {
  await close();
  const persistence = await openPersistence({ backend: "sqlite", path: join(home, "deerflow.db") });
  opened = persistence;
  const model = new ScriptedModel(turns);
  const agents = makeLeadAgent({
    home,
    config: () => parseConfig(config).config,
    models: async () => ({
      models: [{ name: "eyes", supportsVision: true } as ModelInfo], // nothing else of it is looked at
      createChatModel: () => model,
    }),
    audit: { record: async () => undefined },
    logger: silentLogger,
  });
  const bridge = new MemoryStreamBridge();
  const runs = new RunManager({ persistence, bridge, agents, queue: new InProcessRunQueue() });
  const threads = new ThreadService({ persistence, agents, runs });
  const ask = async (content: unknown) => {
    const input = { messages: [{ type: "human", content }] };
    const config = { recursion_limit: 1000 };
    const request = parseRunRequest({ assistant_id: "lead_agent", input, config, stream_mode: ["values"] });
    const { runId } = await runs.start(LOCAL_PRINCIPAL, THREAD, request);
    const run = await runs.join({ principal: LOCAL_PRINCIPAL, threadId: THREAD, runId });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("success");
  };
  return { persistence, model, threads, ask };
}

const imagesIn = (model: ScriptedModel): readonly string[] =>
  (model.calls.at(-1)?.messages ?? [])
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap((block) => (block.type === "image" ? [String(block["data"])] : []));

/** Every column of the database in which some of the bytes stand, as they are or as base64; once for each time. */
async function placesOf(content: Buffer): Promise<string[]> {
  await close();
  const database = await openSqlite(join(home, "deerflow.db"));
  const needles = [content.subarray(3000, 3300), Buffer.from(content.toString("base64").slice(3000, 3300))];
  const places: string[] = [];
  for (const { name } of database.all("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    const rows = database.all(`SELECT * FROM "${String(name)}"`);
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      if (typeof value !== "string" && !(value instanceof Uint8Array)) continue;
      const bytes = Buffer.from(value as Uint8Array); // or a text: both have bytes
      if (needles.some((needle) => bytes.includes(needle))) places.push(`${String(name)}.${column}`);
    }
  }
  await database.close();
  return places;
}

/** Bytes of the pages that are in use; those that are free are filled before the file grows. */
async function bytesInUse(): Promise<number> {
  await close();
  const database = await openSqlite(join(home, "deerflow.db"));
  const number = (pragma: string): number =>
    Number(Object.values(database.first(`PRAGMA ${pragma}`) ?? {})[0]);
  const bytes = (number("page_count") - number("freelist_count")) * number("page_size");
  await database.close();
  return bytes;
}

describe("an image that the agent has read", () => {
  it("is shown to the model 30 turns later and after a restart, and stored once", async () => {
    const image = picture(50_000);
    await upload("a.png", image);
    const turns = [reading("a.png"), { text: "I see it." }];
    const before = await start(turns);
    await before.ask("Look at a.png.");
    for (let turn = 1; turn < 30; turn += 1) await before.ask(`Question ${turn}`);
    expect(imagesIn(before.model)).toEqual([image.toString("base64")]);

    const after = await start(turns);
    await after.ask("And now?");
    expect(after.model.calls).toHaveLength(1);
    expect(imagesIn(after.model)).toEqual([image.toString("base64")]);
    const { bytes } = await after.threads.media(
      LOCAL_PRINCIPAL,
      THREAD,
      createHash("sha256").update(image.toString("base64")).digest("hex"),
    );
    expect(Buffer.from(bytes).equals(image)).toBe(true);
    expect(await placesOf(image)).toEqual(["checkpoint_parts.data"]);
  });

  it("gives way in the request to newer ones, which the state does not notice", async () => {
    const images = Array.from({ length: 6 }, () => picture(2000));
    for (const [index, image] of images.entries()) await upload(`${index}.png`, image);
    const turns = [...images.map((_, index) => reading(`${index}.png`)), { text: "All seen." }];
    const { model, ask, persistence } = await start(turns, { media: { max_images: 4 } });
    await ask("Look at all.");
    expect(
      model.calls.map(
        ({ messages }) =>
          messages.filter(({ content }) => JSON.stringify(content).includes('"image"')).length,
      ),
    ).toEqual([0, 1, 2, 3, 4, 2, 3]);
    expect(imagesIn(model)).toEqual(images.slice(3).map((image) => image.toString("base64")));
    expect(JSON.stringify(model.calls.at(-1)?.messages.map(({ text }) => text))).toContain(
      "The image /mnt/user-data/uploads/0.png (image/png) was shown here and is left out now, to keep the request small. Call read_file on it to see it again.",
    );
    const config = { configurable: { thread_id: THREAD, checkpoint_ns: "" } };
    const tuple = await persistence.checkpointer(LOCAL_PRINCIPAL).getTuple(config);
    const state = JSON.stringify(tuple?.checkpoint.channel_values);
    expect(images.filter((image) => state.includes(image.toString("base64")))).toHaveLength(6);
    expect(state).not.toContain("is left out now");
  });
});

describe("an image that a person sends", () => {
  it("is stored once, in whatever spelling, however often it comes", async () => {
    const image = picture(50_000);
    const data = image.toString("base64");
    const { ask } = await start([{ text: "Nice." }]);
    await ask([{ type: "image", mimeType: "image/png", data }]);
    await ask([{ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }]);
    await ask([{ type: "image", source_type: "base64", mime_type: "image/png", data }]);
    expect(await placesOf(image)).toEqual(["checkpoint_parts.data"]);
  });
});

describe("a run of 50 steps", () => {
  const notes = randomBytes(1000).toString("hex");

  /** @returns what the database takes, and the messages as a client sees them */
  async function run(ask: unknown, first: string, content: Buffer | string) {
    await upload(first, content);
    await upload("notes.txt", notes);
    const steps = Array.from({ length: 49 }, () => reading("notes.txt"));
    const host = await start([reading(first), ...steps, { text: "Done." }]);
    await host.ask(ask);
    expect(host.model.calls).toHaveLength(51);
    const { values } = await host.threads.state(LOCAL_PRINCIPAL, THREAD);
    const shown = imagesIn(host.model);
    return { shown, messages: Buffer.byteLength(JSON.stringify(values)), stored: await bytesInUse() };
  }

  it("takes an image of 1 MiB once, beside what it takes without", async () => {
    const image = picture(MEBIBYTE);
    const data = image.toString("base64");
    const base = home;
    const results = [];
    for (const [name, ask, first, content] of [
      ["none", "Look.", "other.txt", notes],
      ["read", "Look.", "a.png", image],
      ["sent", [{ type: "image", mimeType: "image/png", data }], "other.txt", notes],
    ] as const) {
      home = join(base, name);
      results.push(await run(ask, first, content));
    }
    home = base;
    const [none, read, sent] = results;
    console.info(
      `stored without an image, with one that was read, with one that was sent: ${results.map(({ stored }) => stored).join(", ")}; messages ${none?.messages}`,
    );
    expect([none?.shown, read?.shown, sent?.shown]).toEqual([[], [data], [data]]);
    for (const { stored } of [read, sent].flatMap((result) => result ?? [])) {
      expect(stored - (none?.stored ?? 0)).toBeLessThan(1.02 * image.length);
    }
    // All tables: the state over its checkpoints, the log that pages are made of, the run and the thread.
    expect(none?.stored).toBeLessThan(5 * (none?.messages ?? 0));
  });
});
