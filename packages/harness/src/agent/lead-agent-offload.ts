/** What the configuration says of long results and messages, as the middleware takes it. */
import type { DeerflowConfig } from "../config/schema.js";
import { VIRTUAL_OUTPUTS } from "../context/home-paths.js";
import type { Logger } from "../base/logger.js";
import { commandOutputFiles } from "../middleware/command-output-files.js";
import type { MiddlewareServices } from "../middleware/order.js";
import type { OutputFiles } from "../tools/output-files.js";
import type { OffloadFiles } from "./permissions.js";

/** Pure. The folders lie in the outputs, where the file tools and the shell see them. */
export function offloadServices({
  tool_output: wanted,
}: Pick<DeerflowConfig, "tool_output">): Required<Pick<MiddlewareServices, "toolOutput" | "longMessages">> {
  const retention = { maxFiles: wanted.retention_max_files, maxBytes: wanted.retention_max_bytes };
  const overrides = Object.entries(wanted.tool_overrides);
  return {
    toolOutput: {
      folder: `${VIRTUAL_OUTPUTS}/${wanted.storage_subdir}`,
      limitCharacters: limitBelow(wanted.externalize_min_chars),
      limitsByTool: Object.fromEntries(overrides.map(([tool, characters]) => [tool, limitBelow(characters)])),
      exemptTools: wanted.exempt_tools,
      preview: { headCharacters: wanted.preview_head_chars, tailCharacters: wanted.preview_tail_chars },
      cut: {
        aboveCharacters: wanted.fallback_max_chars,
        headCharacters: wanted.fallback_head_chars,
        tailCharacters: wanted.fallback_tail_chars,
      },
      retention,
    },
    longMessages: { limitCharacters: wanted.message_max_chars, retention },
  };
}

const MEBIBYTE = 1024 * 1024;

/** Beside the long results; undefined where nothing is to be put into files, or the agent could not read it there. */
export function outputFilesOf(
  { tool_output: wanted }: Pick<DeerflowConfig, "tool_output">,
  offloadFiles: OffloadFiles,
  logger: Logger,
): OutputFiles | undefined {
  const { folder, retention } = offloadServices({ tool_output: wanted }).toolOutput;
  const files = wanted.enabled && folder !== undefined ? offloadFiles(folder) : undefined;
  if (files === undefined || folder === undefined || retention === undefined) return undefined;
  return commandOutputFiles({ files, folder, retention, logger }, wanted.command_output_max_mb * MEBIBYTE);
}

/** The setting names the first length that is too long, the limit the last that is not; 0 is never in both. */
const limitBelow = (tooLong: number): number => (tooLong === 0 ? 0 : Math.max(1, tooLong - 1));
