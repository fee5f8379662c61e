/** Records which sandbox the thread works in, and lets it go when the turn ends. */
import { createMiddleware } from "langchain";
import { z } from "zod";
import type { LazySandbox } from "../sandbox/lazy-sandbox.js";

export function sandbox({ sandbox }: { readonly sandbox: LazySandbox }) {
  return createMiddleware({
    name: "sandbox",
    stateSchema: z.object({ sandbox: z.object({ sandbox_id: z.string() }).optional() }),
    beforeAgent: () => ({ sandbox: { sandbox_id: sandbox.id } }),
    async afterAgent() {
      await sandbox.release();
      return undefined;
    },
  });
}
