import type { EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import type {
  DeleteRangeResponse,
  KeyValue,
  PutResponse,
  RangeResponse,
  ResponseHeader,
  ResponseOp,
  TxnResponse,
} from '../../../../api/etcd/kv.ts';
import type { LeaseGrantResponse } from '../../../../api/etcd/lease.ts';
import type { AlarmResponse } from '../../../../api/etcd/maintenance.ts';
import { sameBytes } from '../../../../platform/bytes.ts';
import type { Answer } from './answer.ts';
import { textOf } from './keys.ts';

/** A response with a header, or the error that stands in its place. */
export type Outcome = { readonly header: ResponseHeader | null } | EtcdErrorKind;

/** In what way an outcome is not the answer that it has to be; null when it is. */
export function difference(answer: Answer, outcome: Outcome): string | null {
  if ('message' in outcome) {
    if (answer.kind === 'error' && answer.error.message === outcome.message) return null;
    return `is refused with "${outcome.message}", not ${nameOf(answer)}`;
  }
  if (answer.kind === 'error') return `succeeds, not ${nameOf(answer)}`;
  const revision = outcome.header?.revision;
  if (revision !== answer.revision) return `says revision ${revision}, not ${answer.revision}`;
  return contentDifference(answer, outcome);
}

function contentDifference(answer: Exclude<Answer, { kind: 'error' }>, response: object): string | null {
  switch (answer.kind) {
    case 'plain':
      return null;
    case 'put':
      return valueDifference('the previous value', answer.previous, (response as PutResponse).prevKv);
    case 'delete': {
      const { deleted, prevKvs } = response as DeleteRangeResponse;
      if (deleted !== answer.deleted) return `says ${deleted} deleted, not ${answer.deleted}`;
      return listDifference('previous values', answer.previous, prevKvs);
    }
    case 'range': {
      const { kvs, count, more } = response as RangeResponse;
      if (count !== answer.count) return `counts ${count} keys, not ${answer.count}`;
      if (more !== answer.more) return `says more: ${more}`;
      return listDifference('keys', answer.kvs, kvs);
    }
    case 'txn':
      return txnDifference(answer, response as TxnResponse);
    case 'grant': {
      const { id, ttl } = response as LeaseGrantResponse;
      return id === answer.id && ttl === answer.ttl ? null : `grants ${id} for ${ttl} s, not for ${answer.ttl} s`;
    }
    case 'alarms': {
      const text = (alarms: AlarmResponse['alarms']): string =>
        alarms.map(({ memberId, alarm }) => `${memberId}:${alarm}`).join(' ');
      const [given, right] = [text((response as AlarmResponse).alarms), text(answer.alarms)];
      return given === right ? null : `lists alarms "${given}", not "${right}"`;
    }
  }
}

function txnDifference(answer: Extract<Answer, { kind: 'txn' }>, response: TxnResponse): string | null {
  if (response.succeeded !== answer.succeeded) return `says succeeded: ${response.succeeded}`;
  if (response.responses.length !== answer.answers.length) {
    return `has ${response.responses.length} responses, not ${answer.answers.length}`;
  }
  for (let i = 0; i < answer.answers.length; i++) {
    const found = operationDifference(answer.answers[i]!, response.responses[i]!);
    if (found !== null) return `in operation ${i + 1} ${found}`;
  }
  return null;
}

function operationDifference(answer: Answer, op: ResponseOp): string | null {
  if (answer.kind === 'txn') {
    // The header of an inner transaction has no revision (reference/etcd.md A6).
    return op.responseTxn === null ? 'is no transaction' : txnDifference(answer, op.responseTxn);
  }
  const response = op.responsePut ?? op.responseDeleteRange ?? op.responseRange;
  return response === null ? 'is missing' : difference(answer, response);
}

function listDifference(what: string, right: readonly KeyValue[], given: readonly KeyValue[]): string | null {
  if (right.length !== given.length) return `has ${given.length} ${what}, not ${right.length}`;
  for (let i = 0; i < right.length; i++) {
    const found = valueDifference(`number ${i + 1} of the ${what}`, right[i]!, given[i]!);
    if (found !== null) return found;
  }
  return null;
}

/** How one key and its value differ; null when they do not. */
export function valueDifference(what: string, right: KeyValue | null, given: KeyValue | null): string | null {
  if (right === null) return given === null ? null : `has ${describe(given)} as ${what}, where nothing was`;
  if (given === null) return `has no ${what}, where ${describe(right)} was`;
  const same =
    right.modRevision === given.modRevision &&
    right.createRevision === given.createRevision &&
    right.version === given.version &&
    right.lease === given.lease &&
    sameBytes(right.key, given.key) &&
    sameBytes(right.value, given.value);
  return same ? null : `has ${describe(given)} as ${what}, not ${describe(right)}`;
}

export function describe(kv: KeyValue): string {
  const { key, value, createRevision, modRevision, version, lease } = kv;
  const hangsOn = /^0+$/.test(lease) ? '' : ` on lease ${lease}`;
  return `${textOf(key)}="${textOf(value)}" (${createRevision}/${modRevision}/${version}${hangsOn})`;
}

function nameOf(answer: Answer): string {
  return answer.kind === 'error' ? `refused with "${answer.error.message}"` : `answered at revision ${answer.revision}`;
}
