/** Starts ripgrep, which sees the whole disk, and sandboxes, whose shell follows every link. */
import { describe } from "vitest";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import { hiddenFilesSuite } from "../testing/hidden-files-suite.js";
import { hiddenInSandbox, hiddenOnDisk } from "../testing/hidden-world.js";
import { scaled } from "../testing/test-scale.js";

hiddenFilesSuite("on a disk with links", hiddenOnDisk, {
  looks: scaled(1500, 20),
  changes: scaled(200, 20),
  searches: scaled(100, 20),
});

describe.runIf(await bubblewrapWorks())("where bubblewrap works", () => {
  hiddenFilesSuite("in a sandbox", hiddenInSandbox, {
    looks: scaled(100, 8),
    changes: scaled(50, 3),
    searches: scaled(20, 4),
  });
});
