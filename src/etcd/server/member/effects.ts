import { alarmText } from '../../../api/etcd/alarms.ts';
import { AlarmAction, AlarmType } from '../../../api/etcd/maintenance.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { EtcdEvent } from '../../events.ts';
import type { ApplyEffects } from '../apply/applier.ts';
import type { Member } from './member.ts';

/** What applied requests cause beside their answers: events for watchers and checkers, work for other parts. */
export class Effects implements ApplyEffects {
  readonly #member: Member;
  #raisingNoSpace = false;

  constructor(member: Member) {
    this.#member = member;
  }

  changed(changes: number): void {
    this.#member.hub.publish(changes);
  }

  compacted(revision: number): void {
    const { log, memberId, compactor } = this.#member;
    log.event(EtcdEvent.Compacted, { memberId, revision });
    compactor.schedule(revision);
  }

  alarmsChanged(): void {
    const { log, memberId, state } = this.#member;
    log.event(EtcdEvent.AlarmsChanged, {
      memberId,
      alarms: state.alarms.all.map((alarm) => alarmText(alarm).trim()),
    });
  }

  leaseGranted(lease: string, ttlSec: number): void {
    const { log, memberId } = this.#member;
    log.event(EtcdEvent.LeaseGranted, { memberId, lease, ttlSec });
  }

  leaseRevoked(lease: string, keys: number): void {
    const { log, memberId, leases } = this.#member;
    leases.leaseRemoved(lease);
    log.event(EtcdEvent.LeaseRevoked, { memberId, lease, keys });
  }

  clusterVersionSet(version: string): void {
    const { log, memberId } = this.#member;
    log.event(EtcdEvent.ClusterVersionSet, { memberId, version });
  }

  /** Raises NOSPACE for this member, once at a time (reference/etcd.md C7). */
  overQuota(): void {
    const { state, memberId, scope } = this.#member;
    const isRaised = state.alarms.list(AlarmType.NoSpace).some((alarm) => alarm.memberId === memberId);
    if (this.#raisingNoSpace || isRaised) return;
    this.#raisingNoSpace = true;
    scope.spawn('alarm', () => this.#raiseNoSpace());
  }

  *#raiseNoSpace(): Task<void> {
    const { proposals, memberId } = this.#member;
    try {
      yield* proposals.request('alarm', { action: AlarmAction.Activate, memberId, alarm: AlarmType.NoSpace });
    } catch (error) {
      // It is raised again by the next request that finds no room.
      if (!(error instanceof RpcError)) throw error;
    } finally {
      this.#raisingNoSpace = false;
    }
  }
}
