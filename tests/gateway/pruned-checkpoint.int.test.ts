/** What clients see of a thread whose old checkpoints were pruned. */
import { LOCAL_PRINCIPAL } from "@deerflow/harness";
import { pruneThread, type UpkeepSaver } from "@deerflow/harness/persistence";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
beforeEach(async () => {
  gateway = await startScriptedGateway();
});
afterEach(() => gateway.close());

interface State {
  readonly checkpoint: { readonly checkpoint_id: string };
  readonly parent_checkpoint: { readonly checkpoint_id: string } | null;
  readonly values: { readonly messages: readonly { readonly content: string }[] };
}

async function ask<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
  const answer = await fetch(`${gateway.url}/api/threads/t1${path}`, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

const say = (text: string, more: object = {}) =>
  ask("POST", "/runs/wait", {
    assistant_id: "lead_agent",
    input: { messages: [{ role: "user", content: text }] },
    ...more,
  });
const history = async () => (await ask<State[]>("GET", "/history?limit=1000")).body;

/** Says so many things, prunes, and returns the history from before. */
async function prune(keepLast: number): Promise<readonly State[]> {
  await ask("POST", "", {});
  for (let count = 1; count <= 5; count += 1) await say(`thing ${count}`, { if_not_exists: "create" });
  const before = await history();
  // A gateway without a switch of databases has the saver itself.
  const saver = gateway.persistence.checkpointer(LOCAL_PRINCIPAL) as unknown as UpkeepSaver;
  await pruneThread(saver, "t1", { keepLast });
  return before;
}

describe("a thread of which the last 5 checkpoints were kept", () => {
  it("has at most 5 in its history, and they are as they were", async () => {
    const before = await prune(5);
    const after = await history();
    expect(before.length).toBeGreaterThan(15);
    expect(after).toHaveLength(5);
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
    expect(after[4]).toEqual({ ...before[4], parent_checkpoint: null });
  });

  it("goes on with everything that was said", async () => {
    const [newest] = await prune(5);
    await say("one more");
    const [now] = await history();
    const texts = now?.values.messages.map(({ content }) => content);
    expect(texts?.slice(0, -2)).toEqual(newest?.values.messages.map(({ content }) => content));
    expect(texts?.slice(-2)).toEqual(["one more", "you said one more"]);
  });

  it("says clearly that a pruned checkpoint is not there, whatever is asked of it", async () => {
    const before = await prune(5);
    const id = before.at(-1)?.checkpoint.checkpoint_id ?? "";
    const refusal = {
      status: 404,
      body: {
        code: "checkpoint_not_found",
        detail: `Thread t1 has no checkpoint ${id}. It may have been pruned. List the thread's history, and take a checkpoint that is there.`,
      },
    };
    const left = await history();
    expect(await ask("GET", `/state/${id}`)).toEqual(refusal);
    expect(await ask("POST", "/state/checkpoint", { checkpoint: { checkpoint_id: id } })).toEqual(refusal);
    expect(await ask("POST", "/state", { values: { title: "x" }, checkpoint_id: id })).toEqual(refusal);
    expect(await say("go back", { checkpoint_id: id })).toEqual(refusal);
    expect(await history()).toEqual(left);
    const kept = left.at(-1)?.checkpoint.checkpoint_id;
    expect((await ask("GET", `/state/${kept}`)).status).toBe(200);
    expect((await say("from here", { checkpoint_id: kept })).status).toBe(200);
  });

  it("ends a run with an error whose checkpoint was pruned while it waited for its turn", async () => {
    const before = await prune(50);
    const id = before.at(-1)?.checkpoint.checkpoint_id ?? "";
    const slow = say("slow one");
    await expect.poll(() => gateway.gate.waiting).toBe(1);
    const waiting = say("go back", { checkpoint_id: id, multitask_strategy: "enqueue" });
    const runs = async () =>
      (await ask<{ status: string }[]>("GET", "/runs")).body.map(({ status }) => status);
    await expect.poll(runs).toEqual(expect.arrayContaining(["pending", "running"]));
    const saver = gateway.persistence.checkpointer(LOCAL_PRINCIPAL) as unknown as UpkeepSaver;
    await pruneThread(saver, "t1", { keepLast: 1 });
    gateway.gate.open();
    await slow;
    expect(JSON.stringify(await waiting)).toContain(`has no checkpoint ${id}`);
    const [now] = await history();
    expect(now?.values.messages.at(-1)?.content).toBe("at last");
  });
});
