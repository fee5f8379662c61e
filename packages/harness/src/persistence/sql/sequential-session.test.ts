import { expect, it } from "vitest";
import { sequentialSession } from "./sequential-session.js";

it("sends statements one after the other, and none after one that failed", async () => {
  const sent: string[] = [];
  let open = 0;
  const send = async (sql: string) => {
    open += 1;
    expect(open).toBe(1);
    sent.push(sql);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    if (sql === "bad") throw new Error("deadlock");
  };
  const session = sequentialSession({
    all: async (sql) => {
      await send(sql);
      return [];
    },
    run: async (sql) => {
      await send(sql);
      return 1;
    },
  });
  const results = await Promise.allSettled([
    session.run("a"),
    session.all("b"),
    session.run("bad"),
    session.run("c"),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  await expect(session.run("d")).rejects.toThrow("deadlock");
  expect(sent).toEqual(["a", "b", "bad"]);
});
