import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SystemFolders } from "./system-folders.js";

let root: string;
let source: string;
let target: string;
let now = 0;
const folders = () => new SystemFolders({ source, target, clock: { now: () => now } });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "deerflow-test-")));
  source = join(root, "etc");
  target = join(root, "copies");
  now = 0;
  for (const path of [target, join(source, "alternatives"), join(source, "ssl/certs"), join(root, "usr")]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(source, "nsswitch.conf"), "passwd: files\n");
  writeFileSync(join(source, "shadow"), "root:secret\n");
});
afterEach(() => rmSync(root, { recursive: true }));

it("copies what programs need, and files of the sandbox's own", async () => {
  const path = await folders().folderFor("/mnt/w");
  expect(readFileSync(join(path, "nsswitch.conf"), "utf8")).toBe("passwd: files\n");
  expect(readFileSync(join(path, "passwd"), "utf8")).toBe("deerflow:x:1000:1000:DeerFlow:/mnt/w:/bin/bash\n");
  expect(existsSync(join(path, "shadow"))).toBe(false);
});

it("leaves out what not everybody may read, also behind a link", async () => {
  writeFileSync(join(source, "ssl/certs/key.pem"), "secret", { mode: 0o600 });
  mkdirSync(join(source, "ssl/certs/closed"));
  writeFileSync(join(source, "ssl/certs/closed/key.pem"), "secret");
  chmodSync(join(source, "ssl/certs/closed"), 0o700);
  chmodSync(join(source, "shadow"), 0o600);
  symlinkSync("../../shadow", join(source, "ssl/certs/link.pem"));
  const path = await folders().folderFor("/");
  expect(readdirSync(join(path, "ssl/certs"))).toEqual([]);
});

it("keeps links that still lead somewhere inside, and copies what the others name", async () => {
  writeFileSync(join(root, "usr/mawk"), "");
  symlinkSync(join(root, "usr/mawk"), join(source, "alternatives/awk"));
  writeFileSync(join(source, "bundle"), "certificates");
  symlinkSync("../../bundle", join(source, "ssl/certs/bundle.pem"));
  symlinkSync("bundle.pem", join(source, "ssl/certs/abc.0"));
  symlinkSync("../gone", join(source, "alternatives/gone"));
  const path = await folders().folderFor("/");
  expect(readlinkSync(join(path, "alternatives/awk"))).toBe(join(root, "usr/mawk"));
  expect(readFileSync(join(path, "ssl/certs/abc.0"), "utf8")).toBe("certificates");
  expect(readdirSync(join(path, "alternatives"))).toEqual(["awk"]);
});

it("makes one for a home, anew after an hour or when it is gone, and leaves none behind", async () => {
  const made = folders();
  const [first, second] = await Promise.all([made.folderFor("/a"), made.folderFor("/a")]);
  expect(second).toBe(first);
  now = 3_600_000;
  const third = await made.folderFor("/a");
  expect([third === first, existsSync(first)]).toEqual([false, true]);
  rmSync(third, { recursive: true });
  expect(existsSync(await made.folderFor("/a"))).toBe(true);
  expect(existsSync(first)).toBe(false);
  await made.close();
  expect(readdirSync(target)).toEqual([]);
});

it("removes what a process left that was killed", async () => {
  mkdirSync(join(target, "deerflow.999999.5.etc-abc/ssl"), { recursive: true });
  mkdirSync(join(target, "deerflow-notes"));
  const made = folders();
  await made.folderFor("/a");
  await made.close();
  expect(readdirSync(target)).toEqual(["deerflow-notes"]);
});
