import { describe, expect, it } from "vitest";
import { resolveHome, threadDirectories } from "./home-paths.js";
import { LOCAL_PRINCIPAL } from "./principal.js";

describe("home paths", () => {
  it("keeps the threads of a local installation directly under the home", () => {
    expect(threadDirectories("/home/d", LOCAL_PRINCIPAL, "t1")).toEqual({
      workspace: "/home/d/threads/t1/user-data/workspace",
      uploads: "/home/d/threads/t1/user-data/uploads",
      outputs: "/home/d/threads/t1/user-data/outputs",
    });
  });

  it("gives every user of every tenant a folder of their own", () => {
    expect(threadDirectories("/h", { tenantId: "7", userId: "9" }, "t1").workspace).toBe(
      "/h/tenants/7/users/9/threads/t1/user-data/workspace",
    );
  });

  it.each(["", "..", "a/b", "a b", "x".repeat(65), "a\0"])("refuses %j as a thread id", (threadId) => {
    expect(() => threadDirectories("/h", LOCAL_PRINCIPAL, threadId)).toThrow(/is not a thread id/);
  });

  it("refuses a principal whose id would leave the home", () => {
    expect(() => threadDirectories("/h", { tenantId: "..", userId: "1" }, "t")).toThrow(/safe folder name/);
  });

  it("takes DEER_FLOW_HOME, else .deer-flow under the working directory", () => {
    expect(resolveHome({}, "/w")).toBe("/w/.deer-flow");
    expect(resolveHome({ DEER_FLOW_HOME: "/x" }, "/w")).toBe("/x");
  });
});
