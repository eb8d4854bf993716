import { dataSize, entrySize, varintSize } from '../size.ts';
import type { ConfState, Message, NodeId, Snapshot } from '../types.ts';

/** Length of `encodeMessage` without encoding anything; data that is an object counts with its `sizeBytes`. */
export function messageSize(message: Message): number {
  // Thirteen one-byte tags, less those of fields that may be absent; two one-byte values.
  let size = 10 + 2;
  size += idSize(message.to) + idSize(message.from) + idSize(message.vote);
  size += varintSize(message.term) + varintSize(message.logTerm) + varintSize(message.index);
  size += varintSize(message.commit) + varintSize(message.rejectHint);
  for (const entry of message.entries) size += embedded(entrySize(entry));
  if (message.snapshot !== null) size += embedded(snapshotSize(message.snapshot));
  if (message.context !== null) size += embedded(message.context.length);
  for (const response of message.responses) size += embedded(messageSize(response));
  return size;
}

export function snapshotSize({ data, index, term, confState }: Snapshot): number {
  const metadata = embedded(confStateSize(confState)) + 2 + varintSize(index) + varintSize(term);
  return embedded(metadata) + (data === null ? 0 : embedded(dataSize(data)));
}

function confStateSize({ voters, learners, votersOutgoing, learnersNext }: ConfState): number {
  let size = 2;
  for (const ids of [voters, learners, votersOutgoing, learnersNext]) {
    for (const id of ids) size += 1 + idSize(id);
  }
  return size;
}

/** A tag, a length and that many bytes. */
function embedded(length: number): number {
  return 1 + varintSize(length) + length;
}

/** Bytes of the varint of an id: one for every seven bits from the highest that is set. */
function idSize(id: NodeId): number {
  let at = 0;
  while (at < 15 && id.charCodeAt(at) === 48) at++;
  const first = Number.parseInt(id[at]!, 16);
  const bits = (15 - at) * 4 + (32 - Math.clz32(first));
  return Math.max(Math.floor((bits + 6) / 7), 1);
}
