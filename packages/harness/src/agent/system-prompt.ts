/** The single writer of the system prompt: sections in a fixed order, so that provider caches hold. */
import { readProse } from "../base/prose.js";
import type { SandboxMount } from "../sandbox/contract.js";

const text = (name: string): string => readProse(new URL(`./prompts/${name}.md`, import.meta.url));

const LEAD_AGENT = text("lead-agent");
const FILES = text("files");
const SHELL = text("shell");
const NO_SHELL = text("no-shell");
const CLARIFICATION = text("clarification");

export interface PromptParts {
  /** Absent where there is none. */
  readonly shell?: {
    /** What commands reach of the network; empty where that is not known. */
    readonly network: string;
    /** Variables of every command, by name. */
    readonly variables?: readonly string[];
  };
  /** Folders that the operator shows besides. */
  readonly mounts?: readonly Pick<SandboxMount, "virtualPath" | "mode">[];
  readonly clarification: boolean;
  /** The host's own text, put last. */
  readonly extra?: string;
}

export const leadAgentPrompt = ({ shell, mounts = [], clarification, extra }: PromptParts): string =>
  [
    LEAD_AGENT,
    mounts.length === 0 ? FILES : [FILES, "", "There are more folders:", ...mounts.map(mountLine)].join("\n"),
    shell === undefined ? NO_SHELL : shellText(shell),
    ...(clarification ? [CLARIFICATION] : []),
    ...(extra ? [extra] : []),
  ].join("\n\n");

const mountLine = ({ virtualPath, mode }: NonNullable<PromptParts["mounts"]>[number]): string =>
  `- \`${virtualPath}\`: a folder of the operator's${mode === "read-only" ? "; it can only be read" : ""}.`;

const shellText = ({ network, variables = [] }: NonNullable<PromptParts["shell"]>): string => {
  const set = variables.length === 0 ? "" : ` These variables are set: ${variables.join(", ")}.`;
  return SHELL.replace("{network}", () => `${network}${set}`).trim();
};
