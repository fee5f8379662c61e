/** A black-box suite over the protocol, eleven groups as deepagents' own standard tests have them. */
import { afterAll, beforeAll, describe } from "vitest";
import type { OwnSandboxProtocol } from "../../filesystem/protocol/to-sandbox-protocol.js";
import { commandGroup, initialFilesGroup, integrationGroup, lifecycleGroup } from "./command-groups.js";
import { editGroup, fileOperationsGroup, readGroup, writeGroup } from "./file-groups.js";
import type { ProtocolSuiteOptions, ProtocolWorld } from "./protocol-world.js";
import { globGroup, grepGroup, lsGroup } from "./search-groups.js";

const GROUPS = [
  lifecycleGroup,
  commandGroup,
  fileOperationsGroup,
  writeGroup,
  readGroup,
  editGroup,
  lsGroup,
  grepGroup,
  globGroup,
  initialFilesGroup,
  integrationGroup,
] as const;

/** Runs every group against the sandboxes that `options.open` gives. */
export function sandboxProtocolSuite(name: string, options: ProtocolSuiteOptions): void {
  describe(`${name} keeps the sandbox protocol`, () => {
    let opened: OwnSandboxProtocol | undefined;
    beforeAll(async () => {
      opened = await options.open();
    });
    afterAll(async () => opened?.close());
    const world: ProtocolWorld = {
      ...options,
      shared: () => {
        if (opened === undefined) throw new Error("The shared sandbox was not opened.");
        return opened;
      },
    };
    for (const group of GROUPS) group(world);
  });
}
