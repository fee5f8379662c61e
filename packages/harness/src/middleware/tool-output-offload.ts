/** Puts long tool results into files, and shows the model what they are, parts of them, and where to read the rest. */
import type { ToolMessage } from "@langchain/core/messages";
import { createMiddleware, type ToolCallRequest } from "langchain";
import { reasonOf } from "../base/errors.js";
import { type Logger, silentLogger } from "../base/logger.js";
import type { FileBackend } from "../filesystem/contract.js";
import { operationOf } from "../tools/define-tool.js";
import type { Dialect } from "../tools/dialects.js";
import { cutMessage, HistoryCutter, sizeFor } from "./offload-cut.js";
import { mapToolMessages, type Said, saidIn, toolMessageWith } from "./offload-message.js";
import { HOW_TO_READ, limitFor, OFFLOAD_RULES, type OffloadRules } from "./offload-rules.js";
import {
  DEFAULT_RETENTION,
  digestOf,
  keptFor,
  type OffloadName,
  type OffloadPlace,
  type OffloadRetention,
  safeName,
  storeOffload,
} from "./offload-store.js";
import { type HowToRead, offloadStub, REPLACED_NOTE } from "./offload-stub.js";
import { pageable } from "./offload-text.js";
import { type Synopsis, synopsisOf, type TextKind } from "./synopsis-of.js";

/** Rules that are not given are those of the dialect. */
export interface ToolOutputOffloadOptions extends Partial<OffloadRules> {
  /** Whose limits hold, and how the stub explains reading. Default `deepagents`. */
  readonly dialect?: Dialect;
  /** Absent: there is no place for files, so what is too long is treated as if storing had failed. */
  readonly files?: FileBackend;
  /** Where the files go: a path of the backend. Default `/large_tool_results`. */
  readonly folder?: string;
  /** What of the folder is kept. Default 2,000 files and 500 MiB. */
  readonly retention?: OffloadRetention;
  /** In place of the dialect's sentence, where the reader has another name or other arguments. */
  readonly howToRead?: HowToRead;
  readonly logger?: Logger;
}

export const DEFAULT_RESULTS_FOLDER = "/large_tool_results";

const EXTENSIONS: Readonly<Partial<Record<TextKind, "json" | "log">>> = { json: "json", log: "log" };

/**
 * A result whose text is longer than its limit is stored whole and shown as a stub; media, id, status and facts of
 * the message stay. The file tools are left alone, for they bound their results themselves. When storing fails the
 * result stays, or is cut where the rules say so. What a tool throws is thrown on.
 */
export function toolOutputOffload(options: ToolOutputOffloadOptions = {}) {
  const { dialect = "deepagents", logger = silentLogger, howToRead = HOW_TO_READ[dialect] } = options;
  const rules: OffloadRules = { ...OFFLOAD_RULES[dialect], ...given(options) };
  const place = placeOf(options, logger);
  const history = new HistoryCutter(rules);

  const shorten = async (message: ToolMessage, call: Call): Promise<ToolMessage> => {
    const said = saidIn(message);
    if (said.text.length <= call.limit) return message;
    const stub = place && (await stored(place, said, call));
    if (stub !== undefined) return toolMessageWith(message, stub);
    return rules.cut === undefined ? message : cutMessage(message, sizeFor(rules.cut, call.limit));
  };

  /** Undefined when the text could not be stored. */
  const stored = async (to: OffloadPlace, said: Said, call: Call): Promise<string | undefined> => {
    const text = pageable(said.text);
    const synopsis = rules.synopsis && said.kept?.isInText !== false ? synopsisOf(text) : undefined;
    const name = nameFor(call, said.text, synopsis);
    try {
      return offloadStub({
        subject: `The result of ${safeName(call.tool)}`,
        path: said.kept?.path ?? (await storeOffload(to, name, text)),
        text,
        ending: pageable(said.ending),
        mark: name.digest,
        preview: rules.preview,
        howToRead,
        notes: [keptFor(to), text === said.text ? undefined : REPLACED_NOTE],
        limitCharacters: call.limit,
        ...(synopsis === undefined ? {} : { synopsis: synopsis.text }),
        ...(said.kept === undefined ? {} : { whole: said.kept }),
      });
    } catch (error) {
      logger.warn("A long tool result could not be stored", { tool: name.origin, reason: reasonOf(error) });
      return undefined;
    }
  };

  return createMiddleware({
    name: "tool-output-offload",

    wrapModelCall(request, next) {
      const messages = history.cut(request.messages, request.tools);
      return next(messages === request.messages ? request : { ...request, messages });
    },

    async wrapToolCall(request, next) {
      const result = await next(request);
      const limit = limitFor(rules, request.toolCall.name, operationOf(request.tool));
      if (limit === undefined) return result;
      return mapToolMessages(result, (message) => shorten(message, callOf(request, limit)));
    },
  });
}

interface Call {
  readonly tool: string;
  /** Who made the call: the name of a file must differ between two that say the same. */
  readonly owner: readonly string[];
  readonly limit: number;
}

const callOf = ({ toolCall, runtime }: ToolCallRequest, limit: number): Call => ({
  tool: toolCall.name,
  owner: [String(runtime.configurable?.thread_id ?? ""), toolCall.id ?? ""],
  limit,
});

const nameFor = (call: Call, text: string, synopsis: Synopsis | undefined): OffloadName => ({
  origin: call.tool,
  digest: digestOf(call.owner, text),
  extension: (synopsis && EXTENSIONS[synopsis.kind]) ?? "txt",
});

function placeOf(options: ToolOutputOffloadOptions, logger: Logger): OffloadPlace | undefined {
  const { files, folder = DEFAULT_RESULTS_FOLDER, retention = DEFAULT_RETENTION } = options;
  return files && { files, folder, retention, logger };
}

/** The rules among the options, without those that stand there as undefined. */
function given(options: ToolOutputOffloadOptions): Partial<OffloadRules> {
  const { limitCharacters, limitsByTool, exemptTools, preview, synopsis, cut } = options;
  const rules = { limitCharacters, limitsByTool, exemptTools, preview, synopsis, cut };
  // The cast is sound: what is undefined is left out.
  return Object.fromEntries(
    Object.entries(rules).filter(([, value]) => value !== undefined),
  ) as Partial<OffloadRules>;
}
