/** How messages join the list: LangGraph's rules, with a short cut for the usual case of a plain append. */
import {
  BaseMessage,
  BaseMessageChunk,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  RemoveMessage,
} from "@langchain/core/messages";
import { type Messages, messagesStateReducer, REMOVE_ALL_MESSAGES } from "@langchain/langgraph";

/** Where each id stands. Lists that grew from one another share a map: an entry past a list's end is not its own. */
type Positions = Map<string, number>;

const positionsOf = new WeakMap<readonly unknown[], Positions>();

/**
 * Gives what LangGraph's `messagesStateReducer` gives, except that a removal of what is not there does nothing:
 * the reducer runs on writes that are stored already, and one that throws would lock the thread for good.
 * A pure append costs the new messages only; a replacement, a removal, a message without id or a chunk goes the
 * long way.
 */
export function messagesReducer(left: BaseMessage[], right: Messages): BaseMessage[] {
  return append(left, right) ?? merge(left, right);
}

function merge(left: BaseMessage[], right: Messages): BaseMessage[] {
  const merged = messagesStateReducer(left, withoutVainRemovals(left, right));
  // LangGraph takes what follows a remove-all as it stands; a removal in the list would be sent to the model.
  return merged.some((message) => RemoveMessage.isInstance(message)) ? merge([], merged) : merged;
}

/** What was written, as messages, less the removals of ids that are neither in the list nor written before them. */
function withoutVainRemovals(left: readonly BaseMessage[], right: Messages): BaseMessage[] {
  const written: readonly unknown[] = Array.isArray(right) ? right : [right];
  // The cast is sound: a list of messages has nothing else in it; its type only allows for a [role, text] pair.
  const messages = written.map((each) => coerceMessageLikeToMessage(each as BaseMessageLike));
  const known = new Set(left.map(({ id }) => id));
  return messages.filter((message) => {
    if (isRemoveAll(message)) known.clear();
    else if (RemoveMessage.isInstance(message)) return known.has(message.id);
    else known.add(message.id);
    return true;
  });
}

/** True for the marker that empties the list. */
export const isRemoveAll = (message: BaseMessage): boolean =>
  RemoveMessage.isInstance(message) && message.id === REMOVE_ALL_MESSAGES;

/**
 * Turns whatever was written to the messages into messages that can be stored: real instances, no chunks,
 * each with an id. Ids are set before anything is persisted, so that no message is ever stored twice.
 * A message instance without id gets its id in place.
 */
export function settleMessages(written: unknown): BaseMessage[] {
  if (written === undefined || written === null) return [];
  return (Array.isArray(written) ? written : [written]).map(settle);
}

function settle(written: BaseMessageLike): BaseMessage {
  const message = coerceMessageLikeToMessage(written);
  if (RemoveMessage.isInstance(message) || isSettled(message)) return message;
  return messagesStateReducer([], [message])[0] ?? message;
}

const isSettled = (message: unknown): message is BaseMessage & { id: string } =>
  BaseMessage.isInstance(message) &&
  typeof message.id === "string" &&
  !BaseMessageChunk.isInstance(message) &&
  !RemoveMessage.isInstance(message);

function append(left: BaseMessage[], right: Messages): BaseMessage[] | undefined {
  if (!Array.isArray(left)) return undefined;
  const added: readonly unknown[] = Array.isArray(right) ? right : [right];
  if (!added.every(isSettled)) return undefined;
  const known = knownPositions(left);
  if (known === undefined || !areNew(added, known, left.length)) return undefined;

  const positions = mayGrow(known, added, left.length) ? known : indexed(left);
  for (const [offset, message] of added.entries()) positions.set(message.id, left.length + offset);
  const grown = [...left, ...added];
  positionsOf.set(grown, positions);
  return grown;
}

/** Undefined when the list cannot take part: it holds a message without id, a chunk, or one id twice. */
function knownPositions(list: readonly BaseMessage[]): Positions | undefined {
  const cached = positionsOf.get(list);
  const lastId = list.at(-1)?.id;
  if (cached !== undefined && lastId !== undefined && cached.get(lastId) === list.length - 1) return cached;
  if (!list.every(isSettled)) return undefined;
  const positions = indexed(list);
  if (positions.size !== list.length) return undefined;
  // The empty list is the default of every thread: a map kept for it would outlive them all.
  if (list.length > 0) positionsOf.set(list, positions);
  return positions;
}

const indexed = (list: readonly BaseMessage[]): Positions =>
  new Map(list.map((message, position) => [message.id ?? "", position]));

function areNew(added: readonly (BaseMessage & { id: string })[], known: Positions, length: number): boolean {
  const ids = new Set(added.map((message) => message.id));
  return ids.size === added.length && added.every(({ id }) => (known.get(id) ?? length) >= length);
}

/** The shared map may take the new ids if nobody else grew this list, or grew it by the very same messages. */
const mayGrow = (known: Positions, added: readonly { id: string }[], length: number): boolean =>
  known.size === length || added.every(({ id }, offset) => known.get(id) === length + offset);
