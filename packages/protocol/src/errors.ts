/** The body of every answer that is not a success. */
import { z } from "zod";

/** Bytes that are kept, that would be kept, and that may be. */
export const quotaNumbers = z.object({
  scope: z.enum(["thread", "user"]),
  used: z.number().int(),
  would_be: z.number().int(),
  limit: z.number().int(),
});
export type QuotaNumbers = z.output<typeof quotaNumbers>;

export const errorBody = z.object({
  /** One sentence for a person: what is wrong, where, and what to do. */
  detail: z.string(),
  /** Stable and public; `internal` when nothing better is known. */
  code: z.string(),
  /** Names the request in the server's log; present with status 500. */
  request_id: z.string().optional(),
  /** Present with the code `quota_exceeded`. */
  quota: quotaNumbers.optional(),
});
export type ErrorBody = z.output<typeof errorBody>;
