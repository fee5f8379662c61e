/** Tasks to begin with. */
import { FileSpreadsheet, FolderTree, NotebookText, type LucideIcon } from "lucide-react";
import type { MessageKey } from "../../i18n/en.js";

export interface ExampleTask {
  readonly Icon: LucideIcon;
  readonly title: MessageKey;
  /** What is put into the message field. */
  readonly text: MessageKey;
}

export const EXAMPLE_TASKS: readonly ExampleTask[] = [
  { Icon: FileSpreadsheet, title: "exampleTableTitle", text: "exampleTable" },
  { Icon: NotebookText, title: "exampleNotesTitle", text: "exampleNotes" },
  { Icon: FolderTree, title: "exampleCodeTitle", text: "exampleCode" },
];
