import { RaftFatal } from './fatal.ts';
import { LOCAL_APPEND_THREAD, LOCAL_APPLY_THREAD, NONE, type NodeId } from './types.ts';

/** The node id with this number, e.g. `nodeId(1)` is `'0000000000000001'`. Throws outside [0, 2^64). */
export function nodeId(value: number | bigint): NodeId {
  const text = value.toString(16);
  if (value < 0 || text.length > 16 || (typeof value === 'number' && !Number.isSafeInteger(value))) {
    throw new RaftFatal(`not a 64-bit node id: ${value}`);
  }
  return interned(text.padStart(16, '0'));
}

/**
 * The same id as a string that engines keep only once, as they do with names of properties: two of those compare by
 * address. Ids are compared for every message, and this alone makes a sixth of a proposal's cost.
 */
export function interned(id: NodeId): NodeId {
  return Object.keys({ [id]: 0 })[0]!;
}

/** Hexadecimal without leading zeros, as ids appear in messages and log lines. */
export function idHex(id: NodeId): string {
  let start = 0;
  while (start < id.length - 1 && id.charCodeAt(start) === 48) start++;
  return start === 0 ? id : id.slice(start);
}

/** Decimal, as ids appear in hard and soft states, conf states and conf changes. */
export function idDecimal(id: NodeId): string {
  return BigInt(`0x${id}`).toString();
}

/** Whether the id stands for a storage thread of the local node. */
export function isLocalThread(id: NodeId): boolean {
  return id === LOCAL_APPEND_THREAD || id === LOCAL_APPLY_THREAD;
}

/** The sender or receiver of a message, as printed: a word for the pseudo-nodes, else hexadecimal. */
export function describeTarget(id: NodeId): string {
  if (id === NONE) return 'None';
  if (id === LOCAL_APPEND_THREAD) return 'AppendThread';
  if (id === LOCAL_APPLY_THREAD) return 'ApplyThread';
  return idHex(id);
}

/** Adds an id to an ascending list; returns the list itself when it is there already. */
export function withId(ids: readonly NodeId[], id: NodeId): readonly NodeId[] {
  if (ids.includes(id)) return ids;
  const at = ids.findIndex((other) => other > id);
  return at < 0 ? [...ids, id] : [...ids.slice(0, at), id, ...ids.slice(at)];
}

/** Takes an id out of a list; returns the list itself when it is not there. */
export function withoutId(ids: readonly NodeId[], id: NodeId): readonly NodeId[] {
  return ids.includes(id) ? ids.filter((other) => other !== id) : ids;
}

/** The ids of both ascending lists, ascending, each once. */
export function unionIds(a: readonly NodeId[], b: readonly NodeId[]): readonly NodeId[] {
  return b.length === 0 ? a : b.reduce(withId, a);
}
