/** How many bytes threads and users may keep. */
import { integer, section } from "./schema-parts.js";

export const quotaSection = section({
  // A limit that nobody set would stop work on a disk with room.
  thread_bytes: integer({ min: 0, fallback: 0 }).describe("Bytes of one thread; 0: no limit."),
  user_bytes: integer({ min: 0, fallback: 0 }).describe("Bytes of all threads of one user; 0: no limit."),
});
