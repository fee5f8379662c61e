import { z } from "zod";
import { listedPath, shownPath } from "../../base/virtual-path.js";
import { moreNotShown, type TreeListing } from "../../filesystem/tree.js";
import { unusableNote } from "../../filesystem/unusable-names.js";
import { absolutePath } from "../absolute-path.js";
import type { Face } from "../face.js";
import { pathAliases } from "../file-arguments.js";
import { cutAnswer } from "../cut-answer.js";
import type { ListRequest } from "../list-files.js";

const input = z.object({ path: z.string().describe("Absolute path of the folder, such as /src.") });

export const listFiles: Face<typeof input, ListRequest, TreeListing> = {
  name: "ls",
  aliases: pathAliases("path"),
  input: () => input,
  describe: () =>
    "Lists what lies directly in a folder: one absolute path a line, sorted, folders with a final slash. Names with a leading dot are listed too.",
  request: (given, { workingDirectory }) => ({ path: absolutePath(given.path, workingDirectory), depth: 1 }),
  answer({ entries, unusableNames }, { path }, { limits, visible }) {
    const lines = entries.map((entry) => `${listedPath(entry.path)}${entry.kind === "directory" ? "/" : ""}`);
    const found = lines.length === 0 ? [`No files found in ${shownPath(path)}.`] : lines;
    const facts = { path, entries: lines.length };
    return {
      facts,
      ...cutAnswer(found, limits.maxListCharacters, (left) => [
        ...(left > 0
          ? [`[${moreNotShown(left)}.${visible.has("glob") ? " Find them by name with glob." : ""}]`]
          : []),
        ...unusableNote(unusableNames),
      ]),
    };
  },
};
