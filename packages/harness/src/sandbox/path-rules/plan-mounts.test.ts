import { describe, expect, it } from "vitest";
import { isWithin, parentOf, segmentsOf } from "../../base/virtual-path.js";
import type {
  FilesystemPermission,
  PermissionMode,
  PermissionOperation,
} from "../../policy/file-permission.js";
import type { SandboxMount } from "../contract.js";
import { compileRules } from "./compile-rules.js";
import { type Access, keyOf, type PathPlan, type TreeFolder } from "./contract.js";
import { linkWays } from "./link-ways.js";
import { PathAccess } from "./path-access.js";
import CASES from "./plan-cases.json" with { type: "json" };
import { planMounts } from "./plan-mounts.js";
import { WALK_LIMITS, WalkBudget } from "./walk-budget.js";

const MOUNTS: readonly SandboxMount[] = [
  { virtualPath: "/w", hostPath: "/host/w", mode: "read-write" },
  { virtualPath: "/skills", hostPath: "/host/skills", mode: "read-only" },
];

/** Of links what they say, of files nothing. */
type Tree = Readonly<Record<string, string | undefined>>;

const TREE: Tree = {
  "/host/w/a/key": undefined,
  "/host/w/a/free": undefined,
  "/host/w/a/b/deep": undefined,
  "/host/w/x.pem": undefined,
  "/host/w/d/y.pem": undefined,
  "/host/w/d/e/.env": undefined,
  "/host/w/d/e/z": undefined,
  "/host/w/t/pub/f": undefined,
  "/host/w/t/pub/in/s": undefined,
  "/host/w/t/hid": undefined,
  "/host/w/empty/": undefined,
  "/host/w/link": "a",
  "/host/w/far": "../w/./link",
  "/host/w/out": "/etc",
  "/host/w/round": "round",
  "/host/skills/s/doc": undefined,
};

/** A folder of a tree in memory. `closed` cannot be entered. */
function folderOf(tree: Tree, path: string, closed?: string): TreeFolder {
  const names = (): ReadonlyMap<string, string> => {
    const inside = Object.keys(tree).filter((key) => key.startsWith(`${path}/`));
    return new Map(
      inside
        .map((key) => [segmentsOf(key)[segmentsOf(path).length] ?? "", key] as const)
        .filter(([name]) => name !== ""),
    );
  };
  const kindOf = (name: Buffer) => {
    const key = names().get(name.toString());
    if (key === undefined) return undefined;
    if (key !== `${path}/${name.toString()}`) return "folder";
    return tree[key] === undefined ? "file" : "link";
  };
  return {
    entries: () =>
      [...names().keys()].map((name) => ({
        name: Buffer.from(name),
        kind: kindOf(Buffer.from(name)) ?? "file",
      })),
    child: (name) => {
      const inner = `${path}/${name.toString()}`;
      if (inner === closed) throw new Error("it is closed");
      return kindOf(name) === "folder" ? folderOf(tree, inner, closed) : undefined;
    },
    kindOf,
    target: (name) => {
      const target = tree[`${path}/${name.toString()}`];
      return target === undefined ? undefined : Buffer.from(target);
    },
    identity: (name) => `${path}/${name.toString()}`,
    close: () => undefined,
  };
}

interface Situation {
  readonly tree?: Tree;
  readonly mounts?: readonly SandboxMount[];
  readonly closed?: string;
  readonly limits?: Partial<typeof WALK_LIMITS>;
}

function ruleOf(text: string): FilesystemPermission {
  const [mode = "", operations = "", paths = ""] = text.split(" ");
  return {
    mode: mode as PermissionMode, // the tables hold nothing else
    operations: operations.split("+") as PermissionOperation[], // as above
    paths: paths.split(";"),
  };
}

async function planOf(rules: readonly string[], situation: Situation = {}): Promise<PathPlan> {
  const { tree = TREE, mounts = MOUNTS, closed, limits } = situation;
  const compiled = compileRules({ rules: rules.map(ruleOf), home: "/w" }, mounts);
  const open = (hostPath: string) => folderOf(tree, hostPath, closed);
  const { aliases, links } = linkWays(compiled.places, mounts, open);
  return planMounts({
    access: new PathAccess(compiled.rules, aliases),
    aliases,
    links,
    mounts,
    open,
    budget: new WalkBudget({ ...WALK_LIMITS, ...limits }),
  });
}

const texts = (plan: PathPlan): readonly (readonly string[])[] =>
  plan.options.map((option) => option.map((part) => Buffer.from(part).toString()));

/** What bubblewrap would make of the options: the last mount at or above a path decides. */
function accessIn(plan: PathPlan, path: string, mounts = MOUNTS): Access {
  const covering = texts(plan).findLast(
    (option) =>
      option[0] !== "--remount-ro" && option[0] !== "--symlink" && isWithin(path, option.at(-1) ?? ""),
  );
  if (covering === undefined) {
    const mount = mounts.findLast(({ virtualPath }) => isWithin(path, virtualPath));
    return mount?.mode === "read-only" ? "read-only" : "open";
  }
  if (covering[0] === "--perms" || covering[1] === "/dev/null") return "hidden";
  return covering[0] === "--bind" ? "open" : "read-only";
}

/** Whether every folder above the place, in a mount that can be written, is a mount of its own. */
const isHeldFast = (plan: PathPlan, place: string, root: string): boolean => {
  const folder = parentOf(place);
  if (folder === root || !isWithin(folder, root)) return true;
  const isStill = accessIn(plan, folder) !== "open" || plan.held.has(keyOf(Buffer.from(folder)));
  return isStill && isHeldFast(plan, folder, root);
};

const LETTERS: Readonly<Record<string, Access>> = { o: "open", r: "read-only", h: "hidden" };

describe(`what ${CASES.rows.length} sets of rules come to`, () => {
  it("are as many as there should be", () => {
    expect(CASES.rows.length).toBeGreaterThanOrEqual(60);
  });

  // The rows are tuples only by custom.
  it.each(CASES.rows as unknown as readonly [string, readonly string[], Record<string, string>][])(
    "%s: %j",
    async (_, rules, expected) => {
      const plan = await planOf(rules);
      const found = Object.keys(expected).map((path) => [path, accessIn(plan, path)]);
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(Object.entries(expected).map(([path, letter]) => [path, LETTERS[letter]])),
      );
      for (const key of plan.held.keys()) expect([key, isHeldFast(plan, key, "/w")]).toEqual([key, true]);
    },
  );
});

describe("a plan", () => {
  it("costs nothing where no rule says more than the mounts", async () => {
    expect((await planOf(["allow read+write /w/**", "deny read /home/**"])).options).toEqual([]);
  });

  it("holds every folder above a place, and none beside it", async () => {
    expect(texts(await planOf(["deny write /w/t/pub/in/s"]))).toEqual([
      ["--bind", "/host/w/t", "/w/t"],
      ["--bind", "/host/w/t/pub", "/w/t/pub"],
      ["--bind", "/host/w/t/pub/in", "/w/t/pub/in"],
      ["--ro-bind", "/host/w/t/pub/in/s", "/w/t/pub/in/s"],
    ]);
  });

  it("seals what hides at the end, and lets it be passed where something in it is allowed", async () => {
    expect(
      texts(await planOf(["allow read+write /w/t/pub/**", "deny read+write /w/t/**", "deny read /w/a"])),
    ).toEqual(expect.arrayContaining([["--perms", "0000", "--tmpfs", "/w/a"]]));
    const options = texts(await planOf(["allow read /w/t/pub/**", "deny read /w/t/**"]));
    expect(options).toEqual([
      ["--perms", "0555", "--tmpfs", "/w/t"],
      ["--bind", "/host/w/t/pub", "/w/t/pub"],
      ["--remount-ro", "/w/t"],
    ]);
  });

  it("shows an allowed link in a folder that is hidden", async () => {
    const tree = { "/host/w/t/l": "x", "/host/w/t/x": undefined };
    const options = texts(await planOf(["allow read /w/t/l", "deny read /w/t/**"], { tree }));
    expect(options).toContainEqual(["--symlink", "x", "/w/t/l"]);
  });

  it("keeps links in mind that no mount can hold, with the folders above them", async () => {
    const tree = { "/host/w/a/l": "x" };
    const plan = await planOf(["deny write /w/a/l"], { tree });
    expect(texts(plan)).toEqual([["--bind", "/host/w/a", "/w/a"]]);
    expect(plan.links.map(({ path, target }) => [String(path), String(target)])).toEqual([["/w/a/l", "x"]]);
    expect((await planOf(["deny read /w/far/key"])).links.map(({ path }) => String(path))).toEqual([
      "/w/link",
      "/w/far",
    ]);
  });

  const NESTED: readonly SandboxMount[] = [
    { virtualPath: "/w", hostPath: "/host/w", mode: "read-write" },
    { virtualPath: "/w/a/n", hostPath: "/host/n", mode: "read-write" },
  ];
  const NESTED_TREE = { ...TREE, "/host/w/a/n/": undefined, "/host/n/k": undefined, "/host/n/f": undefined };

  it.each([
    [["deny read /w/a/key"], { "/w/a/n/k": "open", "/w/a/key": "hidden" }],
    [["deny read /w/a/n/k"], { "/w/a/n/k": "hidden", "/w/a/n/f": "open", "/w/a/free": "open" }],
    [["deny read /w/a/**"], { "/w/a/n/k": "hidden", "/w/a/free": "hidden" }],
    [["allow read /w/a/n/**", "deny read /w/a/**"], { "/w/a/n/k": "open", "/w/a/free": "hidden" }],
    [["deny write /w/a"], { "/w/a/n/k": "read-only", "/w/a/free": "read-only" }],
  ])("under %j counts a mount in a mount as its own", async (rules, expected) => {
    const plan = await planOf(rules, { mounts: NESTED, tree: NESTED_TREE });
    const found = Object.keys(expected).map((path) => [path, accessIn(plan, path, NESTED)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it.each([
    ["deny read /w/**/*.pem", "hidden"],
    ["deny write /w/**/*.pem", "read-only"],
    ["deny write /w/none/**", "open"],
  ])("under %j takes a folder that cannot be looked into for %s", async (rule, expected) => {
    const plan = await planOf([rule], { closed: "/host/w/d" });
    expect(accessIn(plan, "/w/d/e/z")).toBe(expected);
  });

  it("takes what lies too deep for the worst", async () => {
    const tree = { [`/host/w/${"d/".repeat(300)}x.pem`]: undefined };
    const plan = await planOf(["deny read /w/**/*.pem"], { tree });
    expect(accessIn(plan, `/w/${"d/".repeat(300)}x.pem`)).toBe("hidden");
    expect(texts(plan).at(-2)?.[0]).toBe("--perms");
  });

  it.each([
    [{ entries: 10 }, "more than 10 files and folders"],
    [{ mounts: 2 }, "more than 2 places to protect"],
  ])("is refused beyond %j", async (limits, reason) => {
    await expect(planOf(["deny read /w/**/*.pem"], { limits })).rejects.toMatchObject({
      code: "permissions_too_wide",
      sentence: expect.stringContaining(reason),
    });
  });

  it("does not look into folders of which no rule speaks", async () => {
    const limits = { entries: 20 };
    const tree = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`/host/w/many/${at}`, undefined]),
    );
    await expect(
      planOf(["deny read /w/a/key"], { limits, tree: { ...TREE, ...tree } }),
    ).resolves.toBeDefined();
  });

  it("is the same for the same places only", async () => {
    const prints = await Promise.all(
      [["deny read /w/a/key"], ["deny read /w/a/k*"], ["deny read /w/a/free"]].map((rules) => planOf(rules)),
    );
    const [first, second, third] = prints.map(({ fingerprints }) => fingerprints.get("/w"));
    expect(first).toBe(second);
    expect(first).not.toBe(third);
  });
});

describe("rules about the sandbox's own system", () => {
  it.each([
    ["deny read /etc/passwd", "/etc in the sandbox is its own"],
    ["deny read /usr/**", "programs and libraries lie there"],
    ["interrupt write /tmp/x", "each command's own"],
    ["deny read /w/a;/proc/**", "/proc"],
    ["deny read /{w,dev}/**", "/dev"],
  ])("are refused: %s", (rule, reason) => {
    expect(() => compileRules({ rules: [ruleOf(rule)] }, MOUNTS)).toThrow(reason);
  });

  it.each([
    ["deny read /**"],
    ["deny read /*/passwd"],
    ["deny read /home/**"],
    ["allow read /etc/**"],
    ["deny read /w/etc/x"],
  ])("are none: %s", (rule) => {
    expect(() => compileRules({ rules: [ruleOf(rule)] }, MOUNTS)).not.toThrow();
  });

  it("are none where a mount lies there", () => {
    const mounts = [{ virtualPath: "/tmp/shared" }];
    expect(() => compileRules({ rules: [ruleOf("deny read /tmp/shared/x")] }, mounts)).not.toThrow();
  });
});
