import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../../src/etcd/events.ts';
import { CheckerSet } from '../../../src/lab/checkers/all.ts';
import { EtcdLineage } from '../../../src/lab/view/etcd-lineage.ts';
import { etcdPhase } from '../../../src/nodes/events.ts';
import type { TraceEvent } from '../../../src/sim/trace.ts';
import { diskBlanked } from '../../../src/world/events.ts';

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
});
