import { ZERO_ID } from '../../api/etcd/kv.ts';
import {
  AlarmAction,
  type AlarmMember,
  type AlarmResponse,
  AlarmType,
  type DefragmentResponse,
  type HashKvResponse,
  type HashResponse,
  type MoveLeaderResponse,
  type SnapshotResponse,
  type StatusResponse,
} from '../../api/etcd/maintenance.ts';
import { MaintenanceService } from '../../api/etcd/services.ts';
import type { Method } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { EtcdClient, Limits } from './client.ts';
import type { RetryClass } from './retry.ts';

/** Maintenance calls. Those about one member go to the endpoint that is named, over a connection of their own. */
export class MaintenanceClient {
  readonly #client: EtcdClient;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  alarmList(limits?: Limits): Task<AlarmResponse> {
    const request = { action: AlarmAction.Get, memberId: ZERO_ID, alarm: AlarmType.None };
    return this.#client.call(MaintenanceService.Alarm, request, 'repeatable', limits);
  }

  alarmDisarm(alarm: AlarmMember, limits?: Limits): Task<AlarmResponse> {
    const request = { action: AlarmAction.Deactivate, memberId: alarm.memberId, alarm: alarm.alarm };
    return this.#client.call(MaintenanceService.Alarm, request, 'repeatable', limits);
  }

  status(endpoint: string, limits?: Limits): Task<StatusResponse> {
    return this.#at(endpoint, MaintenanceService.Status, {}, 'repeatable', limits);
  }

  hash(endpoint: string, limits?: Limits): Task<HashResponse> {
    return this.#at(endpoint, MaintenanceService.Hash, {}, 'repeatable', limits);
  }

  hashKv(endpoint: string, revision: number, limits?: Limits): Task<HashKvResponse> {
    return this.#at(endpoint, MaintenanceService.HashKV, { revision }, 'repeatable', limits);
  }

  defragment(endpoint: string, limits?: Limits): Task<DefragmentResponse> {
    return this.#at(endpoint, MaintenanceService.Defragment, {}, 'once', limits);
  }

  moveLeader(targetId: string, limits?: Limits): Task<MoveLeaderResponse> {
    return this.#client.call(MaintenanceService.MoveLeader, { targetId }, 'repeatable', limits);
  }

  /** The parts of a snapshot as they come, the last one being the sum of the others; `visit` is called with each. */
  *snapshot(visit: (part: SnapshotResponse) => void): Task<void> {
    const options = { metadata: this.#client.metadata, waitForReady: true };
    const stream = this.#client.channel.stream(MaintenanceService.Snapshot, options);
    stream.send({});
    stream.closeSend();
    for (;;) {
      const part = yield* stream.receive();
      if (part === undefined) return;
      visit(part);
    }
  }

  *#at<Req, Res>(
    endpoint: string,
    method: Method<Req, Res>,
    request: Req,
    retries: RetryClass,
    limits: Limits | undefined,
  ): Task<Res> {
    const channel = this.#client.open([endpoint]);
    try {
      return yield* this.#client.call(method, request, retries, limits, channel);
    } finally {
      channel.close();
    }
  }
}
