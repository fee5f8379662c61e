import { z } from "zod";
import { renderTree, type TreeListing } from "../../filesystem/tree.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { description, pathAliases } from "../file-arguments.js";
import type { ListRequest } from "../list-files.js";
import { path } from "./path.js";

const DEPTH = 2;
const input = z.object({ description, path });

export const listFiles: Face<typeof input, ListRequest, TreeListing> = {
  name: "ls",
  aliases: pathAliases("path"),
  input: () => input,
  describe: () =>
    "Lists a folder two levels deep: one absolute path a line, folders with a final slash.\nFolders such as .git and node_modules are named but not looked into.",
  request: (given, { workingDirectory }) => ({
    path: absolutePath(given.path, workingDirectory),
    depth: DEPTH,
  }),
  answer(tree, { path }, { limits }) {
    const text = renderTree(path, tree, limits.maxListCharacters);
    const whole = renderTree(path, tree, Number.POSITIVE_INFINITY);
    return {
      text,
      facts: { path, entries: tree.entries.length },
      ...(whole === text ? {} : { fullText: whole }),
    };
  },
};
