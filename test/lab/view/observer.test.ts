import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../../src/etcd/events.ts';
import { kubeletRegistered, nodeChanged } from '../../../src/kube/events.ts';
import { nodeText } from '../../../src/lab/view/node-text.ts';
import { ClusterObserver } from '../../../src/lab/view/observer.ts';
import { etcdPhase } from '../../../src/nodes/events.ts';
import { kernelEnded } from '../../../src/sim/events.ts';
import type { TraceEvent } from '../../../src/sim/trace.ts';
import { diskBlanked } from '../../../src/world/events.ts';

let sequence = 0;

function event(source: string, kind: string, fields: TraceEvent['fields']): TraceEvent {
  sequence++;
  return { timeUs: sequence * 1000, sequence, source, kind, fields };
}

function started(machine: string, birth: string): readonly TraceEvent[] {
  const identity = { clusterId: 'c1', memberId: machine };
  return [
    event(`${machine}/etcd`, EtcdEvent.MemberStarted.name, { ...identity, name: machine, birth, appliedIndex: 0 }),
    event(`${machine}/etcd`, EtcdEvent.BecameLeader.name, { ...identity, term: 2 }),
  ];
}

function node(machine: string, name: string, ready: boolean, revision: number): TraceEvent {
  return event(`${machine}/kube-apiserver`, nodeChanged.name, { name, ready, deleted: false, revision });
}

function waiting(machine: string): TraceEvent {
  return event(machine, etcdPhase.name, { phase: 'waiting-to-join', memberId: '' });
}

describe('observer of a run', () => {
  it('Nodes of a restored cluster are seen while a machine that is off keeps data of the old one, and after', () => {
    const observer = new ClusterObserver(['cp-1', 'cp-2']);
    const ready = (): readonly string[] =>
      observer.view().kubernetes.nodes.map((seen) => `${seen.name} ${seen.ready ? 'Ready' : 'NotReady'}`);
    const take = (...events: readonly TraceEvent[]): void => {
      for (const one of events) observer.take(one);
    };
    take(...started('cp-2', 'new'), node('cp-2', 'cp-1', true, 700), node('cp-2', 'cp-2', true, 800));
    take(event('cp-2', kernelEnded.name, { how: 'cut' }), waiting('cp-1'), ...started('cp-1', 'restore'));
    take(node('cp-1', 'cp-1', true, 300), node('cp-1', 'cp-2', false, 310));
    expect(ready()).toEqual(['cp-1 Ready', 'cp-2 NotReady']);
    take(event('cp-2', diskBlanked.name, { disk: '/dev/sda', system: true }));
    expect(observer.view().etcd.clusters.map((cluster) => cluster.birth.how)).toEqual(['restore']);
    expect(ready()).toEqual(['cp-1 Ready', 'cp-2 NotReady']);
    expect(observer.view().machines[1]).toMatchObject({ power: 'off', disk: 'ISO · maintenance', config: 'no config' });
  });

  it('a machine that was renamed is shown with its new Node', () => {
    const observer = new ClusterObserver(['cp-1']);
    for (const one of [...started('cp-1', 'new'), node('cp-1', 'cp-1', true, 10)]) observer.take(one);
    const shown = (): string => nodeText(observer.view(), observer.view().machines[0]!);
    expect(shown()).toBe('Ready');
    for (const one of [node('cp-1', 'cp-1', false, 20), node('cp-1', 'renamed', true, 30)]) observer.take(one);
    expect(shown()).toBe('NotReady');
    observer.take(event('cp-1/kubelet', kubeletRegistered.name, { node: 'renamed' }));
    expect(shown()).toBe('Ready');
  });
});
