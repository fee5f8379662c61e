/** Starts ripgrep, which sees the whole disk, and sandboxes, whose shell follows every link. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { BubblewrapProvider } from "../sandbox/bubblewrap/bubblewrap-provider.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { hiddenFilesSuite } from "../testing/hidden-files-suite.js";
import { hiddenOnDisk, type HiddenWorld, plantHidden, TARGETS_WITH_LINKS } from "../testing/hidden-world.js";
import { SandboxBackend } from "./sandbox-backend.js";

const SCALE = Number(process.env["DEERFLOW_TEST_SCALE"] ?? "0.02");
const times = (full: number, least = 20): number => Math.max(least, Math.round(full * SCALE));

hiddenFilesSuite("on a disk with links", hiddenOnDisk, {
  looks: times(1500),
  changes: times(200),
  searches: times(100),
});

async function hiddenInSandbox(): Promise<HiddenWorld> {
  const host = await mkdtemp(join(tmpdir(), "deerflow-hidden-"));
  const witness = await plantHidden(host);
  const provider = new BubblewrapProvider();
  const sandbox = await provider.acquire({
    id: host,
    mounts: [{ virtualPath: "/w", hostPath: host, mode: "read-write" }],
    workingDirectory: "/w",
  });
  return {
    files: new SandboxBackend({ sandbox, workingDirectory: "/w" }),
    witness,
    targets: TARGETS_WITH_LINKS,
    close: async () => {
      await provider.close();
      await rm(host, { recursive: true, force: true });
    },
  };
}

describe.runIf(await bubblewrapWorks())("where bubblewrap works", () => {
  hiddenFilesSuite("in a sandbox", hiddenInSandbox, {
    looks: times(100, 8),
    changes: times(50, 3),
    searches: times(20, 4),
  });
});
