/** Reads the facts of all checkpoints of a thread; what was read before is not read again. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { CheckpointRow, CheckpointRows, HeadOf } from "../checkpoint/checkpoint-rows.js";
import { type CheckpointFacts, checkpointFacts } from "./checkpoint-facts.js";

/** Rows of one reading: their bodies are in memory together. */
const PAGE = 50;

interface Known {
  readonly head: Omit<HeadOf<CheckpointRow>, "format">;
  readonly facts: CheckpointFacts;
}

export class StoredCheckpoints {
  readonly #serde: SerializerProtocol;
  readonly #known = new Map<string, Known>();

  constructor(serde: SerializerProtocol) {
    this.#serde = serde;
  }

  /** Reads all of a thread page by page, for a later `facts`. */
  async load(rows: CheckpointRows, threadKey: number): Promise<void> {
    let after: CheckpointRow | undefined;
    do {
      await nextTurn();
      const page: readonly CheckpointRow[] = await rows.page("checkpoints", threadKey, {
        after,
        limit: PAGE,
      });
      for (const row of page) await this.#keep(row);
      after = page.length < PAGE ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  /** The facts of these checkpoints, in their order. Reads those that are new or have changed. */
  async facts(
    rows: CheckpointRows,
    threadKey: number,
    heads: readonly HeadOf<CheckpointRow>[],
  ): Promise<readonly CheckpointFacts[]> {
    const all: CheckpointFacts[] = [];
    for (const head of heads) {
      const known = this.#known.get(keyOf(head));
      if (known !== undefined && isSame(known.head, head)) {
        all.push(known.facts);
        continue;
      }
      const row = await rows.findCheckpoint(threadKey, head.ns, head.id);
      if (row !== undefined) all.push(await this.#keep(row));
    }
    return all;
  }

  async #keep(row: CheckpointRow): Promise<CheckpointFacts> {
    const facts = await checkpointFacts(this.#serde, row);
    const bytes = row.body.length + row.metadata.length;
    const { ns, id, parentId, channels } = row;
    this.#known.set(keyOf(row), { head: { ns, id, parentId, channels, bytes }, facts });
    return facts;
  }
}

const keyOf = ({ ns, id }: Pick<CheckpointRow, "ns" | "id">): string => JSON.stringify([ns, id]);

const isSame = (known: Known["head"], head: HeadOf<CheckpointRow>): boolean =>
  known.bytes === head.bytes && known.parentId === head.parentId && known.channels === head.channels;
