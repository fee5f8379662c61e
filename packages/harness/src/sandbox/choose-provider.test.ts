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

  it.each(["local", "docker", "remote"])(
    "does not take %s, which cannot hold an allow list",
    async (name) => {
      const network = { mode: "allow_list", allow: ["example.com"] } as const;
      // Providers of the future have names that the type does not know yet.
      const choice = { provider: name as "local", allowHostBash: true, network };
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
