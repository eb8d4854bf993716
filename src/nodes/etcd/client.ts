import { EtcdClient } from '../../etcd/client/client.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import { hostPort } from '../../platform/net.ts';
import { shuffled } from '../../platform/random.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { ETCD_PKI } from '../controllers/etcd/pki.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { mergedAddresses } from './endpoints.ts';

export const ETCD_CLIENT_PORT = 2379;
export const ETCD_PEER_PORT = 2380;
export const LOCALHOST = '127.0.0.1';

const DIAL_TIMEOUT_US = 5_000_000;

export interface OpenOptions {
  /** Ask servers without a leader to refuse rather than to wait. */
  readonly requireLeader?: boolean;
}

/** A client for these addresses, authenticated with the admin certificate. NodeError while that is not there. */
export function* openEtcd(machine: Machine, addresses: readonly string[], options: OpenOptions = {}): Task<EtcdClient> {
  const serverCaPem = yield* readPki(machine, 'ca.crt');
  const certificatePem = yield* readPki(machine, 'admin.crt');
  const keyPem = yield* readPki(machine, 'admin.key');
  const { rpc, clock } = machine.platform;
  return new EtcdClient(
    { rpc, clock, random: machine.random.stream('etcd-client'), scope: machine.scope },
    {
      endpoints: addresses.map((address) => `https://${hostPort({ address, port: ETCD_CLIENT_PORT })}`),
      tls: { serverCaPem, certificatePem, keyPem },
      dialTimeoutUs: DIAL_TIMEOUT_US,
      requireLeader: options.requireLeader === true,
    },
  );
}

export function openLocalEtcd(machine: Machine, options: OpenOptions = {}): Task<EtcdClient> {
  return openEtcd(machine, [LOCALHOST], options);
}

/** A client for all control planes that anybody knows of, in random order. */
export function* openControlPlaneEtcd(machine: Machine, options: OpenOptions = {}): Task<EtcdClient> {
  return yield* openEtcd(machine, shuffled(machine.etcdShuffle, controlPlaneAddresses(machine)), options);
}

/** Opens a client, lends it, closes it. */
export function* withEtcd<T>(opening: Task<EtcdClient>, body: (client: EtcdClient) => Task<T>): Task<T> {
  const client = yield* opening;
  try {
    return yield* body(client);
  } finally {
    client.close();
  }
}

export function controlPlaneAddresses(machine: Machine): readonly string[] {
  const addresses = mergedAddresses(machine.state);
  if (addresses.length === 0) throw new NodeError('no controlplane endpoints discovered yet');
  return addresses;
}

/** A linearizable read of the key `health`: works only with a quorum. PermissionDenied counts as an answer. */
export function* validateQuorum(client: EtcdClient, timeoutUs?: number): Task<void> {
  try {
    yield* client.range({ key: utf8Encode('health') }, timeoutUs === undefined ? {} : { timeoutUs });
  } catch (error) {
    if (!(error instanceof RpcError) || error.status !== 'PermissionDenied') throw error;
  }
}

/** The host of a client URL. */
export function hostOfUrl(url: string): string {
  return url
    .replace(/^https?:\/\//, '')
    .replace(/:[0-9]+$/, '')
    .replace(/^\[|\]$/g, '');
}

function* readPki(machine: Machine, name: string): Task<string> {
  const path = `${ETCD_PKI}/${name}`;
  const text = yield* machine.files.read(path);
  if (text === undefined) {
    throw new NodeError(`error building etcd client TLS config: open ${path}: no such file or directory`);
  }
  return text;
}
