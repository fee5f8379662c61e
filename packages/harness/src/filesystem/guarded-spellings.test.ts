import { hiddenFilesSuite } from "../testing/hidden-files-suite.js";
import { hiddenInMemory } from "../testing/hidden-world.js";

const COUNTS = { looks: 500, changes: 100, searches: 40 };

hiddenFilesSuite("in memory", () => hiddenInMemory({}), COUNTS);
hiddenFilesSuite("in memory that folds case", () => hiddenInMemory({ foldsCase: true }), COUNTS);
hiddenFilesSuite("in memory that composes names", () => hiddenInMemory({ normalises: true }), COUNTS);
