/** The tools of the lead agent, in the order in which the model sees them. */
import type { Logger } from "../base/logger.js";
import type { DeerflowConfig } from "../config/schema.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { Sandbox } from "../sandbox/contract.js";
import { askClarification } from "../tools/ask-clarification.js";
import { createFileTools } from "../tools/file-tools.js";
import type { OutputFiles } from "../tools/output-files.js";
import { presentFiles } from "../tools/present-files.js";
import { ffmpegFrames } from "../tools/video-frames.js";

export interface LeadAgentToolsOptions {
  readonly config: DeerflowConfig;
  readonly services: {
    readonly files: FileBackend;
    readonly sandbox?: Sandbox;
    readonly outputFiles?: OutputFiles | undefined;
    readonly logger?: Logger;
  };
  /** Whether somebody is there to answer a question. */
  readonly clarification: boolean;
}

export function leadAgentTools({ config, services, clarification }: LeadAgentToolsOptions) {
  const { files, sandbox, outputFiles, logger } = services;
  return [
    ...createFileTools({
      files,
      shell: sandbox,
      outputFiles,
      videoFrames: ffmpegFrames,
      limits: {
        maxReadCharacters: config.sandbox.read_file_output_max_chars,
        maxListCharacters: config.sandbox.ls_output_max_chars,
        defaultExecuteSeconds: config.sandbox.bash_command_timeout,
        maxExecuteSeconds: config.sandbox.bash_command_timeout,
        maxExecuteCharacters: config.sandbox.bash_output_max_chars,
      },
      ...(logger === undefined ? {} : { logger }),
    }),
    presentFiles(files),
    ...(clarification ? [askClarification()] : []),
  ];
}
