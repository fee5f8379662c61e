/** The single writer of the system prompt: sections in a fixed order, so that provider caches hold. */
import { readProse } from "../base/prose.js";

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
  };
  readonly clarification: boolean;
  /** The host's own text, put last. */
  readonly extra?: string;
}

export const leadAgentPrompt = ({ shell, clarification, extra }: PromptParts): string =>
  [
    LEAD_AGENT,
    FILES,
    shell === undefined ? NO_SHELL : SHELL.replace("{network}", () => shell.network).trim(),
    ...(clarification ? [CLARIFICATION] : []),
    ...(extra ? [extra] : []),
  ].join("\n\n");
