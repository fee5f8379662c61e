import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.js";
import { RETRY_PAUSES_MS, SILENCE_LIMIT_MS, streamFrames, type FrameSource } from "./event-source.js";
import { GatewayError } from "./gateway-error.js";

/** A clock that stands still for the watch on silence and skips every pause. */
const pauses: number[] = [];
const skipping: Clock = {
  after(milliseconds, call) {
    if (milliseconds === SILENCE_LIMIT_MS) return () => {};
    pauses.push(milliseconds);
    queueMicrotask(call);
    return () => {};
  },
};

const sse = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { "content-type": "text/event-stream" } });
const frame = (id: number, event = "values"): string => `event: ${event}\ndata: {"n":${id}}\nid: ${id}\n\n`;

function scripted(answers: readonly (Response | Error)[]) {
  const asked: (string | undefined)[] = [];
  const source: FrameSource = {
    async open(lastId) {
      const answer = answers[asked.length];
      asked.push(lastId);
      if (answer === undefined) throw new GatewayError("offline", "no answer");
      if (answer instanceof Error) throw answer;
      return answer;
    },
    resumable: () => true,
  };
  return { asked, source };
}

async function collect(source: FrameSource, lastId?: string) {
  const seen: string[] = [];
  const frames = streamFrames(source, { signal: new AbortController().signal, clock: skipping, lastId });
  for await (const { id, event } of frames) seen.push(`${event} ${id}`);
  return seen;
}

describe("streamFrames", () => {
  it("goes on after the last id when the connection breaks, and tells no frame twice", async () => {
    const { asked, source } = scripted([
      sse(frame(1) + frame(2)),
      sse(frame(2) + frame(3) + frame(4, "end")),
    ]);
    expect(await collect(source)).toEqual(["values 1", "values 2", "values 3", "end 4"]);
    expect(asked).toEqual([undefined, "2"]);
  });

  it("starts after a given id", async () => {
    const { asked, source } = scripted([sse(frame(8) + frame(9, "end"))]);
    expect(await collect(source, "7")).toEqual(["values 8", "end 9"]);
    expect(asked).toEqual(["7"]);
  });

  it("ignores comments, and reads data over several lines and in split characters", async () => {
    const bytes = new TextEncoder().encode(
      ': hb\r\n\r\nevent: values\r\ndata: {"t":\r\ndata: "三"}\r\nid: 1\r\n\r\n',
    );
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.enqueue(new TextEncoder().encode("event: end\ndata: null\nid: 2\n\n"));
        controller.close();
      },
    });
    const { source } = scripted([new Response(body, { headers: { "content-type": "text/event-stream" } })]);
    const seen: unknown[] = [];
    for await (const { data } of streamFrames(source, {
      signal: new AbortController().signal,
      clock: skipping,
    }))
      seen.push(data);
    expect(seen).toEqual([{ t: "三" }, null]);
  });

  it("gives up after a bounded number of attempts that bring nothing", async () => {
    pauses.length = 0;
    const { asked, source } = scripted([]);
    await expect(collect(source)).rejects.toThrow("no answer");
    expect(asked).toHaveLength(RETRY_PAUSES_MS.length + 1);
    expect(pauses).toEqual(RETRY_PAUSES_MS);
  });

  it("does not ask again when the gateway refuses", async () => {
    const refusal = new Response('{"detail":"There is no such run.","code":"run_missing"}', { status: 404 });
    const { asked, source } = scripted([refusal]);
    await expect(collect(source)).rejects.toThrow("There is no such run.");
    expect(asked).toHaveLength(1);
  });

  it("asks again when the gateway is overloaded", async () => {
    const { source } = scripted([sse("busy", 503), sse(frame(1, "end"))]);
    expect(await collect(source)).toEqual(["end 1"]);
  });

  it("never opens again what would start a second run", async () => {
    const { asked, source } = scripted([new GatewayError("offline", "no answer")]);
    await expect(collect({ ...source, resumable: () => false })).rejects.toThrow("no answer");
    expect(asked).toHaveLength(1);
  });

  it("opens a new connection when the old one has fallen silent", async () => {
    let silence = () => {};
    const watching: Clock = {
      after(milliseconds, call) {
        if (milliseconds === SILENCE_LIMIT_MS) silence = call;
        else queueMicrotask(call);
        return () => {};
      },
    };
    const silent = new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    const { asked, source } = scripted([silent, sse(frame(1, "end"))]);
    const open: FrameSource["open"] = async (lastId, signal) => {
      const answer = await source.open(lastId, signal);
      if (answer === silent) setImmediate(() => silence());
      return answer;
    };
    const seen: string[] = [];
    const stream = streamFrames(
      { open, resumable: () => true },
      { signal: new AbortController().signal, clock: watching },
    );
    for await (const { event } of stream) seen.push(event);
    expect({ seen, asked }).toEqual({ seen: ["end"], asked: [undefined, undefined] });
  });

  it("ends with the caller's reason when it is aborted", async () => {
    const stop = new AbortController();
    const { source } = scripted([sse(frame(1) + frame(2))]);
    const frames = streamFrames(source, { signal: stop.signal, clock: skipping });
    await frames.next();
    stop.abort(new Error("left"));
    await frames.next(); // was already read
    await expect(frames.next()).rejects.toThrow("left");
  });
});
