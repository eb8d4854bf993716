import type { Member, MemberAddResponse, MembersResponse } from '../../../api/etcd/cluster.ts';
import type {
  DeleteRangeResponse,
  Event,
  KeyValue,
  PutResponse,
  RangeResponse,
  ResponseHeader,
  ResponseOp,
  TxnResponse,
} from '../../../api/etcd/kv.ts';
import type { AlarmResponse, HashKvResponse, StatusResponse } from '../../../api/etcd/maintenance.ts';
import { bool, bytes, list, num, object, optional, quoted, signed, text, unsigned } from './go-json.ts';

/** etcd's messages as `etcdctl -w json` prints them. */

export const headerJson = object<ResponseHeader>([
  ['cluster_id', (h) => unsigned(h.clusterId)],
  ['member_id', (h) => unsigned(h.memberId)],
  ['revision', (h) => num(h.revision)],
  ['raft_term', (h) => num(h.raftTerm)],
]);

/** Fields of a header without its braces: for messages that embed it. */
export function embeddedHeader(header: ResponseHeader | null): readonly string[] {
  const inner = header === null ? '' : headerJson(header).slice(1, -1);
  return inner === '' ? [] : [inner];
}

interface WithHeader {
  readonly header: ResponseHeader | null;
}

const header = ['header', (value: WithHeader) => optional(value.header, headerJson)] as const;

export const headerOnlyJson = object<WithHeader>([header]);

export const kvJson = object<KeyValue>([
  ['key', (kv) => bytes(kv.key)],
  ['create_revision', (kv) => num(kv.createRevision)],
  ['mod_revision', (kv) => num(kv.modRevision)],
  ['version', (kv) => num(kv.version)],
  ['value', (kv) => bytes(kv.value)],
  ['lease', (kv) => signed(kv.lease)],
]);

export const rangeJson = object<RangeResponse>([
  header,
  ['kvs', (r) => list(r.kvs, kvJson)],
  ['more', (r) => bool(r.more)],
  ['count', (r) => num(r.count)],
]);

export const putJson = object<PutResponse>([header, ['prev_kv', (r) => optional(r.prevKv, kvJson)]]);

export const deleteJson = object<DeleteRangeResponse>([
  header,
  ['deleted', (r) => num(r.deleted)],
  ['prev_kvs', (r) => list(r.prevKvs, kvJson)],
]);

const opJson = object<ResponseOp>([
  ['response_range', (op) => optional(op.responseRange, rangeJson)],
  ['response_put', (op) => optional(op.responsePut, putJson)],
  ['response_delete_range', (op) => optional(op.responseDeleteRange, deleteJson)],
  ['response_txn', (op) => optional(op.responseTxn, (txn) => txnJson(txn))],
]);

export const txnJson: (value: TxnResponse) => string = object<TxnResponse>([
  header,
  ['succeeded', (r) => bool(r.succeeded)],
  ['responses', (r) => list(r.responses, (op) => `{"Response":${opJson(op)}}`)],
]);

export const eventJson = object<Event>([
  ['type', (event) => num(event.type)],
  ['kv', (event) => kvJson(event.kv)],
  ['prev_kv', (event) => optional(event.prevKv, kvJson)],
]);

export const memberJson = object<Member>([
  ['ID', (m) => unsigned(m.id)],
  ['name', (m) => text(m.name)],
  ['peerURLs', (m) => list(m.peerUrls, quoted)],
  ['clientURLs', (m) => list(m.clientUrls, quoted)],
  ['isLearner', (m) => bool(m.isLearner)],
]);

export const membersJson = object<MembersResponse>([header, ['members', (r) => list(r.members, memberJson)]]);

export const memberAddJson = object<MemberAddResponse>([
  header,
  ['member', (r) => optional(r.member, memberJson)],
  ['members', (r) => list(r.members, memberJson)],
]);

export const alarmsJson = object<AlarmResponse>([
  header,
  [
    'alarms',
    (r) =>
      list(
        r.alarms,
        object<AlarmResponse['alarms'][number]>([
          ['memberID', (a) => unsigned(a.memberId)],
          ['alarm', (a) => num(a.alarm)],
        ]),
      ),
  ],
]);

export const statusJson = object<StatusResponse>([
  header,
  ['version', (r) => text(r.version)],
  ['dbSize', (r) => num(r.dbSize)],
  ['leader', (r) => unsigned(r.leader)],
  ['raftIndex', (r) => num(r.raftIndex)],
  ['raftTerm', (r) => num(r.raftTerm)],
  ['raftAppliedIndex', (r) => num(r.raftAppliedIndex)],
  ['errors', (r) => list(r.errors, quoted)],
  ['dbSizeInUse', (r) => num(r.dbSizeInUse)],
  ['isLearner', (r) => bool(r.isLearner)],
  ['storageVersion', (r) => text(r.storageVersion)],
  ['dbSizeQuota', (r) => num(r.dbSizeQuota)],
  [
    'downgradeInfo',
    (r) =>
      optional(
        r.downgradeInfo,
        object([
          ['enabled', (d) => bool(d.enabled)],
          ['targetVersion', (d) => text(d.targetVersion)],
        ]),
      ),
  ],
]);

export const hashKvJson = object<HashKvResponse>([
  header,
  ['hash', (r) => num(r.hash)],
  ['compact_revision', (r) => num(r.compactRevision)],
  ['hash_revision', (r) => num(r.hashRevision)],
]);
