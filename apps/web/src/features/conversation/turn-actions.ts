/** What a person can do from within the conversation. */
export interface TurnActions {
  /** Sends this text as the person's next word. */
  answer(text: string): void;
  /** Opens a file beside the conversation. */
  openFile(path: string): void;
}
