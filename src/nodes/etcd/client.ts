import type { Member, MemberAddResponse } from '../../api/etcd/cluster.ts';
import { RangeRequest, ZERO_ID } from '../../api/etcd/kv.ts';
import type { AlarmMember, StatusResponse } from '../../api/etcd/maintenance.ts';
import { AlarmAction, AlarmType } from '../../api/etcd/maintenance.ts';
import { ClusterService, KvService, MaintenanceService } from '../../api/etcd/services.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import { shuffled } from '../../platform/random.ts';
import type { CallOptions, RpcChannel } from '../../platform/rpc.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { ETCD_PKI } from '../controllers/etcd/pki.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { mergedAddresses } from './endpoints.ts';

export const ETCD_CLIENT_PORT = 2379;
export const ETCD_PEER_PORT = 2380;
export const LOCALHOST = '127.0.0.1';

/** Ask servers without a leader to refuse rather than to wait. */
const REQUIRE_LEADER = Object.freeze({ hasleader: 'true' });

/**
 * etcd as machined talks to it: every call waits for a connection until its limit, as clientv3 does by default
 * (reference/controllers.md C.4.1).
 */
export class EtcdClient {
  readonly channel: RpcChannel;
  #metadata: Readonly<Record<string, string>>;

  constructor(channel: RpcChannel, requireLeader: boolean) {
    this.channel = channel;
    this.#metadata = requireLeader ? REQUIRE_LEADER : {};
  }

  #options(limitUs: number | undefined): CallOptions {
    return {
      waitForReady: true,
      metadata: this.#metadata,
      ...(limitUs === undefined ? {} : { timeoutUs: limitUs }),
    };
  }

  *memberList(limitUs?: number): Task<{ readonly localId: string; readonly members: readonly Member[] }> {
    const reply = yield* this.channel.unary(ClusterService.MemberList, { linearizable: true }, this.#options(limitUs));
    return { localId: reply.header?.memberId ?? ZERO_ID, members: reply.members };
  }

  *addLearner(peerUrls: readonly string[], limitUs?: number): Task<MemberAddResponse> {
    return yield* this.channel.unary(ClusterService.MemberAdd, { peerUrls, isLearner: true }, this.#options(limitUs));
  }

  *removeMember(id: string, limitUs?: number): Task<void> {
    yield* this.channel.unary(ClusterService.MemberRemove, { id }, this.#options(limitUs));
  }

  *promoteMember(id: string, limitUs?: number): Task<void> {
    yield* this.channel.unary(ClusterService.MemberPromote, { id }, this.#options(limitUs));
  }

  *updateMember(id: string, peerUrls: readonly string[], limitUs?: number): Task<void> {
    yield* this.channel.unary(ClusterService.MemberUpdate, { id, peerUrls }, this.#options(limitUs));
  }

  *status(limitUs?: number): Task<StatusResponse> {
    return yield* this.channel.unary(MaintenanceService.Status, {}, this.#options(limitUs));
  }

  /** All alarms, with the id of the member that answered. */
  *alarms(limitUs?: number): Task<{ readonly localId: string; readonly alarms: readonly AlarmMember[] }> {
    const request = { action: AlarmAction.Get, memberId: ZERO_ID, alarm: AlarmType.None };
    const reply = yield* this.channel.unary(MaintenanceService.Alarm, request, this.#options(limitUs));
    return { localId: reply.header?.memberId ?? ZERO_ID, alarms: reply.alarms };
  }

  *disarm(alarm: AlarmMember, limitUs?: number): Task<readonly AlarmMember[]> {
    const request = { action: AlarmAction.Deactivate, memberId: alarm.memberId, alarm: alarm.alarm };
    const reply = yield* this.channel.unary(MaintenanceService.Alarm, request, this.#options(limitUs));
    return reply.alarms;
  }

  *defragment(limitUs?: number): Task<void> {
    yield* this.channel.unary(MaintenanceService.Defragment, {}, this.#options(limitUs));
  }

  *moveLeader(targetId: string, limitUs?: number): Task<void> {
    yield* this.channel.unary(MaintenanceService.MoveLeader, { targetId }, this.#options(limitUs));
  }

  /** A linearizable read of the key `health`: works only with a quorum. PermissionDenied counts as an answer. */
  *validateQuorum(limitUs?: number): Task<void> {
    try {
      const request = RangeRequest.of({ key: utf8Encode('health') });
      yield* this.channel.unary(KvService.Range, request, this.#options(limitUs));
    } catch (error) {
      if (!(error instanceof RpcError) || error.status !== 'PermissionDenied') throw error;
    }
  }

  close(): void {
    this.channel.close();
  }
}

/** A client for these addresses, authenticated with the admin certificate. NodeError while that is not there. */
export function* openEtcd(
  machine: Machine,
  addresses: readonly string[],
  options: { readonly requireLeader?: boolean } = {},
): Task<EtcdClient> {
  const [ca, crt, key] = [
    yield* readPki(machine, 'ca.crt'),
    yield* readPki(machine, 'admin.crt'),
    yield* readPki(machine, 'admin.key'),
  ];
  const channel = machine.platform.rpc.channel(
    addresses.map((address) => ({ address, port: ETCD_CLIENT_PORT })),
    { tls: { serverCaPem: ca!, certificatePem: crt!, keyPem: key! } },
  );
  return new EtcdClient(channel, options.requireLeader === true);
}

export function openLocalEtcd(machine: Machine, options: { readonly requireLeader?: boolean } = {}): Task<EtcdClient> {
  return openEtcd(machine, [LOCALHOST], options);
}

/** A client for all control planes that anybody knows of, in random order. */
export function* openControlPlaneEtcd(
  machine: Machine,
  options: { readonly requireLeader?: boolean } = {},
): Task<EtcdClient> {
  const addresses = controlPlaneAddresses(machine);
  return yield* openEtcd(machine, shuffled(machine.random.stream('etcd-endpoints'), addresses), options);
}

export function controlPlaneAddresses(machine: Machine): readonly string[] {
  const addresses = mergedAddresses(machine.state);
  if (addresses.length === 0) throw new NodeError('no controlplane endpoints discovered yet');
  return addresses;
}

function* readPki(machine: Machine, name: string): Task<string> {
  const path = `${ETCD_PKI}/${name}`;
  const text = yield* machine.files.read(path);
  if (text === undefined)
    throw new NodeError(`error building etcd client TLS config: open ${path}: no such file or directory`);
  return text;
}
