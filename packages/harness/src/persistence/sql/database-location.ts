/** Which database, and where. */

/** `memory` is SQLite in this process only: gone when it ends. */
export type DatabaseLocation =
  | {
      readonly backend: "sqlite";
      /** A path, `:memory:` or a `file:` URL. */
      readonly path: string;
    }
  | { readonly backend: "memory" }
  | {
      readonly backend: "postgres";
      readonly url: string;
      /** The schema that holds the tables; made when absent. `public` by default. */
      readonly schema?: string;
    }
  | {
      readonly backend: "mysql";
      /** Its path names the database, which is made when absent. */
      readonly url: string;
    };
