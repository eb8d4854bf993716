import { alarmName } from '../../../api/etcd/alarms.ts';
import type { MembersResponse } from '../../../api/etcd/cluster.ts';
import { decimalId, leaseNumber } from '../../../api/etcd/ids.ts';
import type {
  DeleteRangeResponse,
  Event,
  KeyValue,
  PutResponse,
  RangeResponse,
  ResponseHeader,
  TxnResponse,
} from '../../../api/etcd/kv.ts';
import { EventType } from '../../../api/etcd/kv.ts';
import type { AlarmResponse, HashKvResponse, StatusResponse } from '../../../api/etcd/maintenance.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { goQuote } from '../../../platform/text/quote.ts';

/** `-w fields`: one `"Name" : value` a line. */

/** Lines of names with what they are; texts that are to be quoted come quoted. */
export function fieldLines(
  fields: readonly (readonly [name: string, value: string | number | boolean | bigint])[],
): string {
  return fields.map(([name, value]) => `"${name}" : ${value}\n`).join('');
}

export function headerFields(header: ResponseHeader | null): string {
  if (header === null) return '';
  return fieldLines([
    ['ClusterID', decimalId(header.clusterId)],
    ['MemberID', decimalId(header.memberId)],
    ['Revision', header.revision],
    ['RaftTerm', header.raftTerm],
  ]);
}

function kvFields(prefix: string, kv: KeyValue): string {
  return fieldLines([
    [`${prefix}Key`, goQuote(utf8Decode(kv.key))],
    [`${prefix}CreateRevision`, kv.createRevision],
    [`${prefix}ModRevision`, kv.modRevision],
    [`${prefix}Version`, kv.version],
    [`${prefix}Value`, goQuote(utf8Decode(kv.value))],
    [`${prefix}Lease`, leaseNumber(kv.lease)],
  ]);
}

export function rangeFields({ header, kvs, more, count }: RangeResponse): string {
  const keys = kvs.map((kv) => kvFields('', kv)).join('');
  return headerFields(header) + keys + fieldLines([['More', more]]) + fieldLines([['Count', count]]);
}

export function putFields({ header, prevKv }: PutResponse): string {
  return headerFields(header) + (prevKv === null ? '' : kvFields('Prev', prevKv));
}

export function deleteFields({ header, deleted, prevKvs }: DeleteRangeResponse): string {
  const before = prevKvs.map((kv) => kvFields('Prev', kv)).join('');
  return headerFields(header) + fieldLines([['Deleted', deleted]]) + before;
}

export function txnFields({ header, succeeded, responses }: TxnResponse): string {
  const answers = responses.map((op) => {
    if (op.responseDeleteRange !== null) return deleteFields(op.responseDeleteRange);
    if (op.responsePut !== null) return putFields(op.responsePut);
    return op.responseRange === null ? '"Unknown" : {}\n' : rangeFields(op.responseRange);
  });
  return headerFields(header) + fieldLines([['Succeeded', succeeded]]) + answers.join('');
}

export function eventFields(event: Event): string {
  const type = fieldLines([['Type', event.type === EventType.Put ? 'PUT' : 'DELETE']]);
  return type + (event.prevKv === null ? '' : kvFields('Prev', event.prevKv)) + kvFields('', event.kv);
}

export function memberListFields({ header, members }: MembersResponse): string {
  const each = members.map((member) =>
    fieldLines([
      ['ID', decimalId(member.id)],
      ['Name', goQuote(member.name)],
      ...member.peerUrls.map((url) => ['PeerURL', goQuote(url)] as const),
      ...member.clientUrls.map((url) => ['ClientURL', goQuote(url)] as const),
      ['IsLearner', member.isLearner],
    ]),
  );
  return headerFields(header) + each.map((text) => `${text}\n`).join('');
}

export function alarmFields({ header, alarms }: AlarmResponse): string {
  const each = alarms.map(({ memberId, alarm }) =>
    fieldLines([
      ['MemberID', decimalId(memberId)],
      ['AlarmType', alarmName(alarm)],
    ]),
  );
  return headerFields(header) + each.map((text) => `${text}\n`).join('');
}

export function statusFields(endpoint: string, status: StatusResponse): string {
  const own = fieldLines([
    ['Version', goQuote(status.version)],
    ['StorageVersion', goQuote(status.storageVersion)],
    ['DBSize', status.dbSize],
    ['DBSizeInUse', status.dbSizeInUse],
    ['DBSizeQuota', status.dbSizeQuota],
    ['Leader', decimalId(status.leader)],
    ['IsLearner', status.isLearner],
    ['RaftIndex', status.raftIndex],
    ['RaftTerm', status.raftTerm],
    ['RaftAppliedIndex', status.raftAppliedIndex],
    ['Errors', `[${status.errors.join(' ')}]`],
    ['Endpoint', goQuote(endpoint)],
    ['DowngradeTargetVersion', goQuote(status.downgradeInfo?.targetVersion ?? '')],
    ['DowngradeEnabled', status.downgradeInfo?.enabled ?? false],
  ]);
  return `${headerFields(status.header)}${own}\n`;
}

export function hashKvFields(endpoint: string, { header, hash, hashRevision }: HashKvResponse): string {
  const own = fieldLines([
    ['Endpoint', goQuote(endpoint)],
    ['Hash', hash],
    ['HashRevision', hashRevision],
  ]);
  return `${headerFields(header)}${own}\n`;
}
