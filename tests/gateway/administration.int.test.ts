/** The routes for whoever runs the server. */
import { DeerflowError } from "@deerflow/harness";
import { afterEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "./scripted-gateway.js";

let gateway: ScriptedGateway;
afterEach(() => gateway.close());

const post = (body: unknown) =>
  fetch(`${gateway.url}/api/admin/database/switch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const PLACES = [{ part: "database" as const, backend: "sqlite", place: "/a.db", id: "sqlite:/a.db" }];

describe("the administration of databases", () => {
  it("tells where they are, and switches with what is asked for", async () => {
    const asked: unknown[] = [];
    const databases = {
      status: () => ({ databases: PLACES }),
      switchTo: async (request: object) => void asked.push(request),
    };
    gateway = await startScriptedGateway({ databases });
    const status = await fetch(`${gateway.url}/api/admin/database`);
    expect(await status.json()).toEqual({ databases: PLACES });
    const answer = await post({ to: "/b.db", schema: "flow" });
    expect([answer.status, await answer.json()]).toEqual([202, { databases: PLACES }]);
    expect(asked).toEqual([{ to: "/b.db", schema: "flow", copy: false }]);
    expect((await post({})).status).toBe(422);
    expect((await post({ to: "" })).status).toBe(422);
    expect(asked).toHaveLength(1);
  });

  it("passes on why the new one cannot be used", async () => {
    const switchTo = async () => {
      throw new DeerflowError("database_unreachable", {
        path: "postgres://h/d",
        reason: "connection refused",
      });
    };
    gateway = await startScriptedGateway({ databases: { status: () => ({ databases: PLACES }), switchTo } });
    const answer = await post({ to: "postgres://h/d" });
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({
      code: "database_unreachable",
      detail: expect.stringContaining("postgres://h/d does not answer (connection refused)"),
    });
  });

  it("is for those only who may", async () => {
    const refuse = async () => {
      throw new DeerflowError("thread_missing", { threadId: "none" });
    };
    gateway = await startScriptedGateway({ requireAdministrator: refuse });
    expect((await fetch(`${gateway.url}/api/admin/database`)).status).toBe(404);
    expect((await post({ to: "/b.db" })).status).toBe(404);
  });

  it("is not there where the server was not given its databases", async () => {
    gateway = await startScriptedGateway();
    expect(await (await post({ to: "/b.db" })).json()).toMatchObject({ code: "database_switch_invalid" });
  });
});
