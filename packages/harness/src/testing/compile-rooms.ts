import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = fileURLToPath(new URL("../", import.meta.url));
/** Inside the package, so that its dependencies are found from there. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** A folder for a suite's own copy of the harness, which the suite removes at its end. */
export const compiledFolder = (suite: string): string => join(CACHE, `${suite}-${process.pid}`);

/** Puts rooms of the harness there as JavaScript, for processes that do not go through the test runner. */
export function compileRooms(rooms: readonly string[], folder: string): void {
  for (const room of rooms) compileRoom(room, folder);
}

function compileRoom(room: string, folder: string): void {
  for (const entry of readdirSync(join(SOURCES, room), { recursive: true, encoding: "utf8" })) {
    if (!entry.endsWith(".ts") || entry.includes(".test")) continue;
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCES, room, entry), "utf8"), {
      compilerOptions: options,
    });
    const target = join(folder, room, entry.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
}
