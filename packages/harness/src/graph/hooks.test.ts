import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { HOOK_PHASES, hookTable, readHookResult } from "./hooks.js";

const all = (name: string) =>
  createMiddleware({ name, ...Object.fromEntries(HOOK_PHASES.map((phase) => [phase, () => undefined])) });

describe("hookTable", () => {
  it("runs before-hooks from the outside in and after-hooks from the inside out", () => {
    const only = createMiddleware({
      name: "only",
      afterModel: { canJumpTo: ["end"], hook: () => undefined },
    });
    const table = hookTable([all("outer"), only, all("inner")]);
    const names = HOOK_PHASES.map((phase) => table[phase].map(({ middleware }) => middleware.name).join());
    expect(names).toEqual(["outer,inner", "outer,inner", "inner,only,outer", "inner,outer"]);
    expect(table.afterModel.map(({ isOutermost }) => isOutermost)).toEqual([false, false, true]);
    expect(table.afterModel.map(({ canJumpTo }) => canJumpTo)).toEqual([[], ["end"], []]);
  });

  it("refuses one name twice", () => {
    expect(() => hookTable([all("twin"), all("twin")])).toThrow("Two middleware are both named twin.");
  });
});

describe("readHookResult", () => {
  const [hook] = hookTable([
    createMiddleware({ name: "m", beforeModel: { canJumpTo: ["end"], hook: () => undefined } }),
  ]).beforeModel;
  if (hook === undefined) throw new Error("There is no hook.");

  it("splits a jump from the update", () => {
    expect(readHookResult("beforeModel", hook, { title: "T", jumpTo: "end" })).toEqual({
      update: { title: "T" },
      jumpTo: "end",
    });
    expect(readHookResult("beforeModel", hook, { title: "T", jumpTo: undefined })).toEqual({
      update: { title: "T" },
      jumpTo: undefined,
    });
    expect(readHookResult("beforeModel", hook, undefined)).toBeUndefined();
    expect(readHookResult("beforeModel", hook, null)).toBeUndefined();
  });

  it("refuses a target that the hook did not declare", () => {
    expect(() => readHookResult("beforeModel", hook, { jumpTo: "tools" })).toThrow(
      "beforeModel of the middleware m jumps to tools, which is not among its canJumpTo: end.",
    );
  });
});
