/** Creates the thread's folders and tells the state where the agent sees them. */
import { createMiddleware } from "langchain";
import { z } from "zod";
import { DeerflowError, reasonOf } from "../base/errors.js";
import { makeFolder } from "../base/make-folder.js";
import {
  type ThreadDirectories,
  VIRTUAL_OUTPUTS,
  VIRTUAL_UPLOADS,
  VIRTUAL_WORKSPACE,
} from "../context/home-paths.js";

const threadDataSchema = z.object({
  workspace_path: z.string(),
  uploads_path: z.string(),
  outputs_path: z.string(),
});

/** The paths are virtual: neither the model nor a client ever sees a host path. */
const VIRTUAL_THREAD_DATA = {
  workspace_path: VIRTUAL_WORKSPACE,
  uploads_path: VIRTUAL_UPLOADS,
  outputs_path: VIRTUAL_OUTPUTS,
};

/**
 * Makes every folder of a thread. Idempotent.
 * @throws DeerflowError `home_not_writable`
 */
export function createThreadDirectories(directories: ThreadDirectories): void {
  for (const path of Object.values(directories) as string[]) {
    try {
      makeFolder(path);
    } catch (error) {
      throw new DeerflowError("home_not_writable", { path, reason: reasonOf(error) }, error);
    }
  }
}

export function threadData({ directories }: { readonly directories: ThreadDirectories }) {
  return createMiddleware({
    name: "thread-data",
    stateSchema: z.object({ thread_data: threadDataSchema.optional() }),
    beforeAgent() {
      createThreadDirectories(directories);
      return { thread_data: VIRTUAL_THREAD_DATA };
    },
  });
}
