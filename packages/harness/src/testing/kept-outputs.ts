/** For tests: a place for outputs of commands that is a map. */
import type { OutputFiles } from "../tools/output-files.js";

interface KeptOutputsOptions {
  readonly maxBytes?: number;
  readonly failsAt?: "open" | "write" | "commit";
}

/** Files at `/kept/<tool>-<number>`. */
export function keptOutputs({ maxBytes = 1024 * 1024, failsAt }: KeptOutputsOptions = {}) {
  const texts = new Map<string, string>();
  const kept = { texts, aborted: 0, files: undefined as unknown as OutputFiles };
  let opened = 0;
  const failAt = (step: KeptOutputsOptions["failsAt"]): void => {
    if (failsAt === step) throw new Error("The disk is full.");
  };
  const files: OutputFiles = {
    async open(tool) {
      failAt("open");
      opened += 1;
      const path = `/kept/${tool}-${opened}`;
      const pieces: Uint8Array[] = [];
      return {
        maxBytes,
        async write(bytes) {
          failAt("write");
          pieces.push(bytes);
        },
        async commit() {
          failAt("commit");
          texts.set(path, Buffer.concat(pieces).toString());
          return path;
        },
        async abort() {
          kept.aborted += 1;
        },
      };
    },
  };
  return Object.assign(kept, { files });
}
