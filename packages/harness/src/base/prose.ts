import { readFileSync } from "node:fs";

/**
 * Reads a text that a model will read. Such texts are prose in a file of their own, beside the code that
 * uses them, and are reviewed as prose; the build copies them next to the compiled code.
 *
 * @example const DESCRIPTION = readProse(new URL("./write-file.md", import.meta.url));
 */
export const readProse = (location: URL): string => readFileSync(location, "utf8").trimEnd();
