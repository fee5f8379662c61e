/** What a configured place of an SQLite database means: a path, `:memory:`, or a `file:` URL. */
import { resolve } from "node:path";
import { DeerflowError } from "../../base/errors.js";
import { IN_MEMORY } from "./sqlite-connection.js";

export interface SqlitePlace {
  /** Absolute, or `:memory:`. */
  readonly path: string;
  /** Whether a file that is not there may be made. */
  readonly create: boolean;
}

/**
 * Parameters of a `file:` URL (https://www.sqlite.org/uri.html) that mean something here. Any other one changes how
 * SQLite locks or trusts the file, so it is refused and not ignored.
 */
const PARAMETERS: ReadonlyMap<string, Partial<SqlitePlace>> = new Map([
  ["mode=rwc", {}],
  ["mode=rw", { create: false }],
  ["mode=memory", { path: IN_MEMORY }],
  // A process has one connection to a file, so there is nobody to share a cache with.
  ["cache=private", {}],
  ["cache=shared", {}],
]);

const FILE_URL = /^file:(?:\/\/(?<host>[^/?#]*))?(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?<fragment>#.*)?$/is;

const unusable = (path: string, reason: string) =>
  new DeerflowError("database_path_invalid", { path, reason });

/**
 * Relative paths count from the working directory. Pure.
 * @throws DeerflowError `database_path_invalid`
 */
export function sqlitePlace(place: string): SqlitePlace {
  if (place === IN_MEMORY) return { path: IN_MEMORY, create: true };
  if (!/^file:/i.test(place)) return { path: resolve(plain(place, place)), create: true };
  const { host = "", path = "", query = "", fragment } = FILE_URL.exec(place)?.groups ?? {};
  if (host !== "" && host.toLowerCase() !== "localhost") {
    throw unusable(place, `it names the host ${host}, and a file is read on this machine only`);
  }
  if (fragment !== undefined) throw unusable(place, "a # in a file name is written as %23");
  const file = plain(decoded(path, place), place);
  const base = { path: file === IN_MEMORY ? IN_MEMORY : resolve(file), create: true };
  return parametersOf(query, place).reduce<SqlitePlace>((all, each) => ({ ...all, ...each }), base);
}

function plain(path: string, place: string): string {
  if (path === "") throw unusable(place, "it names no file");
  if (path.includes("\0")) throw unusable(place, "a file name cannot hold a zero byte");
  return path;
}

function decoded(text: string, place: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    const reason = "a % in a file name is written as %25";
    throw new DeerflowError("database_path_invalid", { path: place, reason }, error);
  }
}

function parametersOf(query: string, place: string): Partial<SqlitePlace>[] {
  return [...new URLSearchParams(query)].map(([name, value]) => {
    const meaning = PARAMETERS.get(`${name}=${value}`);
    if (meaning !== undefined) return meaning;
    if (name === "mode" && value === "ro") throw unusable(place, "mode=ro cannot be: it is written to");
    throw unusable(place, `${name}=${value} is not among ${[...PARAMETERS.keys()].join(", ")}`);
  });
}
