/** A search over very many files neither runs past its limit nor keeps the server from answering others. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createDeerflowAgent } from "@deerflow/harness";
import { createFilesystemMiddleware, FilesystemBackend } from "@deerflow/harness/filesystem";
import { ScriptedModel } from "@deerflow/harness/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

const FOLDERS = 500;
const FILES_IN_EACH = 100;
const HEALTH_MILLISECONDS = 250;
/** How long an answer takes is also up to whoever else uses the machine: only what is always late is late here. */
const LOADED = { retry: 5 };

interface Message {
  readonly type: string;
  readonly content: string;
  readonly status?: string;
}

const searches = [
  {
    what: "for a common word",
    args: { pattern: "needle", output_mode: "content" },
    says: /There are more\. Narrow the search/,
  },
  { what: "for a word that no file has", args: { pattern: "absent-from-every-file" }, says: /^No/ },
] as const;

let gateway: ScriptedGateway;
/** What the next run looks for. */
let searched: Record<string, unknown> = {};
beforeAll(async () => {
  gateway = await startScriptedGateway({}, (request, disk) =>
    createDeerflowAgent({
      model: new ScriptedModel([{ calls: [{ name: "grep", args: searched }] }, { text: "done" }]),
      middleware: [
        createFilesystemMiddleware({ backend: new FilesystemBackend({ rootDir: join(disk, "tree") }) }),
      ],
      checkpointer: request.checkpointer,
    }),
  );
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(gateway.disk, "tree", `folder-${folder}`);
    await mkdir(path, { recursive: true });
    const writes = Array.from({ length: FILES_IN_EACH }, (_, file) =>
      writeFile(join(path, `file-${file}.txt`), `first line\nneedle ${folder} ${file}\nlast line\n`),
    );
    await Promise.all(writes);
  }
}, 120_000);
afterAll(() => gateway.close());

/** Asks every 20 ms until `work` is done; the slowest answer in milliseconds, and how many there were. */
async function slowestHealth(work: Promise<unknown>): Promise<{ slowest: number; answers: number }> {
  const watch = new AbortController();
  const end = work.finally(() => watch.abort());
  let [slowest, answers] = [0, 0];
  while (!watch.signal.aborted) {
    const startedAt = performance.now();
    const answer = await fetch(`${gateway.url}/health`);
    expect(answer.status).toBe(200);
    slowest = Math.max(slowest, performance.now() - startedAt);
    answers += 1;
    await pause(20);
  }
  await end;
  return { slowest, answers };
}

describe(`a grep over ${FOLDERS * FILES_IN_EACH} files`, () => {
  it.each(searches)(
    "$what ends by itself while the server answers others",
    LOADED,
    async ({ args, says }) => {
      searched = args;
      const run = fetch(`${gateway.apiUrl}/threads/${crypto.randomUUID()}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          assistant_id: "lead_agent",
          input: { messages: [{ role: "user", content: "search" }] },
          if_not_exists: "create",
        }),
      });
      const health = await slowestHealth(run);
      const { messages } = (await (await run).json()) as { messages: readonly Message[] };
      const answer = messages.find(({ type }) => type === "tool");
      expect(answer?.status).not.toBe("error");
      expect(answer?.content).toMatch(says);
      expect(messages.at(-1)?.content).toBe("done");
      expect(health.slowest).toBeLessThan(HEALTH_MILLISECONDS);
      expect(health.answers).toBeGreaterThan(0);
    },
  );
});
