/** Serves a database until it is killed, and says on its standard output what happened. Arguments: folder of the compiled harness, database. */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [compiled, path] = process.argv.slice(2);
const { takeServeLock } = await import(pathToFileURL(`${compiled}/persistence/sqlite/serve-lock.js`).href);
try {
  const lock = await takeServeLock(path);
  lock.announce("http://127.0.0.1:1");
  writeSync(1, "serving\n");
  setInterval(() => undefined, 60_000);
} catch (error) {
  writeSync(1, `${error.code} ${error.details?.owner}\n`);
}
