/** Shows the model the file tools that work, each described by what else it can see in this request. */
import type { ClientTool } from "@langchain/core/tools";
import { SystemMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { createMiddleware, type ModelRequest } from "langchain";
import { shellOf } from "../filesystem/capabilities.js";
import type { FileBackend } from "../filesystem/contract.js";
import { describedBy, operationOf } from "../tools/define-tool.js";
import { TOOL_KINDS, type ToolKind } from "../tools/face.js";
import { shellPathMap } from "./shell-path-map.js";

type OfferedTool = NonNullable<ModelRequest["tools"]>[number];

/** What a tool says of itself while exactly these kinds of file tools can be seen. */
export type Describe = (kind: ToolKind, visible: ReadonlySet<ToolKind>) => string;

export interface FileToolVisibilityOptions {
  readonly files: FileBackend;
  /** The tools made for these files. Others in a request are left as they are. */
  readonly tools: readonly ClientTool[];
  readonly describe: Describe;
  /** Stands behind the agent's own prompt. */
  readonly systemPrompt?: string;
}

export function fileToolVisibility({ files, tools: own, describe, systemPrompt }: FileToolVisibilityOptions) {
  const rewritten = new DefinitionShelf();
  const pathMap = shellPathMap(files);

  return createMiddleware({
    name: "file-tool-visibility",
    wrapModelCall(request, next) {
      const offered = request.tools ?? [];
      const working = offered.filter(
        (tool) => !own.includes(tool as ClientTool) || canDo(files, kindOf(tool)),
      );
      const visible = visibleKinds(working, own);
      const described = working.map((tool) => {
        const text = own.includes(tool as ClientTool) ? newDescription(tool, visible, describe) : undefined;
        return text === undefined ? tool : rewritten.find(request.model, tool as ClientTool, text);
      });
      const added = [systemPrompt, visible.has("execute") ? pathMap : undefined];
      return next({
        ...request,
        tools: isSameList(described, offered) ? offered : described,
        systemMessage: withText(request.systemMessage, joinTexts(added)),
      });
    },
  });
}

/** What the backend cannot do is not offered. Asked at each request, for a backend may learn it late. */
function canDo(files: FileBackend, kind: ToolKind | undefined): boolean {
  if (kind === "delete") return files.canRemove !== false;
  return kind !== "execute" || shellOf(files) !== undefined;
}

const isToolKind = (operation: string | undefined): operation is ToolKind =>
  TOOL_KINDS.some((kind) => kind === operation);

function kindOf(tool: unknown): ToolKind | undefined {
  const operation = operationOf(tool);
  return isToolKind(operation) ? operation : undefined;
}

export const visibleKinds = (offered: readonly unknown[], own: readonly unknown[]): ReadonlySet<ToolKind> =>
  new Set(offered.filter((tool) => own.includes(tool)).flatMap((tool) => kindOf(tool) ?? []));

/** Undefined where the tool's own text holds good, and where it is somebody's own, which is never changed. */
function newDescription(
  tool: OfferedTool,
  visible: ReadonlySet<ToolKind>,
  describe: Describe,
): string | undefined {
  const kind = kindOf(tool);
  if (kind === undefined || describedBy(tool) !== "face") return undefined;
  const text = describe(kind, visible);
  return text === (tool as ClientTool).description ? undefined : text;
}

/**
 * Definitions that stand in a request for a tool of the same name: an agent refuses another tool there, and takes a
 * definition, whose calls it gives to the tool that it knows by that name. Kept per model, because clients write
 * into definitions, and kept at all, so that the same request is the same again for prompt caches.
 */
class DefinitionShelf {
  readonly #byModel = new WeakMap<object, Map<string, OfferedTool>>();

  find(model: ModelRequest["model"], tool: ClientTool, description: string): OfferedTool {
    const known = this.#byModel.get(model) ?? new Map<string, OfferedTool>();
    this.#byModel.set(model, known);
    const key = `${String(tool.name)}\n${description}`;
    const kept = known.get(key) ?? definitionOf(tool, description);
    known.set(key, kept);
    return kept;
  }
}

/** In the one form that every client takes, because the oldest of them spoke it. */
export function definitionOf(tool: ClientTool, description: string): OfferedTool {
  // The cast is sound: a tool of ours has a name, a description and a schema, which is all that is read.
  const { type, function: own } = convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
  const definition = { type, function: { ...own, description } };
  // Found by those who look a tool up by its name, but not sent: providers refuse fields that they do not know.
  return Object.defineProperty(definition, "name", { value: own.name, enumerable: false });
}

const isSameList = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((entry, position) => entry === right[position]);

const joinTexts = (texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text.trim() !== "").join("\n\n");

/** The prompt with a text behind it; blocks that a host marked, for caching say, stay as they are. */
export function withText(message: SystemMessage, added: string): SystemMessage {
  if (added === "") return message;
  if (message.text === "") return new SystemMessage(added);
  const behind = `\n\n${added}`;
  const content =
    typeof message.content === "string"
      ? `${message.content}${behind}`
      : [...message.content, { type: "text" as const, text: behind }];
  return new SystemMessage({ ...message.lc_kwargs, content });
}
