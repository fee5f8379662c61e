/** The floors of the house: inside the harness every import goes down; apps and packages keep to their arrows. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const HARNESS = join(ROOT, "packages/harness/src");

/** Lowest first. Rooms on one floor may only see each other's contract.ts. ARCHITECTURE.md explains each. */
const FLOORS: readonly (readonly string[])[] = [
  ["base"],
  ["context"],
  ["config"],
  ["policy", "langgraph"],
  ["sandbox"],
  ["filesystem", "models", "persistence", "graph"],
  ["tools"],
  ["middleware"],
  ["agent"],
  ["runtime"],
  ["testing"],
  ["index.ts", "exports"],
];

/** Which workspace may import which. Nobody imports an app, save the command line, which serves the gateway. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "packages/protocol": [],
  "packages/client": ["@deerflow/protocol"],
  "packages/harness": [],
  "apps/gateway": ["@deerflow/protocol", "@deerflow/harness"],
  "apps/web": ["@deerflow/protocol", "@deerflow/client"],
  "apps/cli": ["@deerflow/harness", "@deerflow/gateway"],
};

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^;"']*?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;

const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /(?<!\.test|\.test-d|\.d)\.tsx?$/.test(entry.name) ? [path] : [];
  });

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "");

const floorOf = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));
const roomOf = (path: string): string => relative(HARNESS, path).split("/")[0] ?? "";

function upwardImports(file: string): string[] {
  const here = roomOf(file);
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => resolve(dirname(file), specifier))
    .filter((target) => roomOf(target) !== here)
    .filter((target) => {
      const [mine, theirs] = [floorOf.get(here), floorOf.get(roomOf(target))];
      if (mine === undefined || theirs === undefined) return true;
      return theirs > mine || (theirs === mine && !target.endsWith("/contract.js"));
    })
    .map((target) => `${relative(ROOT, file)} -> ${relative(HARNESS, target)}`);
}

describe("the house", () => {
  it("knows the floor of every room of the harness", () => {
    const rooms = readdirSync(HARNESS).filter((name) => !name.endsWith(".md"));
    expect(rooms.filter((room) => !floorOf.has(room))).toEqual([]);
  });

  it("lets every import inside the harness go down", () => {
    expect(sources(HARNESS).flatMap(upwardImports)).toEqual([]);
  });

  it("lets workspaces import only along the drawn arrows", () => {
    const wrong = Object.entries(ARROWS).flatMap(([workspace, allowed]) =>
      sources(join(ROOT, workspace, "src")).flatMap((file) =>
        importsOf(file)
          .filter((specifier) => specifier.startsWith("@deerflow/"))
          .filter((specifier) => !allowed.includes(specifier.split("/").slice(0, 2).join("/")))
          .map((specifier) => `${relative(ROOT, file)} -> ${specifier}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import inside a function, but for declared optional drivers", () => {
    const optional = new Set(["@deerflow/gateway", "pg", "mysql2/promise"]);
    const found = Object.keys(ARROWS).flatMap((workspace) =>
      sources(join(ROOT, workspace, "src")).flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/\bimport\(\s*["']([^"']+)["']/g)]
          .map((match) => match[1] ?? "")
          .filter((specifier) => !optional.has(specifier) && !file.includes("apps/web/"))
          .map((specifier) => `${relative(ROOT, file)} -> ${specifier}`),
      ),
    );
    expect(found).toEqual([]);
  });
});
