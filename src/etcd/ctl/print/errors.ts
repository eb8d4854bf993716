import { EtcdError } from '../../../api/etcd/errors.ts';
import type { RpcError } from '../../../platform/rpc.ts';

const KNOWN: ReadonlySet<string> = new Set(Object.values(EtcdError).map((kind) => kind.message));

/**
 * What etcdctl prints of an error: the plain text of those that its library knows, and of a deadline; anything else with
 * its status.
 */
export function errorText(error: RpcError): string {
  if (KNOWN.has(error.message) || error.message === 'context deadline exceeded') return error.message;
  return error.describe();
}
