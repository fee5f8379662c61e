/** The assistants that a run may name. Clients look for the one that the system made. */
import { DeerflowError } from "@deerflow/harness";
import { type Assistant, assistantSearch } from "@deerflow/protocol";
import { Hono } from "hono";
import {
  type AssistantDescription,
  type GatewayDeps,
  type GatewayVariables,
  LEAD_ASSISTANT,
} from "../deps.js";
import { readBody } from "../http/body.js";

const SINCE = new Date(0).toISOString();

const toWireAssistant = ({ id, name, description }: AssistantDescription): Assistant => ({
  assistant_id: id,
  graph_id: id,
  name,
  description,
  config: {},
  context: {},
  metadata: { created_by: "system" },
  version: 1,
  created_at: SINCE,
  updated_at: SINCE,
});

/** @throws DeerflowError `assistant_missing` */
export function requireAssistant(
  { assistants = [LEAD_ASSISTANT] }: Pick<GatewayDeps, "assistants">,
  id: string,
) {
  const known = assistants.find((assistant) => assistant.id === id);
  if (known !== undefined) return known;
  throw new DeerflowError("assistant_missing", {
    assistantId: id,
    known: assistants.map((assistant) => assistant.id).join(", "),
  });
}

export function assistantRoutes(deps: Pick<GatewayDeps, "assistants">) {
  const { assistants = [LEAD_ASSISTANT] } = deps;
  return new Hono<GatewayVariables>()
    .post("/search", async (context) => {
      const { graph_id, metadata, limit, offset } = await readBody(context, assistantSearch);
      const wanted = Object.entries(metadata ?? {});
      const found = assistants
        .map(toWireAssistant)
        .filter((assistant) => graph_id === undefined || graph_id === null || assistant.graph_id === graph_id)
        .filter((assistant) => wanted.every(([key, value]) => assistant.metadata[key] === value));
      return context.json(found.slice(offset, offset + limit));
    })
    .get("/:assistant_id", (context) =>
      context.json(toWireAssistant(requireAssistant(deps, context.req.param("assistant_id")))),
    );
}
