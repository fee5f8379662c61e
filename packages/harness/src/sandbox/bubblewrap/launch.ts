/** What is spawned in the end: bubblewrap, and around it whatever has to run first. */

import type { Feed } from "../run-process.js";

/** A program with its arguments, and what it finds under descriptors 3, 4, … */
export interface Launch {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly feeds: readonly Feed[];
}

/**
 * Makes another program start this one. It may add feeds at the end, never move those that are there. It must end by
 * becoming the program (`exec`) or be a bubblewrap: the tree is ended at the first child of what is spawned.
 */
export type Wrapper = (inner: Launch) => Launch;

/** `program` inside the wrappers, the first of which is the outermost. Pure. */
export const launchOf = (program: Launch, wrappers: readonly Wrapper[]): Launch =>
  wrappers.reduceRight((inner, wrap) => wrap(inner), program);
