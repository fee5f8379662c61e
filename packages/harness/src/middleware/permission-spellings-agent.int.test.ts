/** The same calls as a model makes them, through an agent with the file tools. */
import { scaled } from "../testing/test-scale.js";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileBackend } from "../filesystem/contract.js";
import { FilesystemBackend } from "../filesystem/filesystem-backend.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { type AimedCall, aimedCall, CHANGES, LOOKS, tellsHidden } from "../testing/hidden-tool-calls.js";
import { HIDING, hiddenTexts, plantHidden, TARGETS_WITH_LINKS } from "../testing/hidden-world.js";
import { seededRandom } from "../testing/path-spellings.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import type { Dialect } from "../tools/dialects.js";
import { createFilesystemMiddleware } from "./filesystem.js";

const CALLS = scaled(200, 20);
const CALLS_A_TURN = 10;
const DIALECT_NAMES = ["deerflow", "deepagents"] as const satisfies readonly Dialect[];

/** First everything that looks, so that what is permitted to be made does not pass for forbidden. */
function script(dialect: Dialect): readonly AimedCall[] {
  const random = seededRandom(31);
  const looks = Math.round(CALLS * 0.7);
  return Array.from({ length: CALLS }, (_, at) => {
    const attempts = at < looks ? LOOKS : CHANGES;
    return aimedCall(attempts[at % attempts.length] ?? "list", dialect, TARGETS_WITH_LINKS, random);
  });
}

describe.each(DIALECT_NAMES)("an agent with the %s tools", (dialect) => {
  let host: string;
  let witness: FileBackend;
  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-hidden-"));
    witness = await plantHidden(join(host, "w"));
  });
  afterEach(() => rm(host, { recursive: true, force: true }));

  /** The calls whose answers told something, and what the agent answered to how many. */
  async function run(permissions: readonly FilesystemPermission[]) {
    const calls = script(dialect).map((call, at) => ({ ...call, args: { ...call.args }, id: `call-${at}` }));
    const turns = Array.from({ length: Math.ceil(calls.length / CALLS_A_TURN) }, (_, turn) => ({
      calls: calls.slice(turn * CALLS_A_TURN, (turn + 1) * CALLS_A_TURN),
    }));
    const backend = new FilesystemBackend({ rootDir: host });
    const agent = createAgent({
      model: new ScriptedModel([...turns, { text: "done" }]),
      middleware: [createFilesystemMiddleware({ backend, dialect, permissions })],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, { recursionLimit: 500 });
    const answers = new Map(
      messages.filter((message) => ToolMessage.isInstance(message)).map((each) => [each.tool_call_id, each]),
    );
    const told = calls.filter((call) => {
      const answer = answers.get(call.id);
      return answer !== undefined && tellsHidden(call, answer);
    });
    return { answered: answers.size, told };
  }

  it(`learns nothing of a forbidden file and changes none in ${CALLS} calls of one run`, async () => {
    const before = await hiddenTexts({ witness });
    const { answered, told } = await run(HIDING);
    expect(told).toEqual([]);
    expect(answered).toBe(CALLS);
    expect(await hiddenTexts({ witness })).toEqual(before);
  });

  it("learns of them in the same calls, and changes them, where there are no rules", async () => {
    const before = await hiddenTexts({ witness });
    const { answered, told } = await run([]);
    expect(told.length).toBeGreaterThan(CALLS / 10);
    expect(answered).toBe(CALLS);
    expect(await hiddenTexts({ witness })).not.toEqual(before);
  });
});
