import { z } from "zod";

export const filePath = z.string().describe("Absolute path of the file, such as /src/main.ts.");
