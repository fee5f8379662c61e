/** The protocol over real files and a real shell: the host's, bubblewrap's with the files on the disk, and by a shell alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VIRTUAL_WORKSPACE } from "../../context/home-paths.js";
import { BubblewrapProvider } from "../../sandbox/bubblewrap/bubblewrap-provider.js";
import { bubblewrapWorks } from "../../testing/bubblewrap-works.js";
import { type FreshSandbox, openSandbox } from "../../testing/open-sandbox.js";
import { sandboxProtocolSuite } from "../../testing/sandbox-protocol/index.js";
import type { FileBackend } from "../contract.js";
import { LocalShellBackend } from "../local-shell-backend.js";
import { MountedDiskBackend } from "../mounted-disk-backend.js";
import { SandboxBackend } from "../sandbox-backend.js";
import { withShell } from "../with-shell.js";
import { toSandboxBackendProtocolV2 } from "./to-sandbox-protocol.js";

const onDisk = ({ sandbox, workspace }: FreshSandbox): FileBackend =>
  withShell(
    new MountedDiskBackend({
      mounts: [{ virtualPath: VIRTUAL_WORKSPACE, hostPath: workspace, mode: "read-write" }],
    }),
    { sandbox, workingDirectory: VIRTUAL_WORKSPACE, reachesHost: false },
  );
const byShell = ({ sandbox }: FreshSandbox): FileBackend =>
  new SandboxBackend({ sandbox, workingDirectory: VIRTUAL_WORKSPACE });

const open =
  (backend: (opened: FreshSandbox) => FileBackend) =>
  async (initialFiles = {}) => {
    const opened = await openSandbox(new BubblewrapProvider());
    const sandbox = toSandboxBackendProtocolV2(backend(opened), { initialFiles, onClose: opened.close });
    await sandbox.initialize();
    return sandbox;
  };

function onHost(initialFiles: Readonly<Record<string, string>> = {}) {
  const rootDir = mkdtempSync(join(tmpdir(), "deerflow-protocol-"));
  return toSandboxBackendProtocolV2(
    new LocalShellBackend({ rootDir, virtualMode: false, env: { PATH: process.env["PATH"] ?? "" } }),
    { initialFiles, onClose: () => rmSync(rootDir, { recursive: true }) },
  );
}

sandboxProtocolSuite("LocalShellBackend", {
  async open(initialFiles) {
    const sandbox = onHost(initialFiles);
    await sandbox.initialize();
    return sandbox;
  },
  openUninitialized: () => onHost(),
  pathOf: (name) => name,
});

if (await bubblewrapWorks()) {
  sandboxProtocolSuite("bubblewrap with relative paths", { open: open(onDisk), pathOf: (name) => name });
  sandboxProtocolSuite("bubblewrap with whole paths", {
    open: open(onDisk),
    pathOf: (name) => `${VIRTUAL_WORKSPACE}/${name}`,
  });
  sandboxProtocolSuite("bubblewrap by its shell alone", { open: open(byShell), pathOf: (name) => name });
}
