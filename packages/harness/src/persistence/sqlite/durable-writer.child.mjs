/**
 * Writes checkpoints, task writes and events until it has done `steps` of them or is killed, and says on its
 * standard output what was acknowledged. Arguments: folder of the compiled harness, database, own name, steps.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HumanMessage } from "@langchain/core/messages";

const [compiled, path, name, steps] = process.argv.slice(2);
const { openPersistence } = await import(pathToFileURL(`${compiled}/persistence/open-persistence.js`).href);
const persistence = await openPersistence({ backend: "sqlite", path });
const principal = { tenantId: "local", userId: "local" };
const saver = persistence.checkpointer(principal);
/** Written at once, so that a kill cannot keep back what was said before it. */
const say = (fact) => writeSync(1, `${JSON.stringify(fact)}\n`);

say({ kind: "ready" });
const shared = { configurable: { thread_id: "shared", checkpoint_ns: "", checkpoint_id: "1" } };
const messages = [];
let config = { configurable: { thread_id: name, checkpoint_ns: "" } };
for (let step = 1; step <= Number(steps); step += 1) {
  messages.push(new HumanMessage({ id: `${name}-${step}`, content: `${name} ${step} `.repeat(100) }));
  const checkpoint = {
    v: 4,
    id: String(step).padStart(8, "0"),
    ts: "",
    channel_values: { messages: [...messages], step },
    channel_versions: { messages: step, step },
    versions_seen: {},
  };
  const metadata = { source: "loop", step, parents: {} };
  config = await saver.put(config, checkpoint, metadata, { messages: step, step });
  say({ kind: "put", step });
  const write = async (task) => {
    await saver.putWrites(config, [["messages", [messages.at(-1)]]], task, task);
    say({ kind: "write", step, task });
  };
  const note = async () => {
    await saver.putWrites(shared, [["messages", [messages.at(-1)]]], `${name}-${step}`);
    const event = { runId: name, eventType: "step", content: { step } };
    const seq = await persistence.events.append(principal, "shared", [event]);
    say({ kind: "shared", step, seq });
  };
  await Promise.all([write("a"), write("b"), note()]);
}
await persistence.close();
say({ kind: "done" });
