/** Where data lies: one shape for `database` and for its two overrides, with DeerFlow's spellings accepted. */
import { join } from "node:path";
import { z } from "zod";
import { integer, section } from "./schema-parts.js";

const BACKENDS = ["sqlite", "postgres", "mysql", "memory"] as const;
type Backend = (typeof BACKENDS)[number];

interface BackendRow {
  /** Which of the keys says where the data lies. */
  readonly place: "path" | "url" | undefined;
  /** How its addresses begin, without `://`; the first is the one to recommend. */
  readonly schemes: readonly string[];
  /** Whether the address must name a database. */
  readonly named: boolean;
}

/** A server's address needs its scheme, because a wrong one is mostly the address of another server. */
const BACKEND_TABLE: Readonly<Record<Backend, BackendRow>> = {
  sqlite: { place: "path", schemes: [], named: false },
  // Without a name the server takes the one of the user, as all its programs do.
  postgres: { place: "url", schemes: ["postgres", "postgresql"], named: false },
  // A connection without a database cannot make a table.
  mysql: { place: "url", schemes: ["mysql", "mariadb"], named: true },
  memory: { place: undefined, schemes: [], named: false },
};

/** DeerFlow's names beside ours. */
const SPELLINGS: Readonly<Record<string, string>> = {
  type: "backend",
  postgres_url: "url",
  postgres_schema: "schema",
};

const schemeOf = (url: string): string => /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? "";

const backendOfUrl = (url: unknown): Backend | undefined =>
  typeof url === "string"
    ? BACKENDS.find((backend) => BACKEND_TABLE[backend].schemes.includes(schemeOf(url)))
    : undefined;

/** Turns `type`, `postgres_url`, `connection_string` and `sqlite_dir` into `backend`, `url` and `path`. */
function commonSpelling(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { connection_string, sqlite_dir, ...given }: Record<string, unknown> = { ...value };
  const entries = Object.entries(given);
  const renamed = entries.flatMap(([key, each]) => {
    const name = SPELLINGS[key];
    // DeerFlow's own default of an address is the empty text.
    return name === undefined || isEmpty(each) ? [] : [[name, each] as const];
  });
  const known: Record<string, unknown> = {
    ...Object.fromEntries(renamed),
    ...Object.fromEntries(entries.filter(([key]) => SPELLINGS[key] === undefined)),
  };
  const backend = known["backend"] ?? backendOfUrl(known["url"] ?? connection_string);
  const place = backend === "postgres" || backend === "mysql" ? "url" : "path";
  const isFile = place === "path" && backend !== "memory";
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(isEmpty(connection_string) || backend === "memory" ? {} : { [place]: connection_string }),
    ...(typeof sqlite_dir === "string" && isFile ? { path: join(sqlite_dir, "deerflow.db") } : {}),
    ...known,
  };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

interface Place {
  readonly backend: Backend;
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly schema?: string | undefined;
}

interface PlaceProblem {
  readonly key: keyof Place;
  readonly problem: string;
}

/** What is wrong with where the data shall lie. Never quotes an address: it may hold a password. Pure. */
export function placeProblem({ backend, path, url, schema }: Place): PlaceProblem | undefined {
  const row = BACKEND_TABLE[backend];
  if (row.place !== "url" && url !== undefined) {
    if (backend === "sqlite" && backendOfUrl(url) === undefined)
      return { key: "url", problem: unknownServer() };
    const problem = `backend ${backend} has no server; set backend to postgres or mysql, or remove url`;
    return { key: "url", problem };
  }
  if (row.place === "url" && path !== undefined) {
    return { key: "path", problem: `backend ${backend} has no file; write its address as url` };
  }
  if (backend !== "postgres" && schema !== undefined) {
    return { key: "schema", problem: `only postgres has schemas; remove it, or set backend to postgres` };
  }
  if (row.place !== "url") return undefined;
  const problem = urlProblem(row, url);
  return problem === undefined ? undefined : { key: "url", problem };
}

function unknownServer(): string {
  const begins = BACKENDS.flatMap((backend) => BACKEND_TABLE[backend].schemes).map(
    (scheme) => `${scheme}://`,
  );
  return `it begins like the address of no known server, which are ${begins.join(", ")}; a file is written as path`;
}

function urlProblem({ schemes, named }: BackendRow, url: string | undefined): string | undefined {
  const example = `${schemes[0]}://user:password@host/database`;
  if (url === undefined) return `it is missing; write ${example}, or $NAME of a variable that holds it`;
  if (!schemes.includes(schemeOf(url))) {
    const wanted = schemes.map((scheme) => `${scheme}://`).join(" or ");
    return `it must begin with ${wanted}, as in ${example}`;
  }
  if (!URL.canParse(url)) {
    return `it is no address such as ${example}; in a password write # as %23, @ as %40, / as %2F and : as %3A`;
  }
  if (named && !/^\/[^/]+$/.test(new URL(url).pathname))
    return `it names no database; write it at its end, as in ${example}`;
  return undefined;
}

const place = {
  path: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The SQLite file, from the folder of this file on; :memory: and file: URLs too. Absent: data/deerflow.db under the home.",
    ),
  url: z
    .string()
    .min(1)
    .optional()
    .describe("The address of a server: postgres://user:password@host/database, or mysql://…; $NAME too."),
  schema: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/, "it must be a plain name of at most 63 characters")
    .optional()
    .describe("The PostgreSQL schema of the tables, made when absent. Absent: public."),
};

/** A thread's steps, for going back to: a client can ask for so many in one go. */
const STEPS_KEPT = 1000;

const retention = section({
  // A step costs what it changed and no more, so this bounds only what very long threads gather.
  keep_last: integer({ min: 0, fallback: STEPS_KEPT }).describe(
    "Newest checkpoints kept of a thread, beside those that forks and waiting calls stand on; 0: all.",
  ),
  // Whoever comes back after months expects the whole conversation.
  keep_days: integer({ min: 0, fallback: 0 }).describe(
    "Older checkpoints go, but never a thread's newest; 0: no age is too old.",
  ),
  every_minutes: integer({ min: 0, fallback: 60 }).describe("Minutes between two prunings; 0: never."),
  // Rewriting the file costs time and as much disk again, so it waits for a quiet day's worth of removals.
  compact_every_hours: integer({ min: 0, fallback: 24 }).describe(
    "Hours after which freed space goes back to the disk; 0: never.",
  ),
});

const refusing = (value: Place, context: z.RefinementCtx): void => {
  const found = placeProblem(value);
  if (found !== undefined)
    context.addIssue({ code: "custom", path: [found.key], message: found.problem, input: undefined });
};

export const databaseSection = z
  .preprocess(
    commonSpelling,
    z
      .strictObject({
        backend: z
          .enum(BACKENDS)
          .default("sqlite")
          .describe("sqlite, postgres, mysql (MariaDB too) or memory, which a restart empties."),
        ...place,
        retention: retention.describe("Which old checkpoints are removed in the background."),
      })
      .superRefine(refusing),
  )
  .prefault({});

export const storeOverride = z
  .preprocess(commonSpelling, z.strictObject({ backend: z.enum(BACKENDS), ...place }).superRefine(refusing))
  .optional();
