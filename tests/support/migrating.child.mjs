/** Moves checkpoints until it is done or killed. Arguments: folder of the compiled harness, options as JSON. */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [compiled, options] = process.argv.slice(2);
const { migrateCheckpoints } = await import(
  pathToFileURL(`${compiled}/persistence/migration/migrate-checkpoints.js`).href
);
writeSync(1, "ready\n");
await migrateCheckpoints(JSON.parse(options));
