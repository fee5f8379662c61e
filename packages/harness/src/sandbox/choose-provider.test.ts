import { describe, expect, it } from "vitest";
import { chooseSandbox, type SandboxChoice } from "./choose-provider.js";
import { scriptedProvider } from "../testing/scripted-sandbox.js";
import type { SandboxProvider } from "./contract.js";

const provider = (name: string, available: boolean): SandboxProvider =>
  scriptedProvider({
    name,
    health: async () => ({ provider: name, available, reason: `${name} was tried` }),
  });

async function choose(choice: Partial<SandboxChoice>, providers: readonly SandboxProvider[]) {
  const chosen = await chooseSandbox({ provider: "auto", allowHostBash: false, ...choice }, providers);
  return { name: chosen.provider?.name, health: chosen.health };
}

const LOCAL = provider("local", true);
const BOTH = ["docker", "remote"] as const;

describe("choosing a sandbox", () => {
  it("takes bubblewrap where it works", async () => {
    expect(await choose({}, [LOCAL, provider("bubblewrap", true)])).toEqual({
      name: "bubblewrap",
      health: [{ provider: "bubblewrap", available: true, reason: "bubblewrap was tried" }],
    });
  });

  it.each(["auto", "bubblewrap"] as const)(
    "does not fall back to the host with %s, not even where host commands are allowed",
    async (name) => {
      const choice = { provider: name, allowHostBash: true };
      expect(await choose(choice, [LOCAL, provider("bubblewrap", false)])).toEqual({
        name: undefined,
        health: [{ provider: "bubblewrap", available: false, reason: "bubblewrap was tried" }],
      });
    },
  );

  it.each([
    [{}, []],
    [{ configured: BOTH }, ["docker", "remote"]],
    [{ configured: ["remote"] }, ["remote"]],
  ] as const)("tries after bubblewrap what has its settings: %j", async (choice, others) => {
    const providers = [LOCAL, ...["remote", "docker", "bubblewrap"].map((name) => provider(name, false))];
    const { name, health } = await choose({ allowHostBash: true, ...choice }, providers);
    expect(name).toBeUndefined();
    expect(health.map((row) => row.provider)).toEqual(["bubblewrap", ...others]);
  });

  it("takes docker where bubblewrap does not work", async () => {
    const providers = [provider("docker", true), provider("remote", true), provider("bubblewrap", false)];
    expect((await choose({ configured: BOTH }, providers)).name).toBe("docker");
  });

  it.each([
    ["docker", "It needs sandbox.docker.image (or base_url, in the mode aio)."],
    ["remote", "It needs sandbox.remote.use."],
  ] as const)("says what %s lacks", async (name, reason) => {
    const chosen = await choose({ provider: name }, [provider(name, true)]);
    expect(chosen).toEqual({ name: undefined, health: [{ provider: name, available: false, reason }] });
  });

  it("does not take the host where several people use the installation", async () => {
    const choice = { provider: "local", allowHostBash: true, identityEnabled: true } as const;
    const { name, health } = await choose(choice, [LOCAL]);
    expect(name).toBeUndefined();
    expect(health).toEqual([
      { provider: "local", available: false, reason: expect.stringContaining("several people") },
    ]);
  });

  it("takes the host where it is both named and allowed", async () => {
    expect((await choose({ provider: "local", allowHostBash: true }, [LOCAL])).name).toBe("local");
  });

  it("says what is missing where the host is named but not allowed", async () => {
    const { name, health } = await choose({ provider: "local" }, [LOCAL]);
    expect({ name, reason: health[0]?.reason }).toEqual({
      name: undefined,
      reason: "Commands would run on the host itself; that needs sandbox.allow_host_bash: true.",
    });
  });

  it("probes nothing when the sandbox is switched off", async () => {
    expect(await choose({ provider: "none" }, [provider("bubblewrap", true)])).toEqual({
      name: undefined,
      health: [{ provider: "none", available: false, reason: "The configuration switches the sandbox off." }],
    });
  });

  it("says so when the named provider is not installed", async () => {
    expect(await choose({ provider: "bubblewrap" }, [])).toEqual({
      name: undefined,
      health: [{ provider: "bubblewrap", available: false, reason: "This installation does not have it." }],
    });
  });

  it.each(["local", "docker", "remote"] as const)(
    "does not take %s, which cannot hold an allow list",
    async (name) => {
      const network = { mode: "allow_list", allow: ["example.com"] } as const;
      const choice = { provider: name, allowHostBash: true, network, configured: BOTH };
      const { name: chosen, health } = await choose(choice, [provider(name, true)]);
      expect({ chosen, available: health[0]?.available, reason: health[0]?.reason }).toEqual({
        chosen: undefined,
        available: false,
        reason: expect.stringContaining("only bubblewrap can"),
      });
    },
  );

  it("takes bubblewrap with an allow list, and others without one", async () => {
    const network = { mode: "allow_list", allow: ["example.com"] } as const;
    expect((await choose({ network }, [provider("bubblewrap", true)])).name).toBe("bubblewrap");
    const open = { provider: "local", allowHostBash: true, network: { mode: "open" } } as const;
    expect((await choose(open, [LOCAL])).name).toBe("local");
  });
});
