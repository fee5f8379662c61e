import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { configSchema } from "../config/schema.js";
import { createAgentGraph } from "../graph/create-agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { MEDIA_PATH_KEY, MEDIA_RESULT_KEY } from "./media-messages.js";
import { DEFAULT_RECENT_MEDIA, olderMedia, recentMedia, type RecentMediaLimits } from "./recent-media.js";

const image = (bytes = 4) => ({ type: "image", mimeType: "image/png", data: "A".repeat(bytes) });
const asked = (id: string) =>
  new AIMessage({ content: "", tool_calls: [{ id, name: "read_file", args: {} }] });
const shown = (id: string, ...content: object[]) =>
  new ToolMessage({
    tool_call_id: id,
    additional_kwargs: { [MEDIA_PATH_KEY]: `/mnt/user-data/uploads/${id}.png` },
    content: content as never, // any block may stand in a content
  });
/** A conversation in which each round shows one image. */
const rounds = (count: number, bytes?: number): BaseMessage[] =>
  Array.from({ length: count }, (_, index) => [asked(`c${index}`), shown(`c${index}`, image(bytes))]).flat();

const left = (messages: readonly BaseMessage[], limits: Partial<RecentMediaLimits>) =>
  olderMedia(messages, { maxImages: 0, maxBytes: 0, ...limits }, () => true);

describe("the media that a request leaves out", () => {
  it("are none as long as all fit", () => {
    expect(left(rounds(10), { maxImages: 10 }).size).toBe(0);
    expect(left(rounds(50), {}).size).toBe(0);
  });

  it("are the oldest, cut down to half at once, so that many calls in a row begin alike", () => {
    const counts = Array.from({ length: 25 }, (_, index) => left(rounds(index + 1), { maxImages: 10 }).size);
    expect(counts).toEqual([
      ...Array(10).fill(0),
      ...Array(6).fill(6),
      ...Array(6).fill(12),
      ...Array(3).fill(18),
    ]);
  });

  it("are the same without a configuration as with one that says nothing", () => {
    const { max_images: maxImages, max_bytes: maxBytes } = configSchema.parse({}).media;
    expect({ maxImages, maxBytes }).toEqual(DEFAULT_RECENT_MEDIA);
  });

  it("are counted in bytes too", () => {
    expect([...left(rounds(5, 300), { maxBytes: 1000 })]).toEqual(["1.0", "3.0", "5.0"]);
  });

  it("never come back as the conversation goes on, whatever it shows", () => {
    const round = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 30 }), (sizes) => {
        const messages = sizes.flatMap((images, index) => [
          asked(`c${index}`),
          shown(`c${index}`, ...images.map(image)),
        ]);
        let before: ReadonlySet<string> = new Set();
        for (let end = 2; end <= messages.length; end += 2) {
          const now = left(messages.slice(0, end), { maxImages: 5, maxBytes: 1800 });
          expect([...before].filter((place) => !now.has(place))).toEqual([]);
          before = now;
        }
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it("are not what the model has not seen yet, unless no provider would take it", () => {
    const many = (count: number) => shown("v", ...Array.from({ length: count }, () => image()));
    expect([...left([...rounds(2), asked("v"), many(64)], { maxImages: 20 })]).toEqual(["1.0", "3.0"]);
    expect(left([asked("v"), many(120)], { maxImages: 20 }).size).toBe(20);
    const heavy = shown("v", image(600), image(600));
    expect([...left([asked("v"), heavy], { maxBytes: 1000 })]).toEqual(["1.0"]);
  });

  it("are never those that the model does not take anyway, nor such that only have an address counted as bytes", () => {
    expect(olderMedia(rounds(9), { maxImages: 2, maxBytes: 0 }, () => false).size).toBe(0);
    const far = { type: "image", url: `https://x.test/${"a".repeat(2000)}` };
    expect(left([shown("c", far)], { maxBytes: 1000 }).size).toBe(0);
  });
});

const look = tool(({ n }) => [image(n)], {
  name: "look",
  schema: z.object({ n: z.number() }),
  responseFormat: "content",
});

describe.each([
  { name: "a plain createAgent", create: createAgent },
  { name: "our own graph", create: createAgentGraph },
])("recent-media in $name", ({ create }) => {
  const run = async (messages: BaseMessage[], limits: Partial<RecentMediaLimits>, tools = [look]) => {
    const model = new ScriptedModel([{ text: "seen" }]);
    const middleware = [recentMedia({ maxImages: 0, maxBytes: 0, ...limits })];
    const given = { model, tools, middleware, checkpointer: new MemorySaver() };
    // The cast is sound: both factories take these options; a union of functions is not callable as it stands.
    const agent = (create as typeof createAgentGraph)(given);
    const state = await agent.invoke({ messages }, { configurable: { thread_id: "t" } });
    return { state: state.messages as BaseMessage[], sent: model.calls.at(-1)?.messages ?? [] };
  };

  it("says which file was left out, and leaves the state as it was", async () => {
    const reader = Object.assign(
      tool(() => "", { name: "read_file", schema: z.object({}) }),
      {
        metadata: { operation: "read" },
      },
    );
    const { state, sent } = await run(rounds(3), { maxImages: 2 }, [reader as never]);
    expect(sent.map(({ text }) => text).filter((text) => text !== "")).toEqual(
      ["c0", "c1"].map(
        (name) =>
          `[The image /mnt/user-data/uploads/${name}.png (image/png) was shown here and is left out now, to keep the request small. Call read_file on it to see it again.]`,
      ),
    );
    expect(
      sent
        .flatMap(({ content }) => (typeof content === "string" ? [] : content))
        .filter(({ type }) => type === "image"),
    ).toHaveLength(1);
    expect(JSON.stringify(state.map(({ content }) => content))).not.toContain("left out");
  });

  it("names the file of many frames once, and tells to ask for what lies in no file", async () => {
    const frames = new HumanMessage({
      content: [{ type: "text", text: "Frames:" }, image(), image(), image()] as never, // any block may stand here
      additional_kwargs: { [MEDIA_RESULT_KEY]: true, [MEDIA_PATH_KEY]: "/a.mp4" },
    });
    const pasted = new HumanMessage({ content: [image()] as never }); // as above
    const { sent } = await run([frames, new AIMessage("ok"), pasted, new AIMessage("ok"), ...rounds(1)], {
      maxImages: 1,
    });
    expect(sent[0]?.content).toEqual([
      { type: "text", text: "Frames:" },
      { type: "text", text: expect.stringMatching(/^\[The image \/a\.mp4 .*small\.\]$/) },
    ]);
    expect(sent[2]?.text).toMatch(/^\[The image \(image\/png\) .* Ask for it if it is needed again\.\]$/);
  });
});
