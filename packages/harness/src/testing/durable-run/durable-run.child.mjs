/**
 * Runs durable runs beside each other until it is killed, and says on its standard output which have begun and what
 * its saver acknowledged. Begins when something comes on its standard input.
 * Arguments: folder of the compiled harness, location of the database as JSON, beginning of the thread ids.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [compiled, location, name] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${compiled}/${file}`).href);
const { openSaver } = await load("testing/durable-run/open-saver.js");
const { acknowledging } = await load("testing/durable-run/acknowledged-writes.js");
const { durableGraph, runToEnd } = await load("testing/durable-run/durable-run.js");
/** Written at once, so that a kill cannot keep back what was said before it. */
const say = (fact) => writeSync(1, `${JSON.stringify(fact)}\n`);

const { saver } = await openSaver(JSON.parse(location));
const graph = durableGraph(acknowledging(saver, say));
say({ kind: "ready" });
await once(process.stdin, "data");
const runEver = async (durability) => {
  for (let run = 0; ; run += 1) {
    const threadId = `${name}-${durability}-${run}`;
    say({ kind: "begun", threadId });
    await runToEnd(graph, threadId, durability);
  }
};
await Promise.all(["sync", "async"].map(runEver));
