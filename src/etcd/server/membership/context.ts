import type { Member } from '../../../api/etcd/cluster.ts';
import { utf8Decode, utf8Encode } from '../../../platform/bytes.ts';
import { idDecimal, nodeId } from '../../../raft/index.ts';

/** What a membership change carries beside the node's id (reference/etcd.md B1). */
export interface ChangeContext {
  readonly member: Member;
  readonly isPromote: boolean;
}

interface WireContext {
  readonly peerURLs?: readonly string[] | null;
  readonly isLearner?: boolean;
  readonly name?: string;
  readonly clientURLs?: readonly string[];
  readonly isPromote?: boolean;
}

/** JSON as etcd writes it: the id as a decimal number (beyond what a double holds), empty fields left out. */
export function encodeContext(context: ChangeContext): Uint8Array {
  const { member } = context;
  const rest: Record<string, unknown> = { peerURLs: member.peerUrls };
  if (member.isLearner) rest.isLearner = true;
  if (member.name !== '') rest.name = member.name;
  if (member.clientUrls.length > 0) rest.clientURLs = member.clientUrls;
  if (context.isPromote) rest.isPromote = true;
  return utf8Encode(`{"id":${idDecimal(member.id)},${JSON.stringify(rest).slice(1)}`);
}

/** Reads a context; null when the bytes are none. */
export function decodeContext(bytes: Uint8Array): ChangeContext | null {
  const text = utf8Decode(bytes);
  const id = /^\{"id":(\d+)/.exec(text);
  if (id === null) return null;
  const wire = JSON.parse(text) as WireContext;
  const member: Member = {
    id: nodeId(BigInt(id[1]!)),
    name: wire.name ?? '',
    peerUrls: wire.peerURLs ?? [],
    clientUrls: wire.clientURLs ?? [],
    isLearner: wire.isLearner ?? false,
  };
  return { member, isPromote: wire.isPromote ?? false };
}
