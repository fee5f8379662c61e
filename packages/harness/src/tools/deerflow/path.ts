import { z } from "zod";

export const path = z.string().describe("Absolute path, such as /mnt/user-data/workspace/notes.md.");
