// Opens the database at the URL in its third argument, with the copy of the harness in the second; says so.
import { pathToFileURL } from "node:url";

const [, , folder, url] = process.argv;
const { openMysql } = await import(pathToFileURL(`${folder}/persistence/mysql/open-mysql.js`).href);
process.stdout.write("opening\n");
const database = await openMysql({ backend: "mysql", url });
process.stdout.write("opened\n");
await database.close();
