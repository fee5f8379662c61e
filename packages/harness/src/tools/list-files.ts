/** Listing a folder. */
import { listTree, type TreeListing } from "../filesystem/tree.js";
import type { Perform } from "./face.js";

export interface ListRequest {
  readonly path: string;
  /** How many levels below the folder. */
  readonly depth: number;
}

/** @throws DeerflowError `path_not_found`, `not_a_directory`, `path_denied` */
export const listFiles: Perform<ListRequest, TreeListing> = ({ path, depth }, { files }) =>
  listTree(files, path, depth);
