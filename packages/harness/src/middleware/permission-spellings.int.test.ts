/** No spelling of a path leads a file tool to what is forbidden: every tool, both dialects, every backend. */
import { ToolMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "langchain";
import { describe, expect, it } from "vitest";
import { guardFiles } from "../filesystem/guarded-backend.js";
import type { FilesystemPermission } from "../policy/file-permission.js";
import { PermissionRules } from "../policy/permission-rules.js";
import { bubblewrapWorks } from "../testing/bubblewrap-works.js";
import {
  type AimedCall,
  aimedCall,
  type Attempt,
  CHANGES,
  LOOKS,
  tellsHidden,
} from "../testing/hidden-tool-calls.js";
import {
  allHiddenTexts,
  SANDBOXED,
  type ToolWorld,
  type ToolWorlds,
  WORLDS,
} from "../testing/hidden-tool-worlds.js";
import { HIDING } from "../testing/hidden-world.js";
import { picked, seededRandom, type Random } from "../testing/path-spellings.js";
import { scaled } from "../testing/test-scale.js";
import type { Dialect } from "../tools/dialects.js";
import { TOOL_KINDS } from "../tools/face.js";
import { createFileTools } from "../tools/file-tools.js";

const DIALECT_NAMES = ["deerflow", "deepagents"] as const satisfies readonly Dialect[];
const ATTEMPTS: readonly Attempt[] = LOOKS.flatMap((look, at) => [look, CHANGES[at] ?? look]);

/** The rules that hide, for one operation only or for both. */
const FORBIDDING = {
  all: HIDING,
  reading: HIDING.map((rule) => ({ ...rule, operations: ["read"] as const })),
  writing: HIDING.map((rule) => ({ ...rule, operations: ["write"] as const })),
};
type Forbidding = keyof typeof FORBIDDING;

/** The tools that an agent with these rules has, but no shell. */
function toolsOf({ files }: ToolWorld, dialect: Dialect, rules: readonly FilesystemPermission[]) {
  const kinds = TOOL_KINDS.filter((kind) => kind !== "execute");
  const tools = createFileTools({ files: guardFiles(files, new PermissionRules(rules)), dialect, kinds });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

async function answerTo(
  { name, args }: AimedCall,
  tools: ReadonlyMap<string, DynamicStructuredTool>,
): Promise<ToolMessage> {
  const answer: unknown = await tools.get(name)?.invoke({ type: "tool_call", id: "call", name, args });
  if (ToolMessage.isInstance(answer)) return answer;
  throw new Error(`${name} gave no message`);
}

/** What one call did with rules, and the same call without. */
interface Tried {
  readonly attempt: Attempt;
  readonly call: AimedCall;
  readonly forbidding: Forbidding;
  readonly answer: string;
  readonly isBroken: boolean;
  /** The tool did not foresee what happened. */
  readonly isFault: boolean;
  readonly isReachedWithout: boolean;
}

interface Trial {
  readonly dialect: Dialect;
  readonly attempt: Attempt;
  readonly random: Random;
}

async function tryOnce(world: ToolWorld, { dialect, attempt, random }: Trial): Promise<Tried> {
  const isLook = LOOKS.some((look) => look === attempt);
  const forbidding = picked<Forbidding>(isLook ? ["all", "reading"] : ["all", "reading", "writing"], random);
  const call = aimedCall(attempt, dialect, world.targets, random);
  const before = await allHiddenTexts(world);
  const answer = await answerTo(call, toolsOf(world, dialect, FORBIDDING[forbidding]));
  const after = await allHiddenTexts(world);
  const isTold = tellsHidden(call, answer);
  const isChanged = (texts: readonly unknown[]) => JSON.stringify(texts) !== JSON.stringify(before);
  const open = await answerTo(call, toolsOf(world, dialect, []));
  return {
    attempt,
    call,
    forbidding,
    answer: answer.text,
    isBroken: (forbidding !== "writing" && isTold) || (forbidding !== "reading" && isChanged(after)),
    isFault: answer.artifact?.code === "file_tool_failed",
    isReachedWithout: isLook ? tellsHidden(call, open) : isChanged(await allHiddenTexts(world)),
  };
}

/** Each change finds the world as it was made. */
async function tryAll(
  worlds: ToolWorlds,
  dialect: Dialect,
  count: number,
  seed: number,
): Promise<readonly Tried[]> {
  const random = seededRandom(seed);
  const tried: Tried[] = [];
  let world: ToolWorld | undefined;
  try {
    for (let at = 0; at < count; at += 1) {
      const attempt = ATTEMPTS[at % ATTEMPTS.length] ?? "list";
      world ??= await worlds.open();
      tried.push(await tryOnce(world, { dialect, attempt, random }));
      if (LOOKS.some((look) => look === attempt)) continue;
      await world.close();
      world = undefined;
    }
  } finally {
    await world?.close();
  }
  return tried;
}

/** Milliseconds. */
const limitFor = (count: number): number => 60_000 + count * 15_000;

/** With so many calls each tool is known to reach something where there are no rules. */
const ENOUGH = 100;

function spellingsOf(name: string, worlds: ToolWorlds, count: number, seed: number): void {
  describe.each(DIALECT_NAMES)(`the %s tools over ${name}`, (dialect) => {
    it(
      `tell nothing of a forbidden file and leave it as it is in ${count} calls, many of which reach it without rules`,
      async () => {
        const tried = await worlds.within(() => tryAll(worlds, dialect, count, seed));
        expect(tried.filter(({ isBroken, isFault }) => isBroken || isFault)).toEqual([]);
        const reached = tried.filter(({ isReachedWithout }) => isReachedWithout);
        // The seed decides; with few calls it may have aimed at little that can be reached.
        expect(reached.length).toBeGreaterThan(count < ENOUGH ? 0 : count / 10);
        const inVain = ATTEMPTS.filter((each) => !reached.some(({ attempt }) => attempt === each));
        expect(count < ENOUGH ? [] : inVain).toEqual([]);
      },
      limitFor(count),
    );
  });
}

for (const [at, [name, worlds]] of Object.entries(WORLDS).entries())
  spellingsOf(name, worlds, scaled(300, 24), at);

describe.runIf(await bubblewrapWorks())("where bubblewrap works", () => {
  spellingsOf("a sandbox", SANDBOXED, scaled(16, 10), 99);
});
