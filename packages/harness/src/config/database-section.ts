/** Where data lies: one shape for `database` and for its two overrides, with DeerFlow's spellings accepted. */
import { join } from "node:path";
import { z } from "zod";

/** Every backend that the shape may name; {@link AVAILABLE_BACKENDS} says which of them work now. */
const BACKENDS = ["sqlite", "memory", "postgres", "mysql"] as const;
export const AVAILABLE_BACKENDS: readonly string[] = ["sqlite", "memory"];

/** Turns `type`, `postgres_url`, `connection_string` and `sqlite_dir` into `backend`, `url` and `path`. */
function commonSpelling(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { type, postgres_url, connection_string, sqlite_dir, ...rest }: Record<string, unknown> = {
    ...value,
  };
  const backend = rest["backend"] ?? type;
  const place = backend === "postgres" || backend === "mysql" ? "url" : "path";
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(postgres_url === undefined ? {} : { url: postgres_url }),
    ...(connection_string === undefined ? {} : { [place]: connection_string }),
    ...(typeof sqlite_dir === "string" ? { path: join(sqlite_dir, "deerflow.db") } : {}),
    ...rest,
  };
}

const place = {
  path: z.string().min(1).optional().describe("The SQLite file; absent: data/deerflow.db under the home."),
  url: z.string().min(1).optional().describe("The address of a database server."),
};

export const databaseSection = z
  .preprocess(
    commonSpelling,
    z.strictObject({
      backend: z.enum(BACKENDS).default("sqlite").describe("sqlite or memory."),
      ...place,
    }),
  )
  .prefault({});

export const storeOverride = z
  .preprocess(commonSpelling, z.strictObject({ backend: z.enum(BACKENDS), ...place }))
  .optional();
