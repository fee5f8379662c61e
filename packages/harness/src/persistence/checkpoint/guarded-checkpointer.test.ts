import { emptyCheckpoint, MemorySaver } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { GuardedCheckpointer } from "./guarded-checkpointer.js";

const THREAD = { configurable: { thread_id: "t", checkpoint_ns: "" } };
const METADATA = { source: "loop", step: 0, parents: {} } as const;

async function idsOf(saver: MemorySaver): Promise<string[]> {
  const ids = [];
  for await (const { checkpoint } of saver.list(THREAD)) ids.push(checkpoint.id);
  return ids;
}

it("writes nothing that is refused, and reads without asking", async () => {
  const saver = new MemorySaver();
  const guarded = new GuardedCheckpointer(saver, async () => {
    throw new Error("no longer yours");
  });
  const config = await saver.put(THREAD, emptyCheckpoint(), METADATA);
  await expect(guarded.put(THREAD, emptyCheckpoint(), METADATA, {})).rejects.toThrow("no longer yours");
  await expect(guarded.putWrites(config, [["x", 1]], "task")).rejects.toThrow("no longer yours");
  await expect(guarded.deleteThread("t")).rejects.toThrow("no longer yours");
  expect((await guarded.getTuple(config))?.pendingWrites).toEqual([]);
  expect(await idsOf(saver)).toHaveLength(1);
});

it("keeps the order of writes, and what they were when they came", async () => {
  const saver = new MemorySaver();
  const order: string[] = [];
  let answers: (() => void)[] = [];
  const guarded = new GuardedCheckpointer(saver, () => new Promise((resolve) => answers.push(resolve)));
  const put = (id: string) => {
    const checkpoint = { ...emptyCheckpoint(), id, channel_values: { x: id } };
    const done = guarded.put(THREAD, checkpoint, METADATA, {}).then(() => order.push(id));
    checkpoint.channel_values.x = "changed later";
    return done;
  };
  const first = [put("1"), put("2")];
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await Promise.all(first);
  answers = [];
  const third = put("3");
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await third;
  expect(order).toEqual(["1", "2", "3"]);
  const tuple = await saver.getTuple({ configurable: { ...THREAD.configurable, checkpoint_id: "1" } });
  expect(tuple?.checkpoint.channel_values["x"]).toBe("1");
});
