/** What upkeep needs of a saver: where its checkpoints lie, and how it writes values. Every saver of ours is one. */
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { CheckpointDatabase } from "../checkpoint/checkpoint-rows.js";

export interface UpkeepSaver {
  readonly storage: {
    readonly database: CheckpointDatabase;
    /** Whose threads these are: the tenant. */
    readonly scope: string;
  };
  readonly serde: SerializerProtocol;
}
