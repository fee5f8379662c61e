/**
 * Appends numbered lines to `/log`, each by an edit of its own, until it has done `rounds` of them or is killed, and
 * says on its standard output what was acknowledged. Arguments: folder of the compiled harness, root, own name, rounds.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [compiled, rootDir, name, rounds] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${compiled}/filesystem/${file}.js`).href);
const { FilesystemBackend } = await load("filesystem-backend");
const { changeFile } = await load("change-file");
const files = new FilesystemBackend({ rootDir });
/** Written at once, so that a kill cannot keep back what was said before it. */
const say = (fact) => writeSync(1, `${JSON.stringify(fact)}\n`);

const append = (line) =>
  changeFile(files, "/log", (content) => ({
    bytes: Buffer.concat([content?.bytes ?? Buffer.alloc(0), Buffer.from(line)]),
    told: undefined,
  }));

/** False when other writers never let it through: refused, so not lost. A model would read again and repeat it. */
const isAppended = (line) =>
  append(line).then(
    () => true,
    (error) => {
      if (error.code === "file_changed") return false;
      throw error;
    },
  );

for (let round = 1; round <= Number(rounds); round += 1) {
  while (!(await isAppended(`${name} ${round}\n`))) say({ kind: "refused", round });
  say({ kind: "done", round });
}
