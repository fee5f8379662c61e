import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FilesystemPermission, PermissionOperation } from "../../policy/file-permission.js";
import { PermissionRules } from "../../policy/permission-rules.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { openSandbox } from "../../testing/open-sandbox.js";
import { picked, type Random, seededRandom } from "../../testing/path-spellings.js";
import { scaled } from "../../testing/test-scale.js";
import { BubblewrapProvider } from "../bubblewrap/bubblewrap-provider.js";
import { PathAccess } from "./path-access.js";
import { standAt } from "./plan-mounts.js";

const W = "/mnt/user-data/workspace";
const NOBODY = { uid: 65_534, gid: 65_534 };
const IDENTITIES = process.getuid?.() === 0 ? [undefined, NOBODY] : [undefined];
const NAMES = ["a", "b", "c", "k.pem", ".env", "é"];
const GLOBS = ["*", "**", "*.pem", ".*", "?", "[ab]", "{a,k.pem}", "[!a]*"];

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Paths of files, none of which is a folder of another. */
function randomFiles(random: Random): readonly string[] {
  const paths = times(14, () => times(1 + Math.floor(random() * 3), () => picked(NAMES, random)).join("/"));
  return [...new Set(paths)].filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
}

function randomRule(random: Random): FilesystemPermission {
  const names = times(1 + Math.floor(random() * 3), () => picked(random() < 0.6 ? NAMES : GLOBS, random));
  const end = random() < 0.3 ? "/**" : "";
  const root = random() < 0.05 ? "" : W;
  const operations: readonly PermissionOperation[] = picked([["read"], ["write"], ["read", "write"]], random);
  const mode = picked(["allow", "deny", "deny", "interrupt"] as const, random);
  return { operations, paths: [`${root}/${names.join("/")}${end}`], mode };
}

const quote = (path: string) => `'${path}'`;

/** Reads everything, changes everything, makes new things, and moves and removes what it can. */
function attack(files: readonly string[], fresh: readonly string[], random: Random): string {
  const folders = files.map((path) => path.split("/").slice(0, -1).join("/")).filter((path) => path !== "");
  const violence = times(6, () => {
    const one = quote(picked([...files, ...folders], random));
    const other = quote(picked([...files, ...fresh, ...folders], random));
    return picked(
      [
        `mv -T ${one} ${other}`,
        `rm -rf ${one}`,
        `ln ${one} ${other}`,
        `ln -s ../a ${other}`,
        `cp -r ${one} ${other}`,
        `chmod -R 777 ${one}`,
        `mv ${one} moved`,
      ],
      random,
    );
  });
  return [
    ...files.map((path) => `echo "READ ${path} $(cat ${quote(path)})"`),
    ...files.map((path) => `{ echo changed >> ${quote(path)}; } && echo "WROTE ${path}"`),
    ...fresh.map((path) => `mkdir -p "$(dirname ${quote(path)})"; echo made > ${quote(path)}`),
    ...violence,
    ...folders.map((folder, at) => `mv -T ${quote(folder)} away-${at}; mv ${quote(folder)} away-${at}`),
    "grep -rhs . . .[!.]* | sed 's/^/LATER /'",
    "true",
  ].join("\n");
}

/** Every file and link, but what was moved aside and the link that was there. */
const filesIn = (folder: string): readonly string[] =>
  spawnSync("find", [".", "!", "-type", "d", "-printf", "%P\\0"], { cwd: folder, encoding: "utf8" })
    .stdout.split("\0")
    .filter((path) => path !== "" && path !== "link" && !path.startsWith(".refused/"));

const secretOf = (path: string) => `secret-${Buffer.from(path).toString("hex")}-`;

describe.skipIf(!(await bubblewrapWorks())).each(IDENTITIES)(
  "random rules over random trees, as %j",
  (identity) => {
    it.each(times(scaled(50, 6), (at) => 4000 + at))("hold with the seed %i", async (seed) => {
      const random = seededRandom(seed);
      const files = randomFiles(random);
      const rules = times(1 + Math.floor(random() * 5), () => randomRule(random));
      const fresh = randomFiles(random).filter(
        (path) =>
          !files.some(
            (other) => path === other || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
          ),
      );
      const opened = await openSandbox(
        new BubblewrapProvider(identity === undefined ? {} : { identity }),
        identity,
      );
      const own = (path: string) => identity && chownSync(path, identity.uid, identity.gid);
      try {
        for (const path of files) {
          const names = path.split("/");
          for (const at of names.keys()) {
            const place = join(opened.workspace, ...names.slice(0, at + 1));
            if (existsSync(place)) continue;
            if (at < names.length - 1) mkdirSync(place);
            else writeFileSync(place, `${secretOf(path)}\n`);
            own(place);
          }
        }
        symlinkSync(files[0] ?? "a", join(opened.workspace, "link"));
        const kept = opened.sandbox.keeping?.({ rules, home: W });
        const { output } = (await kept?.execute({
          command: attack(files, fresh, random),
          timeoutSeconds: 120,
        })) ?? { output: "" };
        const permissions = new PermissionRules(rules, { home: W });
        const access = new PathAccess(permissions);
        for (const path of files) {
          const virtual = `${W}/${path}`;
          const stand = standAt(access, virtual);
          const about = { seed, rules, path };
          const host = join(opened.workspace, path);
          // What a file tool would refuse, a command cannot do.
          if (permissions.decide("read", virtual) !== "allow") expect(stand.read).toBe("deny");
          if (permissions.decide("write", virtual) !== "allow") expect(stand.write).toBe("deny");
          expect({ ...about, isRead: output.includes(`READ ${path} ${secretOf(path)}`) }).toEqual({
            ...about,
            isRead: stand.read === "allow",
          });
          const isWritable = stand.read === "allow" && stand.write === "allow";
          expect({ ...about, isWritten: output.includes(`WROTE ${path}\n`) }).toEqual({
            ...about,
            isWritten: isWritable,
          });
          if (stand.read === "deny")
            expect({ ...about, leaks: output.includes(secretOf(path)) }).toEqual({ ...about, leaks: false });
          if (isWritable) continue;
          const isFile = lstatSync(host, { throwIfNoEntry: false })?.isFile() === true;
          const content = isFile ? readFileSync(host, "utf8") : undefined;
          expect({ ...about, content }).toEqual({ ...about, content: `${secretOf(path)}\n` });
        }
        const left = filesIn(opened.workspace).filter((path) => !files.includes(path));
        const denied = left.filter((path) => permissions.decide("write", `${W}/${path}`) !== "allow");
        expect({ seed, rules, denied }).toEqual({ seed, rules, denied: [] });
      } finally {
        await opened.close();
      }
    });
  },
);
