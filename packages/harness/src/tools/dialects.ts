/** The dialects: what the file and shell tools are called and how they speak. Gates and audit know operations only. */
import { deepagents } from "./deepagents/dialect.js";
import { deerflow } from "./deerflow/dialect.js";
import type { DialectFaces } from "./dialect-faces.js";

export const DIALECTS = { deerflow, deepagents } as const satisfies Record<string, DialectFaces>;

export type Dialect = keyof typeof DIALECTS;
