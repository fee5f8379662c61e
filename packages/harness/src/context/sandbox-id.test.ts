import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "./principal.js";
import { sandboxId, threadOfSandbox } from "./sandbox-id.js";

it("gives two people who chose the same thread id two sandboxes, and finds the thread again", () => {
  const mine = sandboxId("docker", LOCAL_PRINCIPAL, "notes");
  const others = sandboxId("docker", { tenantId: "7", userId: "9" }, "notes");
  expect(mine).not.toBe(others);
  expect([mine, others].map(threadOfSandbox)).toEqual(["notes", "notes"]);
  expect(() => sandboxId("docker", LOCAL_PRINCIPAL, "a:b")).toThrow(/a:b/);
});
