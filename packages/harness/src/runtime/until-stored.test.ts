import { expect, it } from "vitest";
import { DeerflowError } from "../base/errors.js";
import { untilStored } from "./until-stored.js";

const full = () => new DeerflowError("database_full", { path: "x", reason: "full" });

it("does its work again with growing pauses until the database takes it, and says once that it waits", async () => {
  const pauses: number[] = [];
  const said: string[] = [];
  let left = 9;
  const result = await untilStored(
    async () => {
      left -= 1;
      if (left > 0) throw full();
      return "stored";
    },
    {
      signal: new AbortController().signal,
      wait: async (pause) => {
        pauses.push(pause);
      },
      onWait: ({ code }) => said.push(code),
    },
  );
  expect(result).toBe("stored");
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(said).toEqual(["database_full"]);
});

it("gives up at once for a failure that does not pass, and when it is told to", async () => {
  const closing = new AbortController();
  const options = { signal: closing.signal, wait: async () => closing.abort() };
  const damaged = new DeerflowError("database_damaged", { path: "x", reason: "y" });
  await expect(untilStored(() => Promise.reject(damaged), options)).rejects.toBe(damaged);
  await expect(untilStored(() => Promise.reject(full()), options)).rejects.toMatchObject({
    code: "database_full",
  });
});
