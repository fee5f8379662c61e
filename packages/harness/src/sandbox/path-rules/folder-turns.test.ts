import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { SandboxMount } from "../contract.js";
import type { PathPlan } from "./contract.js";
import { FolderTurns } from "./folder-turns.js";

const folder = (hostPath: string, virtualPath = "/w"): readonly SandboxMount[] => [
  { virtualPath, hostPath, mode: "read-write" },
];
const readOnly = (hostPath: string): readonly SandboxMount[] => [
  { virtualPath: "/w", hostPath, mode: "read-only" },
];

const planOf = (print: string, virtualPath = "/w"): PathPlan => ({
  options: [],
  held: new Map(),
  above: new Set(),
  links: [],
  aliases: [],
  fingerprints: new Map([[virtualPath, print]]),
});

/** Commands by name, in one process. */
function commands() {
  const turns = new FolderTurns();
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  const looks: string[] = [];
  const began = (name: string) => (turn: { end(): void }) => {
    running.add(name);
    ends.set(name, () => {
      running.delete(name);
      turn.end();
    });
  };
  return {
    looks,
    free: (name: string, mounts = folder("/a"), signal?: AbortSignal) =>
      turns.free({ mounts, signal }).then(began(name)),
    ruled: (name: string, print: string | (() => Promise<PathPlan>), mounts = folder("/a")) =>
      turns
        .ruled({ mounts }, async (beside) => {
          looks.push(`${name} beside ${beside.length}`);
          return typeof print === "string" ? planOf(print) : print();
        })
        .then(began(name)),
    end: (name: string) => ends.get(name)?.(),
    /** Those that run when all is settled. */
    async running() {
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      return [...running].toSorted();
    },
  };
}

describe("turns in host folders", () => {
  it("let commands without rules run side by side", async () => {
    const { free, running } = commands();
    await Promise.all([free("a"), free("b")]);
    expect(await running()).toEqual(["a", "b"]);
  });

  it("let commands run side by side that hold the same places", async () => {
    const { ruled, running } = commands();
    await Promise.all([ruled("a", "x"), ruled("b", "x")]);
    expect(await running()).toEqual(["a", "b"]);
  });

  it.each([
    ["the same folder", folder("/a"), folder("/a")],
    ["a folder in it", folder("/a"), folder("/a/b")],
    ["the folder around it", folder("/a/b"), folder("/a")],
    ["the same folder at another path", folder("/a"), folder("/a", "/other")],
  ])("keep a command with rules apart from one without in %s, both ways round", async (_, one, other) => {
    const first = commands();
    await first.free("free", one);
    void first.ruled("ruled", "x", other);
    expect(await first.running()).toEqual(["free"]);
    expect(first.looks).toEqual([]);
    first.end("free");
    expect(await first.running()).toEqual(["ruled"]);
    const second = commands();
    await second.ruled("ruled", "x", one);
    void second.free("free", other);
    expect(await second.running()).toEqual(["ruled"]);
    second.end("ruled");
    expect(await second.running()).toEqual(["free"]);
  });

  it.each([
    ["other folders", folder("/a"), folder("/ab")],
    ["a folder that neither can change", readOnly("/a"), readOnly("/a")],
  ])("keep nobody waiting for commands in %s", async (_, one, other) => {
    const { free, ruled, running } = commands();
    await Promise.all([free("free", one), ruled("ruled", "x", other)]);
    expect(await running()).toEqual(["free", "ruled"]);
  });

  it("keep commands apart that hold other places, or show the folder elsewhere", async () => {
    const { ruled, running, end } = commands();
    await ruled("a", "x");
    void ruled("b", "y");
    void ruled("c", async () => planOf("y", "/other"), folder("/a", "/other"));
    expect(await running()).toEqual(["a"]);
    end("a");
    expect(await running()).toEqual(["b"]);
    end("b");
    expect(await running()).toEqual(["c"]);
  });

  it("keep commands apart that reach one folder in two ways", async () => {
    const { ruled, running } = commands();
    const twice = [...folder("/a"), ...folder("/a/b", "/y")];
    await ruled("a", "x", twice);
    void ruled("b", "x", twice);
    expect(await running()).toEqual(["a"]);
  });

  it("look again when one that could have changed the tree ended while it was looked at", async () => {
    const { ruled, running, end, looks } = commands();
    await ruled("a", "x");
    await ruled("b", async () => {
      end("a");
      return planOf("y");
    });
    expect(await running()).toEqual(["b"]);
    expect(looks).toEqual(["a beside 0", "b beside 1", "b beside 0"]);
  });

  it("let nobody start while the tree is looked at", async () => {
    const { free, ruled, running } = commands();
    let look: (plan: PathPlan) => void = () => undefined;
    void ruled("ruled", () => new Promise((resolve) => (look = resolve)));
    void free("free");
    void ruled("alike", "x");
    expect(await running()).toEqual([]);
    look(planOf("x"));
    expect(await running()).toEqual(["ruled"]);
  });

  it("come to everybody in the order in which they came", async () => {
    const { free, ruled, running, end } = commands();
    await free("first");
    void ruled("second", "x");
    void free("third");
    void ruled("fourth", "x");
    expect(await running()).toEqual(["first"]);
    for (const [ending, next] of [
      ["first", "second"],
      ["second", "third"],
      ["third", "fourth"],
    ] as const) {
      end(ending);
      expect(await running()).toEqual([next]);
    }
  });

  it("are given up when somebody stops the wait, or the tree cannot be looked at", async () => {
    const { free, ruled, running, end } = commands();
    const stop = new AbortController();
    await ruled("first", "x");
    const stopped = free("stopped", folder("/a"), stop.signal);
    const failing = ruled("failing", () => Promise.reject(new Error("it cannot be read")));
    void free("last");
    stop.abort(new Error("nobody wants it"));
    await expect(stopped).rejects.toThrow("nobody wants it");
    await expect(failing).rejects.toThrow("it cannot be read");
    end("first");
    expect(await running()).toEqual(["last"]);
  });
});
