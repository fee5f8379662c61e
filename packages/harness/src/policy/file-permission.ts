/** Path rules for file tools: what may be read or written, and what a person must allow first. */

/** What a rule speaks of: reading is ls, read, glob and grep; writing is write, edit and delete. */
export type PermissionOperation = "read" | "write";
export type PermissionMode = "allow" | "deny" | "interrupt";

/** One rule. The first rule whose operation and any path match decides; without one, everything is allowed. */
export interface FilesystemPermission {
  readonly operations: readonly PermissionOperation[];
  /**
   * Absolute glob patterns: braces, `**`, `?`, `[ab]`, `[!a]`; names with a leading dot are matched, and a backslash
   * takes its meaning from the next character. `/x/**` covers `/x` too (for deny and interrupt). A leading `~` is the
   * home of the sandbox.
   */
  readonly paths: readonly string[];
  /** Default `allow`. */
  readonly mode?: PermissionMode;
}
