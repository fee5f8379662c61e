/** File permission rules, made binding for one agent: of whatever it is built, its tools get no files without them. */
import type { AgentMiddleware } from "langchain";
import { DeerflowError } from "../base/errors.js";
import { childOf } from "../base/virtual-path.js";
import { optionInvalid } from "../filesystem/assert-backend.js";
import { assertEnforceable } from "../filesystem/assert-enforceable.js";
import { isLinkFollowing, shellOf } from "../filesystem/capabilities.js";
import type { FileBackend, Shell } from "../filesystem/contract.js";
import { guardFiles } from "../filesystem/guarded-backend.js";
import type { AgentGraphOptions } from "../graph/create-agent-graph.js";
import { checkInterruptOn } from "../middleware/approval-entries.js";
import type { ApprovalOptions, InterruptOn } from "../middleware/approval-pauses.js";
import { withReadableOffloads } from "../middleware/offload-permissions.js";
import { DEERFLOW_MESSAGES, DEERFLOW_RESULTS, type MiddlewareServices } from "../middleware/order.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules } from "../policy/permission-rules.js";
import type { Sandbox } from "../sandbox/contract.js";
import { type Operation, operationOf } from "../tools/define-tool.js";
import { sandboxOf } from "../tools/file-tools.js";

export type AgentTools = NonNullable<AgentGraphOptions["tools"]>;

export type OffloadFiles = NonNullable<MiddlewareServices["offloadFiles"]>;

export interface PermissionOptions {
  /**
   * What the agent may do with which paths of `services.files`. With rules, tools that touch files are given as a
   * function, so that they are made of files that the rules guard.
   */
  readonly permissions?: readonly FilesystemPermission[];
  /** What a leading `~` in a rule stands for; without it such a rule is an error. */
  readonly home?: string;
  /** Which calls wait for a person, by tool name; goes before rules of mode `interrupt`. */
  readonly interruptOn?: InterruptOn;
  /**
   * A function gets `services.files` as the agent may use them, and those for what is put aside in a folder for it to
   * read: past the rules, and undefined where they would not let it. Then `services.sandbox`, in whose commands the
   * rules hold.
   */
  readonly tools?:
    | AgentTools
    | ((files: FileBackend, offloadFiles: OffloadFiles, sandbox: Sandbox | undefined) => AgentTools);
}

export interface PermittedAgent {
  readonly services: Partial<MiddlewareServices>;
  readonly tools: AgentTools;
  readonly approval: ApprovalOptions;
}

/**
 * @param foreign middleware of the host, whose tools bring their own files
 * @throws DeerflowError `permissions_invalid`, `permissions_unenforceable`, `filesystem_options_invalid`,
 * `invalid_request`
 */
export function permitted(
  options: PermissionOptions,
  given: Partial<MiddlewareServices>,
  foreign: readonly AgentMiddleware[],
): PermittedAgent {
  const { interruptOn } = options;
  checkInterruptOn(interruptOn ?? {});
  const rules = rulesOf(options, given);
  const { services, sandbox, shells } = rules.isEmpty ? unguarded(given) : guarded(given, rules, options);
  const tools = toolsOf(options, services, sandbox);
  const brought = foreign.flatMap((entry) => entry.tools ?? []);
  if (!rules.isEmpty) {
    assertGuarded(typeof options.tools === "function" ? brought : [...tools, ...brought]);
    assertShells(tools, shells);
  }
  const operations = new Map([...tools, ...brought].map((tool) => [String(tool.name), operationOf(tool)]));
  const { files } = services;
  return {
    services,
    tools,
    approval: {
      rules,
      operationOf: (name) => operations.get(name),
      ...(interruptOn === undefined ? {} : { interruptOn }),
      ...(given.logger === undefined ? {} : { logger: given.logger }),
      ...(files !== undefined && isLinkFollowing(files) ? { realPath: (path) => files.realPath(path) } : {}),
    },
  };
}

/** The model may read what was put into files for it, unless a rule names those files. */
function rulesOf(
  { permissions = [], home }: PermissionOptions,
  { files, toolOutput, longMessages }: Partial<MiddlewareServices>,
): PermissionRules {
  if (!Array.isArray(permissions)) {
    throw optionInvalid("permissions", "it is not a list of rules");
  }
  const options = { home, foldsCase: files?.foldsCase };
  const folders = [
    toolOutput?.folder ?? DEERFLOW_RESULTS.folder,
    longMessages?.folder ?? DEERFLOW_MESSAGES.folder,
  ].map((folder) => ({ folder }));
  return new PermissionRules(withReadableOffloads(permissions, folders, options), options);
}

/** Of any name: whether what lies in the folder may be read is the same for all of them. */
const ANY_OFFLOADED = "any";

interface Guarded {
  readonly services: Partial<MiddlewareServices>;
  /** The one of the services, as tools may use it. */
  readonly sandbox: Sandbox | undefined;
  /** Where a tool may run commands, and what it was made of before the rules. */
  readonly shells: readonly { readonly before: Sandbox; readonly kept: Sandbox }[];
}

const unguarded = (services: Partial<MiddlewareServices>): Guarded => ({
  services,
  sandbox: services.sandbox,
  shells: [],
});

function guarded(
  services: Partial<MiddlewareServices>,
  rules: PermissionRules,
  { permissions = [], home }: PermissionOptions,
): Guarded {
  const { files, sandbox } = services;
  if (files === undefined) throw invalid("`permissions` are rules for `services.files`, which are absent");
  const kept = (shell: Shell | undefined) => assertEnforceable(files, shell, permissions, home);
  // What the sandbox can reach is not known here, so the worst is assumed.
  const own = sandbox && { sandbox, workingDirectory: "/", reachesHost: true };
  const ownKept = kept(own);
  const ofFiles = shellOf(files);
  const ofFilesKept = kept(ofFiles);
  const isReadable = (folder: string) => rules.decide("read", childOf(folder, ANY_OFFLOADED)) !== "deny";
  return {
    services: {
      ...services,
      files: guardFiles(files, rules, ofFilesKept),
      offloadFiles: (folder) => (isReadable(folder) ? files : undefined),
    },
    sandbox: ownKept?.sandbox,
    shells: [...pairOf(own, ownKept), ...pairOf(ofFiles, ofFilesKept)],
  };
}

const pairOf = (before: Shell | undefined, kept: Shell | undefined): Guarded["shells"] =>
  before === undefined || kept === undefined ? [] : [{ before: before.sandbox, kept: kept.sandbox }];

function toolsOf(
  { tools = [] }: PermissionOptions,
  { files, offloadFiles = () => files }: Partial<MiddlewareServices>,
  sandbox: Sandbox | undefined,
): AgentTools {
  if (typeof tools !== "function") return tools;
  if (files === undefined)
    throw invalid("`tools` as a function are made of `services.files`, which are absent");
  return tools(files, offloadFiles, sandbox);
}

const ON_FILES: ReadonlySet<Operation | undefined> = new Set([
  "list",
  "read",
  "write",
  "edit",
  "delete",
  "glob",
  "grep",
  "present",
  "execute",
]);

/** Rules that some tools do not know would be worse than none: they would only seem to hold. */
function assertGuarded(tools: AgentTools): void {
  const names = namesOf(tools, (operation) => ON_FILES.has(operation));
  if (names === "") return;
  throw invalid(
    `the permissions do not reach the tools ${names}, which were made of other files; give \`tools\` as a function of the files`,
  );
}

/** A command goes where the sandbox of its tool lets it, whatever was said of another. */
function assertShells(tools: AgentTools, shells: Guarded["shells"]): void {
  const isFree = shells.length > 0 && shells.every(({ before, kept }) => before === kept);
  if (isFree) return;
  const lost = tools.filter((tool) => {
    const sandbox = sandboxOf(tool);
    return operationOf(tool) === "execute" && !shells.some(({ kept }) => kept === sandbox);
  });
  const names = namesOf(lost, () => true);
  if (names === "") return;
  throw invalid(
    `${names} could go around the permissions; give its sandbox as \`services.sandbox\`, so that it is asked whether it can enforce them, and make the tool of the sandbox that \`tools\` as a function gets`,
  );
}

const namesOf = (tools: AgentTools, does: (operation: Operation | undefined) => boolean): string =>
  tools
    .filter((tool) => does(operationOf(tool)))
    .map((tool) => String(tool.name))
    .join(", ");

const invalid = (reason: string) => new DeerflowError("invalid_request", { reason });
