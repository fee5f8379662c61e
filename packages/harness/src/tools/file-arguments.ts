/** Arguments that the file tools share, and how a gate reads the path of a call. */
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { parseVirtualPath } from "../base/virtual-path.js";

/** Names under which models send a path, the tools' own first. */
const PATH_NAMES = ["path", "file_path", "filepath", "filename"] as const;

export const PATH_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  PATH_NAMES.slice(1).map((name) => [name, "path"]),
);

/** Stands first in every schema, so that a model writes its reason before its arguments. */
export const description = z.string().describe("Why you make this call, in a few words; the user sees it.");

export const path = z.string().describe("Absolute path, such as /mnt/user-data/workspace/notes.md.");

/** The canonical path that a call is about; undefined when it has none, or one that the tool will refuse. */
export function pathArgument(args: Readonly<Record<string, unknown>>): string | undefined {
  const given = PATH_NAMES.map((name) => args[name]).find((value) => typeof value === "string");
  try {
    return given === undefined ? undefined : parseVirtualPath(given);
  } catch (error) {
    if (DeerflowError.is(error)) return undefined;
    throw error;
  }
}
