/** For tests of tools: outputs of commands in files of a backend, without the middleware's names and retention. */
import { isStreamWritable } from "../filesystem/capabilities.js";
import type { FileBackend } from "../filesystem/contract.js";
import type { OutputFiles } from "../tools/output-files.js";

/** Files at `/outputs/<tool>-<number>`. */
export function openWriting(files: FileBackend, maxBytes: number): OutputFiles {
  let opened = 0;
  return {
    async open(tool) {
      opened += 1;
      const path = `/outputs/${tool}-${opened}`;
      const writing = isStreamWritable(files) ? await files.openWrite(path) : undefined;
      if (writing === undefined) throw new Error("The files of this test take no file in pieces.");
      return {
        maxBytes,
        write: (bytes) => writing.write(bytes),
        abort: () => writing.abort(),
        async commit() {
          await writing.commit();
          return path;
        },
      };
    },
  };
}
