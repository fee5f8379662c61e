/** The tools of the lead agent, in the order in which the model sees them. */
import type { DeerflowConfig } from "../config/schema.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { Sandbox } from "../sandbox/contract.js";
import { askClarification } from "../tools/ask-clarification.js";
import { createExecuteTool, createFileTools } from "../tools/file-tools.js";
import { presentFiles } from "../tools/present-files.js";

export interface LeadAgentToolsOptions {
  readonly config: DeerflowConfig;
  readonly services: { readonly files: FileBackend; readonly sandbox?: Sandbox };
  /** Whether somebody is there to answer a question. */
  readonly clarification: boolean;
}

export function leadAgentTools({ config, services, clarification }: LeadAgentToolsOptions) {
  const { files, sandbox } = services;
  const limits = {
    timeoutSeconds: config.sandbox.bash_command_timeout,
    maxCharacters: config.sandbox.bash_output_max_chars,
  };
  return [
    ...createFileTools({
      files,
      maxReadCharacters: config.sandbox.read_file_output_max_chars,
      maxListCharacters: config.sandbox.ls_output_max_chars,
    }),
    ...(sandbox === undefined ? [] : [createExecuteTool({ sandbox, limits })]),
    presentFiles(files),
    ...(clarification ? [askClarification()] : []),
  ];
}
