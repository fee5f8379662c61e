/** What reading the address of any database server needs; errors never show the address, which may hold a password. */
import { readFileSync } from "node:fs";
import { DeerflowError, reasonOf } from "../../base/errors.js";

export interface AddressReader {
  /** The error for an address that is not right. */
  wrong(reason: string): DeerflowError;
  /** @throws DeerflowError `database_address_invalid` */
  parse(text: string): URL;
  /** Part of an address without its escapes. @throws DeerflowError `database_address_invalid` */
  decoded(part: string): string;
  /** The content of the file that a parameter names. @throws DeerflowError `database_address_invalid` */
  fileOf(parameters: URLSearchParams, name: string): string | undefined;
}

/** @param example - an address as it should be, for the errors */
export function addressReader(example: string): AddressReader {
  const wrong = (reason: string) => new DeerflowError("database_address_invalid", { reason, example });
  return {
    wrong,
    parse(text) {
      try {
        return new URL(text);
      } catch {
        // The parser's own error holds the whole text, and so the password.
        throw wrong("it is not a URL");
      }
    },
    decoded(part) {
      try {
        return decodeURIComponent(part);
      } catch {
        throw wrong("a % in it is not followed by two hexadecimal digits");
      }
    },
    fileOf(parameters, name) {
      const path = parameters.get(name);
      if (path === null) return undefined;
      try {
        return readFileSync(path, "utf8");
      } catch (error) {
        throw wrong(`its ${name} cannot be read: ${reasonOf(error)}`);
      }
    },
  };
}
