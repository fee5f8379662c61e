/** Arguments that the file tools share, and how a gate reads the path of a call. */
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import { parseVirtualPath } from "../base/virtual-path.js";

/** Names under which models send a path, in any dialect. */
const PATH_NAMES = [
  "path",
  "file_path",
  "filepath",
  "filename",
  "filePath",
  "absolute_path",
  "target_file",
] as const;

/** All of them, for the one name that a tool itself has. */
export const pathAliases = (own: "path" | "file_path"): Readonly<Record<string, string>> =>
  Object.fromEntries(PATH_NAMES.filter((name) => name !== own).map((name) => [name, own]));

/** Stands first in every schema of the DeerFlow dialect, so that a model writes its reason before its arguments. */
export const description = z.string().describe("Why you make this call, in a few words; the user sees it.");

/**
 * The path of a call as the model wrote it, whatever the tool's own name for it; undefined when there is none.
 * Two different ones are none: every tool refuses such a call.
 */
export function givenPath(args: Readonly<Record<string, unknown>>): unknown {
  const given = PATH_NAMES.filter((name) => Object.hasOwn(args, name))
    .map((name) => args[name])
    .filter((value) => value !== undefined && value !== null);
  return given.every((value) => value === given[0]) ? given[0] : undefined;
}

/** Whether a call names a path at all, in whatever way. */
export const namesPath = (args: Readonly<Record<string, unknown>>): boolean =>
  PATH_NAMES.some((name) => Object.hasOwn(args, name) && args[name] !== undefined && args[name] !== null);

/** The canonical path that a call is about; undefined when it has none, or one that the tool will refuse. */
export function pathArgument(args: Readonly<Record<string, unknown>>): string | undefined {
  const given = givenPath(args);
  try {
    return typeof given === "string" ? parseVirtualPath(given) : undefined;
  } catch (error) {
    if (DeerflowError.is(error)) return undefined;
    throw error;
  }
}
