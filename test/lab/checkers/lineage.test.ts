import { describe, expect, it } from 'vitest';
import { NO_LEASE, PutRequest } from '../../../src/api/etcd/kv.ts';
import { EtcdEvent } from '../../../src/etcd/events.ts';
import { CheckerSet } from '../../../src/lab/checkers/all.ts';
import { EtcdLineage } from '../../../src/lab/view/etcd-lineage.ts';
import { etcdPhase } from '../../../src/nodes/events.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { TraceEvent } from '../../../src/sim/trace.ts';
import { diskBlanked } from '../../../src/world/events.ts';
import { Replica, requestOf } from '../../etcd/storm/replica.ts';

let sequence = 0;

function event(source: string, kind: string, fields: TraceEvent['fields']): TraceEvent {
  sequence++;
  return { timeUs: sequence * 1000, sequence, source, kind, fields };
}

function started(machine: string, birth: string, clusterId = 'c1'): TraceEvent {
  const fields = { clusterId, memberId: machine, name: machine, birth, appliedIndex: 0 };
  return event(`${machine}/etcd`, EtcdEvent.MemberStarted.name, fields);
}

function waiting(machine: string): TraceEvent {
  return event(machine, etcdPhase.name, { phase: 'waiting-to-join', memberId: '' });
}

function leads(machine: string, term: number): TraceEvent {
  return event(`${machine}/etcd`, EtcdEvent.BecameLeader.name, { clusterId: 'c1', memberId: machine, term });
}

function applied(machine: string, index: number, term: number): TraceEvent {
  const fields = { clusterId: 'c1', memberId: machine, index, term, revision: index };
  return event(`${machine}/etcd`, EtcdEvent.Applied.name, fields);
}

function added(by: string, memberId: string, index: number): TraceEvent {
  return event(`${by}/etcd`, EtcdEvent.MemberAdded.name, { by, memberId, learner: true, index });
}

function broken(...events: readonly TraceEvent[]): string[] {
  const checkers = new CheckerSet();
  for (const one of events) checkers.take(one);
  checkers.finish();
  return checkers.violations.map(({ guarantee }) => guarantee);
}

describe('etcd lineage', () => {
  it('a wiped founder that founds again makes a second birth with the same cluster id', () => {
    const lineage = new EtcdLineage();
    for (const one of [started('cp-1', 'new'), started('cp-2', 'join'), waiting('cp-1'), started('cp-1', 'new')])
      lineage.take(one);
    expect(lineage.births.map(({ number, machine }) => [number, machine])).toEqual([
      [1, 'cp-1'],
      [2, 'cp-1'],
    ]);
    expect(lineage.birthOn('cp-2')?.number).toBe(1);
    lineage.take(started('cp-2', 'restart'));
    expect(lineage.birthOn('cp-2')?.number).toBe(1);
  });

  it('a restore is legitimate once nobody has data of the old cluster', () => {
    const before = [started('cp-1', 'new'), started('cp-2', 'join')];
    expect(broken(...before, waiting('cp-1'), started('cp-1', 'restore'))).toEqual(['one-etcd-birth']);
    expect(broken(...before, waiting('cp-1'), waiting('cp-2'), started('cp-1', 'restore'))).toEqual([]);
    const blanked = (system: boolean): TraceEvent => event('cp-2', diskBlanked.name, { disk: '/dev/sda', system });
    expect(broken(...before, waiting('cp-1'), blanked(true), started('cp-1', 'restore'))).toEqual([]);
    expect(broken(...before, waiting('cp-1'), blanked(false), started('cp-1', 'restore'))).toEqual(['one-etcd-birth']);
  });

  it('terms and logs of two births are not compared', () => {
    const first = [started('cp-1', 'new'), leads('cp-1', 2), started('cp-2', 'join'), leads('cp-2', 3)];
    const events = [...first, applied('cp-2', 10, 3), waiting('cp-1'), started('cp-1', 'new'), leads('cp-1', 3)];
    expect(broken(...events, applied('cp-1', 5, 2), applied('cp-1', 12, 3))).toEqual(['one-etcd-birth']);
  });

  it('an entry of a later term below one of an earlier term was written where another was lost', () => {
    const before = [started('cp-1', 'new'), started('cp-2', 'join'), applied('cp-1', 7, 2), applied('cp-1', 9, 2)];
    expect(broken(...before, applied('cp-2', 10, 3))).toEqual([]);
    expect(broken(...before, applied('cp-2', 8, 3))).toEqual(['committed-never-lost']);
    expect(broken(...before, applied('cp-2', 12, 3), applied('cp-2', 13, 2))).toEqual(['committed-never-lost']);
  });

  it('founders of one list begin one birth; one of them that begins again begins another', () => {
    const together = [started('cp-1', 'new'), started('cp-2', 'new'), leads('cp-2', 2)];
    expect(broken(...together)).toEqual([]);
    expect(broken(...together, leads('cp-1', 2))).toEqual(['one-leader-a-term']);
    expect(broken(...together, started('cp-1', 'new'), leads('cp-1', 2))).toEqual(['one-etcd-birth']);
  });

  it('a restored member that ended before its first entry goes on, one that was wiped does not', () => {
    const lineage = new EtcdLineage();
    const events = [started('cp-1', 'restore'), started('cp-2', 'restore'), started('cp-1', 'restore')];
    for (const one of events) lineage.take(one);
    expect(lineage.births).toHaveLength(1);
    for (const one of [waiting('cp-1'), started('cp-1', 'restore')]) lineage.take(one);
    expect(lineage.birthOn('cp-1')?.number).toBe(2);
    expect(lineage.birthOn('cp-2')?.number).toBe(1);
  });

  it('who joins belongs to the cluster that added it, and its changes of members are its own', () => {
    const again = [started('cp-1', 'new'), started('cp-2', 'join'), waiting('cp-1'), started('cp-1', 'new')];
    const lineage = new EtcdLineage();
    for (const one of [...again, added('cp-2', 'cp-3', 8), started('cp-3', 'join')]) lineage.take(one);
    expect(lineage.birthOn('cp-3')?.number).toBe(1);
    expect(broken(...again, added('cp-2', 'cp-3', 8), added('cp-1', 'cp-4', 8))).toEqual(['one-etcd-birth']);
    expect(broken(...again.slice(0, 2), added('cp-2', 'cp-3', 8), added('cp-1', 'cp-4', 8))).toEqual([
      'one-membership',
    ]);
  });
});

/** Members of a run whose requests are followed. */
class FollowedMembers {
  readonly checkers = new CheckerSet();

  take(...events: readonly TraceEvent[]): void {
    for (const one of events) this.checkers.take(one);
  }

  /** A put on a member whose state is that of `replica`; every put is an entry of its own. */
  put(machine: string, replica: Replica, index: number, value: string): void {
    const put = PutRequest.of({ key: utf8Encode('k'), value: utf8Encode(value), lease: NO_LEASE, prevKv: true });
    const request = requestOf(index, { put });
    this.checkers.etcd.applied(machine, index, 2, request, replica.apply(index, request));
  }

  get complaints(): string[] {
    return this.checkers.violations
      .filter(({ guarantee }) => guarantee === 'etcd-linearizable')
      .map(({ detail }) => detail);
  }
}

describe('a cluster that is founded again under the same id', () => {
  const replica = (): Replica => new Replica('000000000000000a', () => {});

  it('begins with nothing, and who has data of the former one goes on with that', () => {
    const members = new FollowedMembers();
    const [first, second, again] = [replica(), replica(), replica()];
    members.take(started('cp-1', 'new'));
    members.put('cp-1', first, 5, 'a');
    members.take(started('cp-2', 'join'));
    members.put('cp-2', second, 5, 'a');
    members.take(waiting('cp-1'), started('cp-1', 'new'));
    members.put('cp-1', again, 5, 'b');
    members.take(started('cp-2', 'restart'));
    members.put('cp-2', second, 6, 'c');
    expect(members.complaints).toEqual([]);
  });

  it('is followed: one that goes on with the data of the former one is told', () => {
    const members = new FollowedMembers();
    const [first, again] = [replica(), replica()];
    members.take(started('cp-1', 'new'));
    members.put('cp-1', first, 5, 'a');
    members.take(waiting('cp-1'), started('cp-1', 'new'));
    members.put('cp-1', first, 6, 'b');
    members.put('cp-1', again, 7, 'c');
    expect(members.complaints[0]).toContain('applied as specified: entry 6 on cp-1');
  });
});
