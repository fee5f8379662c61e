import { describe, expect, it } from "vitest";
import { threadTitle } from "./thread-title.js";

describe("threadTitle", () => {
  it.each([
    [{ title: "Sales", messages: [{ content: "x" }] }, "Sales"],
    [{ title: "", messages: [{ content: " Add up \n" }] }, "Add up"],
    [{ messages: [{ content: [{ type: "text", text: "Add up" }] }] }, "Add up"],
    [{ messages: [{ content: "a".repeat(100) }] }, "a".repeat(80)],
    [{}, undefined],
  ])("calls %j %s", (values, title) => expect(threadTitle({ values })).toBe(title));
});
