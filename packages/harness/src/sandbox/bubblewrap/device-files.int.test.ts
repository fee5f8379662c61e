import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeviceFiles } from "./device-files.js";

const isRoot = process.getuid?.() === 0;
const OTHER = { uid: 65_534 };

it("are not needed where the host's belong to another user", async () => {
  const devices = new DeviceFiles({ identity: OTHER, folders: [] });
  expect(await devices.options()).toEqual([]);
});

describe.skipIf(!isRoot)("device files of a root host", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "deerflow-devices-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are made once, belong to nobody, and are taken away", async () => {
    const devices = new DeviceFiles({ folders: [join(folder, "missing"), folder] });
    const options = await devices.options();
    expect(options.map(([option, , inside]) => [option, inside])).toEqual(
      ["null", "zero", "full", "random", "urandom", "tty"].map((name) => ["--dev-bind", `/dev/${name}`]),
    );
    for (const [, made = "", host = ""] of options) {
      const { rdev, mode, uid } = statSync(String(made));
      expect({ rdev, mode, uid }).toEqual({ rdev: statSync(String(host)).rdev, mode: 0o20666, uid: 65_534 });
    }
    expect(await devices.options()).toEqual(options);
    await devices.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("are made anew when something took them", async () => {
    const devices = new DeviceFiles({ folders: [folder] });
    const [[, first = ""] = []] = await devices.options();
    rmSync(String(first));
    const [[, second = ""] = []] = await devices.options();
    expect([second === first, existsSync(String(second))]).toEqual([false, true]);
    await devices.close();
  });

  it("stop everything where they cannot be made", async () => {
    const devices = new DeviceFiles({ folders: [] });
    await expect(devices.options()).rejects.toMatchObject({ code: "sandbox_failed" });
    await expect(devices.options()).rejects.toThrow("run DeerFlow as an ordinary user");
  });
});
