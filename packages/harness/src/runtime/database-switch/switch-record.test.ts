import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../context/principal.js";
import { keyOf } from "./pending-threads.js";
import { type SwitchRecord, SwitchRecords } from "./switch-record.js";

const thread = (threadId: string) => ({ principal: LOCAL_PRINCIPAL, threadId });
const record: SwitchRecord = {
  version: 1,
  id: "first",
  phase: "draining",
  configured: "sqlite:/a",
  from: { backend: "sqlite", path: "/a" },
  to: { backend: "postgres", url: "postgres://anna:geheim@host/flow" },
  copy: true,
  startedAt: 1,
  threads: [thread("t1"), thread("t2")],
};

let home: string;
let records: SwitchRecords;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "deerflow-record-"));
  records = new SwitchRecords(home);
});
afterEach(() => rmSync(home, { recursive: true }));

describe("the record of a switch", () => {
  it("is kept for its owner only, and is as it was written", () => {
    expect(records.read()).toBeUndefined();
    records.write(record);
    expect(new SwitchRecords(home).read()).toEqual(record);
    const names = readdirSync(records.folder);
    expect(names.map((name) => statSync(join(records.folder, name)).mode & 0o777)).toEqual(
      names.map(() => 0o600),
    );
    expect(statSync(records.folder).mode & 0o777).toBe(0o700);
  });

  it("knows what was moved, also behind a line that a killed process did not finish", () => {
    records.write(record);
    records.noteMoved(record, thread("t1"));
    appendFileSync(join(records.folder, "moved-first.log"), '\n["local","t');
    expect(records.moved(record)).toEqual(new Set([keyOf(thread("t1"))]));
    records.noteMoved(record, thread("t2"));
    expect(records.moved(record).has(keyOf(thread("t2")))).toBe(true);
  });

  it("takes no move of another switch for one of its own", () => {
    records.write(record);
    records.noteMoved(record, thread("t1"));
    expect(records.moved({ ...record, id: "second" }).size).toBe(0);
    records.write({ ...record, phase: "done", threads: [] });
    expect(readdirSync(records.folder)).toEqual(["record.json"]);
  });

  it("can be put back and removed", () => {
    records.write({ ...record, phase: "done" });
    records.write({ ...record, id: "second" });
    records.restore({ ...record, phase: "done" });
    expect(records.read()).toMatchObject({ id: "first" });
    records.restore(undefined);
    expect(records.read()).toBeUndefined();
    records.remove();
  });

  it("is refused when it cannot be read: then nobody knows which database is in use", () => {
    records.write(record);
    writeFileSync(join(records.folder, "record.json"), "{");
    expect(() => records.read()).toThrow(expect.objectContaining({ code: "database_switch_unreadable" }));
    writeFileSync(join(records.folder, "record.json"), '{"version": 2}');
    expect(() => records.read()).toThrow(expect.objectContaining({ code: "database_switch_unreadable" }));
  });
});
