/** Third rung: model servers on this machine. Only asks for their lists of models; never sends a prompt. */
import { z } from "zod";
import type { FoundModel } from "./environment-models.js";
import { plainModel } from "./model-entry.js";

export type Fetch = typeof globalThis.fetch;

interface LocalServer {
  readonly name: string;
  readonly port: number;
  readonly list: "ollama" | "openai";
  /** What a user should know before relying on it. */
  readonly hint?: string;
}

/** In order of preference. Ports 8000 and 8080 may be anything, so the shape of the answer decides. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  {
    name: "ollama",
    port: 11_434,
    list: "ollama",
    hint: "Start it with OLLAMA_CONTEXT_LENGTH=32768: its default context is too small for an agent and is cut silently.",
  },
  { name: "lm-studio", port: 1234, list: "openai" },
  { name: "vllm", port: 8000, list: "openai" },
  { name: "llama-server", port: 8080, list: "openai" },
  { name: "jan", port: 1337, list: "openai" },
];

const TIMEOUT_MILLISECONDS = 300;
const MAXIMUM_MODELS = 20;
const id = z.string().min(1).max(200);
const openaiList = z.object({ data: z.array(z.object({ id })) });
const ollamaList = z.object({ models: z.array(z.object({ name: id })) });
const ollamaModel = z.object({ capabilities: z.array(z.string()) });

/** Models for text that servers on 127.0.0.1 offer, in the order of {@link LOCAL_SERVERS}. Never throws. */
export async function localhostModels(fetch: Fetch): Promise<FoundModel[]> {
  const found = await Promise.all(
    LOCAL_SERVERS.map(async (server) => {
      const names = await (server.list === "ollama"
        ? ollamaModels(fetch, server)
        : openaiModels(fetch, server));
      return names.slice(0, MAXIMUM_MODELS).map((model) => foundModel(server, model));
    }),
  );
  return found.flat();
}

const foundModel = (server: LocalServer, model: string): FoundModel => ({
  config: plainModel({
    name: `${server.name}/${model}`,
    use: "openai-compatible",
    model,
    base_url: `${address(server)}/v1`,
  }),
  reason: [`Found at ${address(server)}.`, server.hint].filter((part) => part !== undefined).join(" "),
});

const address = ({ port }: LocalServer): string => `http://127.0.0.1:${port}`;

async function openaiModels(fetch: Fetch, server: LocalServer): Promise<string[]> {
  const list = openaiList.safeParse(await json(fetch, `${address(server)}/v1/models`));
  return (list.data?.data ?? []).map((model) => model.id).filter((name) => !/embed/i.test(name));
}

/** Ollama tells what a model can do; an agent needs tools. */
async function ollamaModels(fetch: Fetch, server: LocalServer): Promise<string[]> {
  const list = ollamaList.safeParse(await json(fetch, `${address(server)}/api/tags`));
  const names = (list.data?.models ?? []).map((model) => model.name).slice(0, MAXIMUM_MODELS);
  const able = await Promise.all(
    names.map(async (model) => {
      const body = JSON.stringify({ model });
      const shown = ollamaModel.safeParse(
        await json(fetch, `${address(server)}/api/show`, { method: "POST", body }),
      );
      return shown.success && shown.data.capabilities.includes("tools");
    }),
  );
  return names.filter((_, index) => able[index]);
}

/** The answer as JSON; `undefined` when nobody answers, or something that is no model server. */
async function json(fetch: Fetch, url: string, init: RequestInit = {}): Promise<unknown> {
  try {
    // A redirect could lead the request off this machine.
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const response = await fetch(url, { ...init, redirect: "error", signal });
    return response.ok ? await response.json() : undefined;
  } catch {
    // A closed port, a slow server and an answer that is no JSON all mean: no model server here.
    return undefined;
  }
}
