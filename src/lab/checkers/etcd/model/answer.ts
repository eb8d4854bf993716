import type { EtcdErrorKind } from '../../../../api/etcd/errors.ts';
import type { KeyValue } from '../../../../api/etcd/kv.ts';
import type { AlarmMember } from '../../../../api/etcd/maintenance.ts';
import type { Version } from './key-space.ts';

/** What a request must be answered with, as the model computed it. */
export type Answer =
  | { readonly kind: 'error'; readonly error: EtcdErrorKind }
  | { readonly kind: 'plain'; readonly revision: number }
  | { readonly kind: 'put'; readonly revision: number; readonly previous: Version | null }
  | {
      readonly kind: 'delete';
      readonly revision: number;
      readonly deleted: number;
      readonly previous: readonly Version[];
    }
  | RangeAnswer
  | {
      readonly kind: 'txn';
      readonly revision: number;
      readonly succeeded: boolean;
      readonly answers: readonly Answer[];
    }
  | { readonly kind: 'grant'; readonly revision: number; readonly id: string; readonly ttl: number }
  | { readonly kind: 'alarms'; readonly revision: number; readonly alarms: readonly AlarmMember[] };

export interface RangeAnswer {
  readonly kind: 'range';
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  readonly count: number;
  readonly more: boolean;
}
