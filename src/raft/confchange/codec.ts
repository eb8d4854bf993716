import { unstamped } from '../message.ts';
import {
  type AnyConfChange,
  type Behaviour,
  type ConfChange,
  type ConfChangeSingle,
  ConfChangeTransition,
  ConfChangeType,
  type ConfChangeV2,
  type Data,
  type Entry,
  EntryType,
  NONE,
} from '../types.ts';
import { WireError, WireReader, WireWriter } from '../wire/varint.ts';

/** The bytes of a membership change, as the data of its entry. Only etcd 3.6 writes the id 0 of the first form. */
export function encodeConfChange(change: AnyConfChange, behaviour: Behaviour = '3.7'): Uint8Array {
  const out = new WireWriter();
  if (change.version === 1) {
    if (behaviour === '3.6' || change.id !== NONE) out.idField(1, change.id);
    out.numberField(2, change.type);
    out.idField(3, change.nodeId);
    if (change.context !== null) out.bytesField(4, change.context);
    return out.finish();
  }
  out.numberField(1, change.transition);
  for (const { type, nodeId } of change.changes) {
    const inner = new WireWriter();
    inner.numberField(1, type);
    inner.idField(2, nodeId);
    out.bytesField(2, inner.finish());
  }
  if (change.context !== null) out.bytesField(3, change.context);
  return out.finish();
}

/** The entry that proposes a change; `null` proposes to leave the joint configuration (A15.2). */
export function confChangeEntry(change: AnyConfChange | null, behaviour: Behaviour): Entry {
  if (change === null) return unstamped(null, EntryType.ConfChangeV2, true);
  const type = change.version === 1 ? EntryType.ConfChange : EntryType.ConfChangeV2;
  return unstamped(encodeConfChange(change, behaviour), type, true);
}

export function isConfChangeEntry(entry: Entry): boolean {
  return entry.type !== EntryType.Normal;
}

/**
 * The change an entry carries, or the text of why its data is none. Absent data is the empty change, which
 * leaves a joint configuration.
 */
export function decodeConfChange(entry: { readonly type: EntryType; readonly data: Data }): AnyConfChange | string {
  const data = entry.data ?? new Uint8Array(0);
  if (!(data instanceof Uint8Array)) return 'proto: conf change data must be bytes';
  try {
    return entry.type === EntryType.ConfChange ? decodeV1(new WireReader(data)) : decodeV2(new WireReader(data));
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
}

function decodeV1(input: WireReader): ConfChange {
  let id = NONE;
  let type: ConfChangeType = ConfChangeType.AddNode;
  let node = NONE;
  let context: Uint8Array | null = null;
  while (!input.done) {
    const { field, wireType } = input.tag();
    if (field === 1 && wireType === 0) id = input.id();
    else if (field === 2 && wireType === 0) type = input.number() as ConfChangeType;
    else if (field === 3 && wireType === 0) node = input.id();
    else if (field === 4 && wireType === 2) context = input.bytesValue();
    else input.skip(wireType);
  }
  return { version: 1, id, type, nodeId: node, context };
}

function decodeV2(input: WireReader): ConfChangeV2 {
  let transition: ConfChangeTransition = ConfChangeTransition.Auto;
  const changes: ConfChangeSingle[] = [];
  let context: Uint8Array | null = null;
  while (!input.done) {
    const { field, wireType } = input.tag();
    if (field === 1 && wireType === 0) transition = input.number() as ConfChangeTransition;
    else if (field === 2 && wireType === 2) changes.push(decodeSingle(new WireReader(input.bytesValue())));
    else if (field === 3 && wireType === 2) context = input.bytesValue();
    else input.skip(wireType);
  }
  return { version: 2, transition, changes, context };
}

function decodeSingle(input: WireReader): ConfChangeSingle {
  let type: ConfChangeType = ConfChangeType.AddNode;
  let node = NONE;
  while (!input.done) {
    const { field, wireType } = input.tag();
    if (field === 1 && wireType === 0) type = input.number() as ConfChangeType;
    else if (field === 2 && wireType === 0) node = input.id();
    else input.skip(wireType);
  }
  return { type, nodeId: node };
}

/** The second form of any change: a first-form change is one operation with automatic transition (A15.3). */
export function asV2(change: AnyConfChange): ConfChangeV2 {
  if (change.version === 2) return change;
  return {
    version: 2,
    transition: ConfChangeTransition.Auto,
    changes: [{ type: change.type, nodeId: change.nodeId }],
    context: change.context,
  };
}

/** How a change is to be made (A15.3). */
export function changeKind(change: ConfChangeV2): 'leave-joint' | 'enter-joint' | 'simple' {
  const { transition, changes } = change;
  if (transition === ConfChangeTransition.Auto && changes.length === 0) return 'leave-joint';
  return transition !== ConfChangeTransition.Auto || changes.length > 1 ? 'enter-joint' : 'simple';
}
