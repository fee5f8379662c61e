/** What the agent may do with which paths, and which of its calls wait for a person. */
import { z } from "zod";

export const permissionsSection = z
  .array(
    z.strictObject({
      operations: z.array(z.enum(["read", "write"])).min(1),
      paths: z.array(z.string().min(1)).min(1),
      mode: z.enum(["allow", "deny", "interrupt"]).default("allow"),
    }),
  )
  .default([]);

const approval = z.strictObject({
  allowed_decisions: z
    .array(z.enum(["approve", "edit", "reject", "respond"]))
    .min(1)
    .optional(),
  description: z.string().min(1).optional(),
});

export const interruptOnSection = z
  .record(
    z.string().min(1),
    z.union([z.boolean(), approval], "use true, false or {allowed_decisions, description}"),
  )
  .default({});
