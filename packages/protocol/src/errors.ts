/** The body of every answer that is not a success. */
import { z } from "zod";

export const errorBody = z.object({
  /** One sentence for a person: what is wrong, where, and what to do. */
  detail: z.string(),
  /** Stable and public; `internal` when nothing better is known. */
  code: z.string(),
  /** Names the request in the server's log; present with status 500. */
  request_id: z.string().optional(),
});
export type ErrorBody = z.output<typeof errorBody>;
