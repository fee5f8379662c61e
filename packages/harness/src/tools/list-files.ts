import { z } from "zod";
import { parseVirtualPath } from "../base/virtual-path.js";
import type { FileBackend } from "../filesystem/contract.js";
import { listTree, renderTree } from "../filesystem/tree.js";
import { defineTool } from "./define-tool.js";
import { description, path, PATH_ALIASES } from "./file-arguments.js";

const DEPTH = 2;
/** The most of a listing that a model sees at once. */
export const DEFAULT_LIST_CHARACTERS = 20_000;

const input = z.object({ description, path });

/** Lists a folder, two levels deep. */
export const listFiles = (files: FileBackend, name: string, maxCharacters: number) =>
  defineTool({
    name,
    operation: "list",
    description:
      "Lists a folder two levels deep: one absolute path a line, folders with a final slash.\nFolders such as .git and node_modules are named but not looked into.",
    input,
    aliases: PATH_ALIASES,
    async run(given) {
      const folder = parseVirtualPath(given.path);
      const tree = await listTree(files, folder, DEPTH);
      return {
        text: renderTree(folder, tree, maxCharacters),
        facts: { path: folder, entries: tree.entries.length },
      };
    },
  });
