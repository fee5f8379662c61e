/** Where an entry of an archive may lie. */
import { segmentsOf } from "../../base/virtual-path.js";
import { isTemporaryName } from "../disk-write.js";

const MAX_NAME_BYTES = 255;
/** Deeper folders no search reaches; and each level of each entry is a folder that has to be made. */
const MAX_DEPTH = 50;

/** Why a name is refused, in the order in which the reasons are looked for; each follows the name in a sentence. */
const FAULTS: readonly { readonly applies: (name: string) => boolean; readonly fault: string }[] = [
  { applies: (name) => /\p{Cc}/u.test(name), fault: "has a control character in its name" },
  { applies: (name) => /[\p{Surrogate}\uFFFD]/u.test(name), fault: "has a name that is not valid UTF-8" },
  { applies: (name) => name.includes("\\"), fault: "has a backslash in its name" },
  { applies: (name) => name.startsWith("/"), fault: "is an absolute path" },
  { applies: (name) => /^[A-Za-z]:/.test(name), fault: "begins with a drive letter" },
  { applies: (name) => name.split("/").includes(".."), fault: "leads out of the folder" },
  {
    applies: (name) => name.split("/").some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES),
    fault: "has a name that is too long",
  },
  {
    applies: (name) => segmentsOf(name).length > MAX_DEPTH,
    fault: `lies more than ${MAX_DEPTH} folders deep`,
  },
  {
    applies: (name) => segmentsOf(name).some(isTemporaryName),
    fault: "has a name that is kept for files that are being written",
  },
];

/** What speaks against a name; undefined for one that leads to a place below the folder. Pure. */
export const faultOfName = (name: string): string | undefined =>
  FAULTS.find((row) => row.applies(name))?.fault;
