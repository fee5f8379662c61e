/** What is known of each tool by name; a tool that is not here is shown in the general way. */
import {
  BookOpenText,
  Bot,
  FilePen,
  FilePlus,
  FolderTree,
  Globe,
  ListTodo,
  MessageCircleQuestion,
  PackageCheck,
  Search,
  SquareTerminal,
  TextSearch,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import type { MessageKey } from "../../i18n/en.js";

export interface ToolKind {
  readonly Icon: LucideIcon;
  /** What to call it where the model gave no reason; the tool's name when absent. */
  readonly label?: MessageKey;
  /** The argument that says what the call is about; shown in one line. */
  readonly subject?: string;
  /** The argument that is a text of many lines. */
  readonly body?: string;
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: { Icon: SquareTerminal, subject: "command", body: "command" },
  execute: { Icon: SquareTerminal, subject: "command", body: "command" },
  read_file: { Icon: BookOpenText, subject: "path" },
  write_file: { Icon: FilePlus, subject: "path", body: "content" },
  str_replace: { Icon: FilePen, subject: "path", body: "new_str" },
  edit_file: { Icon: FilePen, subject: "path", body: "new_string" },
  ls: { Icon: FolderTree, subject: "path" },
  glob: { Icon: Search, subject: "pattern" },
  grep: { Icon: TextSearch, subject: "pattern" },
  write_todos: { Icon: ListTodo, label: "tool_write_todos" },
  present_files: { Icon: PackageCheck, label: "tool_present_files" },
  ask_clarification: { Icon: MessageCircleQuestion, label: "tool_ask_clarification", subject: "question" },
  task: { Icon: Bot, subject: "subagent_type", body: "prompt" },
  web_search: { Icon: Globe, subject: "query" },
  web_fetch: { Icon: Globe, subject: "url" },
};

const UNKNOWN: ToolKind = { Icon: Wrench };

export const toolKind = (name: string): ToolKind =>
  Object.hasOwn(KINDS, name) ? (KINDS[name] ?? UNKNOWN) : UNKNOWN;
