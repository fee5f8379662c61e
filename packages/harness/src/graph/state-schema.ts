/** One schema out of the agent's own and every middleware's, and what each middleware may see of the state. */
import type { BaseMessage } from "@langchain/core/messages";
import { getInteropZodObjectShape, isInteropZodObject, isZodSchemaV4 } from "@langchain/core/utils/types";
import {
  DeltaValue,
  type Messages,
  ReducedValue,
  StateSchema,
  type StateSchemaField,
  type StateSchemaFields,
} from "@langchain/langgraph";
import { schemaMetaRegistry } from "@langchain/langgraph/zod";
import type { AgentMiddleware } from "langchain";
import { z } from "zod";
import { DeerflowError } from "../base/errors.js";
import type { AgentState, StateUpdate } from "./agent-state.js";
import { messagesReducer, settleMessages } from "./messages-reducer.js";

type Reducer = (current: unknown, update: unknown) => unknown;

const MESSAGES = new ReducedValue(
  z.custom<BaseMessage[]>().default(() => []),
  {
    // Runs on every write, from input, nodes and state updates alike, before the write is stored.
    inputSchema: z.custom<Messages>().transform((written): Messages => settleMessages(written)),
    reducer: messagesReducer,
    jsonSchemaExtra: { langgraph_type: "messages", description: "The conversation." },
  },
);

/** Fields known at build time, and the ones that only the options know. */
export type AgentFields = StateSchemaFields & { messages: typeof MESSAGES };

/**
 * The merged state of an agent. Of two schemas that name one field the earlier wins: the agent's own, then the
 * middleware's in chain order.
 * @throws DeerflowError `state_schema_unsupported` for a schema that is neither a Zod object nor a StateSchema
 */
export class AgentStateSchema {
  readonly schema: StateSchema<AgentFields>;
  readonly fields: readonly string[];
  readonly #reducers: ReadonlyMap<string, Reducer>;
  readonly #seenBy: ReadonlyMap<AgentMiddleware, readonly string[]>;

  constructor(own: unknown, middleware: readonly AgentMiddleware[]) {
    const fields: AgentFields = { messages: MESSAGES };
    const add = (schema: unknown, owner: string): string[] => {
      const added = fieldsOf(schema, owner);
      for (const [name, field] of Object.entries(added)) fields[name] ??= field;
      return Object.keys(added);
    };
    add(own, "the agent");
    this.#seenBy = new Map(
      middleware.map((entry) => [
        entry,
        ["messages", ...add(entry.stateSchema, `the middleware ${entry.name}`)],
      ]),
    );
    this.schema = new StateSchema(fields);
    this.fields = Object.keys(fields);
    this.#reducers = new Map(
      Object.entries<StateSchemaField>(fields).flatMap(([name, field]) => {
        const reducer = reducerOf(field);
        return reducer === undefined ? [] : [[name, reducer] as const];
      }),
    );
  }

  /** What a middleware sees: the messages and the fields that its own schema names. */
  view(middleware: AgentMiddleware, state: AgentState): AgentState {
    const seen = this.#seenBy.get(middleware) ?? ["messages"];
    // The cast is sound: `messages` is always among the fields seen.
    return Object.fromEntries(
      seen.filter((name) => name in state).map((name) => [name, state[name]]),
    ) as AgentState;
  }

  /** The update as the channels will take it: unknown fields gone, values parsed, messages settled. */
  validate(update: StateUpdate): Promise<StateUpdate> {
    const known = Object.entries(update).filter(([name]) => name in this.schema.fields);
    return this.schema.validateInput(Object.fromEntries(known));
  }

  /** How updates of this field are combined; undefined where the last one wins. */
  reducer(field: string): Reducer | undefined {
    return this.#reducers.get(field);
  }
}

function fieldsOf(schema: unknown, owner: string): StateSchemaFields {
  if (schema === undefined || schema === null) return {};
  if (StateSchema.isInstance(schema)) return schema.fields;
  if (!isInteropZodObject(schema)) throw new DeerflowError("state_schema_unsupported", { owner });
  return Object.fromEntries(
    Object.entries(getInteropZodObjectShape(schema)).map(([name, field]) => [name, fromZod(field)]),
  );
}

/** A Zod field may carry its reducer in LangGraph's registry instead of in the schema. */
function fromZod(field: unknown): StateSchemaField {
  const reducer = isZodSchemaV4(field) ? schemaMetaRegistry.get(field)?.reducer : undefined;
  // The cast is sound: every Zod schema that LangChain accepts implements Standard Schema.
  const schema = field as ConstructorParameters<typeof ReducedValue>[0];
  if (reducer === undefined) return schema;
  // The cast is sound for the same reason; the registry types its schema loosely.
  const inputSchema = reducer.schema as typeof schema | undefined;
  return new ReducedValue(schema, {
    ...(inputSchema === undefined ? {} : { inputSchema }),
    reducer: reducer.fn,
  });
}

function reducerOf(field: StateSchemaField): Reducer | undefined {
  if (ReducedValue.isInstance(field)) return field.reducer;
  if (DeltaValue.isInstance(field)) return (current, update) => field.reducer(current, [update]);
  return undefined;
}
