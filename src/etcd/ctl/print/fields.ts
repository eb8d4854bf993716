import { decimalId, leaseNumber } from '../../../api/etcd/ids.ts';
import type { KeyValue, ResponseHeader } from '../../../api/etcd/kv.ts';
import { utf8Decode } from '../../../platform/bytes.ts';

/** `-w fields`: one `"Name" : value` a line. */
export function headerFields(header: ResponseHeader | null): string {
  if (header === null) return '';
  return [
    `"ClusterID" : ${decimalId(header.clusterId)}`,
    `"MemberID" : ${decimalId(header.memberId)}`,
    `"Revision" : ${header.revision}`,
    `"RaftTerm" : ${header.raftTerm}`,
    '',
  ].join('\n');
}

export function kvFields(prefix: string, kv: KeyValue): string {
  return [
    `"${prefix}Key" : ${JSON.stringify(utf8Decode(kv.key))}`,
    `"${prefix}CreateRevision" : ${kv.createRevision}`,
    `"${prefix}ModRevision" : ${kv.modRevision}`,
    `"${prefix}Version" : ${kv.version}`,
    `"${prefix}Value" : ${JSON.stringify(utf8Decode(kv.value))}`,
    `"${prefix}Lease" : ${leaseNumber(kv.lease)}`,
    '',
  ].join('\n');
}
