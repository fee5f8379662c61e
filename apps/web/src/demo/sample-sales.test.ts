import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("is the same table as the one of the examples, whose numbers were checked by hand", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("./sample-sales.csv")).toBe(read("../../../../examples/sales.csv"));
});
