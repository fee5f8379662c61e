/** What the demo model says in one turn. */

export interface PlannedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A turn without calls ends the task. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

export const finalTurn = (text: string): Turn => ({ text, calls: [] });
