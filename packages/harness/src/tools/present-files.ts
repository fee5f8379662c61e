import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { isWithin, parseVirtualPath, shownPath } from "../base/virtual-path.js";
import { VIRTUAL_OUTPUTS } from "../context/home-paths.js";
import type { FileBackend } from "../filesystem/contract.js";
import { defineTool } from "./define-tool.js";

export const PRESENT_FILES = "present_files";

const input = z.object({
  filepaths: z
    .array(z.string())
    .min(1)
    .describe(`Absolute paths of finished files under ${VIRTUAL_OUTPUTS}.`),
});

/** Shows finished files to the user: they are added to the `artifacts` of the graph's state. */
export const presentFiles = (files: FileBackend) =>
  defineTool({
    name: PRESENT_FILES,
    operation: "present",
    description: `Shows finished files to the user, who can open and download them. Only files under ${VIRTUAL_OUTPUTS}; write them there first.`,
    input,
    aliases: { files: "filepaths", paths: "filepaths", filepath: "filepaths" },
    async run({ filepaths }) {
      const paths = [...new Set(filepaths.map(parseVirtualPath))];
      for (const path of paths) await assertPresentable(files, path);
      return { text: `Presented: ${paths.join(", ")}`, facts: { paths }, update: { artifacts: paths } };
    },
  });

/** @throws DeerflowError `path_denied`, `path_not_found`, `is_a_directory` */
async function assertPresentable(files: FileBackend, path: string): Promise<void> {
  if (!isWithin(path, VIRTUAL_OUTPUTS)) {
    const reason = `only files under ${VIRTUAL_OUTPUTS} can be shown to the user; write it there first`;
    throw new DeerflowError("path_denied", { path: shownPath(path), reason });
  }
  const entry = await files.stat(path);
  if (entry === undefined) throw new DeerflowError("path_not_found", { path: shownPath(path) });
  if (entry.kind === "directory") throw new DeerflowError("is_a_directory", { path: shownPath(path) });
}
