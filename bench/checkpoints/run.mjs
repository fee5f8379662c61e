/**
 * One run of an agent's graph on one saver, in a process of its own. Arguments: saver, steps, image bytes, place.
 * Prints one line of JSON: bytes stored, and milliseconds of this process's CPU.
 */
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

const [, , name, stepsText, imageBytes, place] = process.argv;
const steps = Number(stepsText);
const WARM_UP_STEPS = 5;
const oracles = createRequire(new URL("../../tests/oracles/package.json", import.meta.url));
const ours = await import("../../packages/harness/dist/persistence/index.js");

/** Text that does not repeat itself. */
function textOf(seed, length) {
  let state = seed + 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

function imageOf(length) {
  const bytes = Buffer.alloc(length);
  let state = 7;
  for (let at = 0; at < length; at += 1) {
    state = (state * 48_271) % 2_147_483_647;
    bytes[at] = state >> 8;
  }
  return bytes.toString("base64");
}

const postgresUrl = process.env.DEERFLOW_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const mysqlUrl = process.env.DEERFLOW_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/";

/** The sum of the lengths of all columns. */
async function columnBytes(query, tables, place) {
  let sum = 0;
  for (const table of tables) {
    const columns = await query(
      `SELECT column_name AS name, data_type AS type FROM information_schema.columns
        WHERE table_schema = '${place}' AND table_name = '${table}'`,
    );
    const lengthOf = ({ name, type }) =>
      query.backend === "mysql" || type === "bytea" ? `octet_length(${name})` : `octet_length(${name}::text)`;
    const lengths = columns.map((column) => `coalesce(${lengthOf(column)}, 0)`).join(" + ");
    const [row] = await query(`SELECT coalesce(sum(${lengths}), 0) AS n FROM ${place}.${table}`);
    sum += Number(row.n);
  }
  return sum;
}

async function postgresQuery() {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const query = async (sql) => (await client.query(sql)).rows;
  return Object.assign(query, { backend: "postgres", end: () => client.end() });
}

async function mysqlQuery(place) {
  const { createConnection } = await import("mysql2/promise");
  const client = await createConnection(`${mysqlUrl}${place}`);
  const query = async (sql) => (await client.query(sql))[0];
  return Object.assign(query, { backend: "mysql", end: () => client.end() });
}

const OUR_TABLES = [
  "checkpoint_threads",
  "checkpoints",
  "checkpoint_values",
  "checkpoint_writes",
  "checkpoint_messages",
  "checkpoint_parts",
];

const SAVERS = {
  none: () => ({ saver: undefined, close: async () => undefined, bytes: async () => 0 }),
  "ours-sqlite": async (place) => {
    const saver = ours.SqliteCheckpointSaver.fromPath(place);
    await saver.setup();
    const empty = statSync(place).size;
    return { saver, close: () => saver.close(), bytes: async () => statSync(place).size - empty };
  },
  "official-sqlite": async (place) => {
    const { SqliteSaver } = oracles("@langchain/langgraph-checkpoint-sqlite");
    const saver = SqliteSaver.fromConnString(place);
    const close = async () => {
      saver.db.pragma("wal_checkpoint(TRUNCATE)");
      saver.db.close();
    };
    return { saver, close, bytes: async () => statSync(place).size };
  },
  "ours-postgres": async (place) => {
    const saver = ours.PostgresCheckpointSaver.fromConnString(postgresUrl, { schema: place });
    await saver.setup();
    return { saver, close: () => saver.close(), bytes: () => bytesOf(postgresQuery, OUR_TABLES, place) };
  },
  "official-postgres": async (place) => {
    const { PostgresSaver } = oracles("@langchain/langgraph-checkpoint-postgres");
    const saver = PostgresSaver.fromConnString(postgresUrl, { schema: place });
    await saver.setup();
    const tables = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];
    return { saver, close: () => saver.end(), bytes: () => bytesOf(postgresQuery, tables, place) };
  },
  "ours-mysql": async (place) => {
    const saver = ours.MySqlCheckpointSaver.fromConnString(`${mysqlUrl}${place}`);
    await saver.setup();
    return { saver, close: () => saver.close(), bytes: () => bytesOf(mysqlQuery, OUR_TABLES, place) };
  },
};

async function bytesOf(connect, tables, place) {
  const query = await connect(place);
  const bytes = await columnBytes(query, tables, place);
  await query(query.backend === "mysql" ? `DROP DATABASE ${place}` : `DROP SCHEMA ${place} CASCADE`);
  await query.end();
  return bytes;
}

const picture = Number(imageBytes) > 0 ? imageOf(Number(imageBytes)) : undefined;
const question = new HumanMessage({
  id: "q",
  content: picture
    ? [
        { type: "text", text: "go" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
      ]
    : "go",
});

const graphOf = (checkpointer, rounds) =>
  new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => {
      const round = (messages.length - 1) / 2;
      const tool_calls = [{ id: `c${round}`, name: "look", args: { round }, type: "tool_call" }];
      const more = round < rounds - 1;
      return {
        messages: [
          new AIMessage({
            id: `ai${round}`,
            content: textOf(round, 2_000),
            tool_calls: more ? tool_calls : [],
          }),
        ],
      };
    })
    .addNode("tools", ({ messages }) => {
      const [call] = messages.at(-1).tool_calls;
      return {
        messages: [
          new ToolMessage({
            id: `r${call.id}`,
            content: textOf(Number(call.args.round) + 9_999, 2_000),
            tool_call_id: call.id,
          }),
        ],
      };
    })
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) =>
      messages.at(-1).tool_calls.length > 0 ? "tools" : "__end__",
    )
    .addEdge("tools", "model")
    .compile({ checkpointer });

const start = ({ saver }, rounds) =>
  graphOf(saver, rounds).invoke(
    { messages: [question] },
    { configurable: { thread_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7" }, recursionLimit: 10_000 },
  );

/** A short run on a place of its own: a program that has just begun spends its time on loading code. */
async function warmUp() {
  const warm = await SAVERS[name](`${place}_w`);
  await start(warm, WARM_UP_STEPS);
  await warm.close();
  await warm.bytes();
}

await warmUp();
const measured = await SAVERS[name](place);
const before = process.cpuUsage();
const started = performance.now();
const { messages } = await start(measured, steps);
const cpu = process.cpuUsage(before);
const wall = performance.now() - started;
await measured.close();
const content = messages.reduce((sum, message) => sum + JSON.stringify(message.toDict()).length, 0);
const result = {
  bytes: await measured.bytes(),
  content,
  cpuMs: (cpu.user + cpu.system) / 1000,
  wallMs: wall,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);
