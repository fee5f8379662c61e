/** The outputs of commands beside the long results of other tools: same folder, same names, same retention. */
import type { OutputFiles } from "../tools/output-files.js";
import { type OffloadPlace, openOffload } from "./offload-store.js";

const MEBIBYTE = 1024 * 1024;
export const DEFAULT_OUTPUT_BYTES = 64 * MEBIBYTE;
/** An output that waits in memory for its end must not be as long as one that goes to a disk. */
const MAX_BYTES_IN_MEMORY = 10 * MEBIBYTE;

/** @param maxBytes of one output; 64 MiB by default */
export const commandOutputFiles = (place: OffloadPlace, maxBytes = DEFAULT_OUTPUT_BYTES): OutputFiles => ({
  async open(tool) {
    const writing = await openOffload(place, { origin: tool, extension: "log" });
    return { ...writing, maxBytes: writing.isStreamed ? maxBytes : Math.min(maxBytes, MAX_BYTES_IN_MEMORY) };
  },
});
