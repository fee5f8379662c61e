/** What a dialect is made of: a face for each kind of tool, and numbers of its own. */
import type { GlobResult } from "../filesystem/glob.js";
import type { GrepResult } from "../filesystem/line-search.js";
import type { TreeListing } from "../filesystem/tree.js";
import type { DeleteRequest, DeleteResult } from "./delete-file.js";
import type { EditRequest, EditResult } from "./edit-file.js";
import type { AnyFace, ToolKind } from "./face.js";
import type { GlobRequest } from "./glob-files.js";
import type { GrepRequest } from "./grep-files.js";
import type { FileToolLimits } from "./limits.js";
import type { ListRequest } from "./list-files.js";
import type { ReadRequest, ReadResult } from "./read-file.js";
import type { CommandCall, CommandDone } from "./run-command.js";
import type { WriteRequest, WriteResult } from "./write-file.js";

export interface DialectFaces {
  readonly limits: FileToolLimits;
  /** Where an agent of this dialect works, unless its files say. */
  readonly workingDirectory: string;
  readonly faces: Faces;
}

export interface Faces extends Readonly<Record<ToolKind, { readonly name: string }>> {
  readonly list: AnyFace<ListRequest, TreeListing>;
  readonly read: AnyFace<ReadRequest, ReadResult>;
  readonly write: AnyFace<WriteRequest, WriteResult>;
  readonly edit: AnyFace<EditRequest, EditResult>;
  readonly delete: AnyFace<DeleteRequest, DeleteResult>;
  readonly glob: AnyFace<GlobRequest, GlobResult>;
  readonly grep: AnyFace<GrepRequest, GrepResult>;
  readonly execute: AnyFace<CommandCall, CommandDone>;
}
