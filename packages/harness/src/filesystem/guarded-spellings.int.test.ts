/** Starts ripgrep, which sees the whole disk: what it finds must be filtered. */
import { hiddenFilesSuite } from "../testing/hidden-files-suite.js";
import { hiddenOnDisk } from "../testing/hidden-world.js";

const SCALE = Number(process.env["DEERFLOW_TEST_SCALE"] ?? "1");
const times = (full: number): number => Math.max(20, Math.round(full * SCALE));

hiddenFilesSuite("on a disk with links", hiddenOnDisk, {
  looks: times(1500),
  changes: times(200),
  searches: times(100),
});
