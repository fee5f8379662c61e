/** A server on 127.0.0.1 that speaks the OpenAI chat protocol and plans as the demo model does. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { planNextTurn } from "../../packages/harness/src/models/demo/planner.js";

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface WireMessage {
  readonly role: string;
  readonly content: string | { text?: string }[] | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

interface WireRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { function: { name: string } }[];
}

export interface StubServer {
  readonly url: string;
  /** Bodies of the requests so far, and the key that came with each. */
  readonly requests: readonly { readonly body: WireRequest; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

export async function startOpenAiStub(): Promise<StubServer> {
  const requests: { body: WireRequest; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      requests.push({ body, authorization: request.headers.authorization });
      answer(body, response, requests.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function readJson(request: IncomingMessage): Promise<WireRequest> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as WireRequest;
}

function answer(body: WireRequest, response: ServerResponse, count: number): void {
  const messages = body.messages.map(toMessage);
  const turn = planNextTurn(
    messages,
    (body.tools ?? []).map((tool) => tool.function.name),
  );
  const calls = turn.calls.map((call, index) => ({
    index,
    id: `call_${count}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null): void => {
    const chunk = { id: `chat_${count}`, object: "chat.completion.chunk", created: 0, model: body.model };
    response.write(
      `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  };
  send({ role: "assistant", content: "" }, null);
  for (const piece of turn.text.match(/.{1,20}/gs) ?? []) send({ content: piece }, null);
  for (const {
    index,
    id,
    type,
    function: { name, arguments: text },
  } of calls) {
    const half = Math.ceil(text.length / 2);
    send({ tool_calls: [{ index, id, type, function: { name, arguments: text.slice(0, half) } }] }, null);
    send({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }, null);
  }
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

function toMessage({ role, content, tool_calls, tool_call_id }: WireMessage): BaseMessage {
  const text =
    typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("");
  if (role === "system") return new SystemMessage(text);
  if (role === "tool") return new ToolMessage({ content: text, tool_call_id: tool_call_id ?? "" });
  if (role === "user") return new HumanMessage(text);
  return new AIMessage({
    content: text,
    tool_calls: (tool_calls ?? []).map((call) => ({
      type: "tool_call" as const,
      id: call.id,
      name: call.function.name,
      args: JSON.parse(call.function.arguments) as Record<string, unknown>,
    })),
  });
}
