/** What every group of the protocol's suite is given. */
import { expect } from "vitest";
import type { OwnSandboxProtocol } from "../../filesystem/protocol/to-sandbox-protocol.js";

export interface ProtocolSuiteOptions {
  /** A fresh sandbox that runs, with these files in it. */
  open(initialFiles?: Readonly<Record<string, string>>): Promise<OwnSandboxProtocol>;
  /** One that has yet to be initialised; its test is left out where there is no such thing. */
  openUninitialized?(): OwnSandboxProtocol;
  /** How the suite spells a path: relative to the working directory, or below a folder. */
  pathOf(name: string): string;
}

export interface ProtocolWorld extends ProtocolSuiteOptions {
  /** Shared by the tests that leave no trace for others. */
  readonly shared: () => OwnSandboxProtocol;
}

/** What the shell sees in a file. */
export async function shellText(sandbox: OwnSandboxProtocol, path: string): Promise<string> {
  const { output, exitCode } = await sandbox.execute(`cat '${path}'`);
  expect(exitCode).toBe(0);
  return output;
}

/** The paths of a listing, without the slash that marks a folder. */
export const barePaths = (files: readonly { readonly path: string }[] = []): string[] =>
  files.map(({ path }) => path.replace(/\/$/, "")).sort();
