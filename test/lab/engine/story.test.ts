import { describe, expect, it } from 'vitest';
import { tellStory } from '../../../src/lab/engine/story.ts';
import type { ClusterView, EtcdClusterView, EtcdMemberView } from '../../../src/lab/view/types.ts';

function member(name: string, learner = false): EtcdMemberView {
  return { name, id: `id-${name}`, learner, healthy: true };
}

function cluster(machine: string, ...members: readonly EtcdMemberView[]): EtcdClusterView {
  const birth = { machine, atUs: 47_000_000, how: 'bootstrap' };
  return { birth, id: `cluster-${machine}`, leader: members[0]!.id, term: 2, revision: 9, members };
}

function view(...clusters: readonly EtcdClusterView[]): ClusterView {
  const machines = ['cp-1', 'cp-2', 'cp-3'].map((name) => ({
    ...{ name, node: name, power: 'on' as const, stage: 'running', disk: 'v1.11.3', config: 'controlplane' },
    ...{ etcd: '', controlPlane: '', kubelet: '' },
  }));
  const etcd = { clusters, quorum: 1, writable: true };
  return { etcd, kubernetes: { nodes: [] }, vip: { address: '10.0.0.5', owners: ['cp-1', 'cp-2'] }, machines };
}

describe('the story of a split brain', () => {
  it('says why, what each side believes, how to see it, and the repair in order', () => {
    const text = tellStory(
      view(cluster('cp-1', member('cp-1'), member('cp-3')), cluster('cp-2', member('cp-2'))),
      undefined,
    );
    const story = text.join('\n');
    expect(story).toContain('There are 2 etcd clusters, founded on cp-1 and cp-2; they never merge.');
    expect(story).toContain(
      'Born on cp-1 at 47s (id cluster-cp-1): "I am the cluster. My members are cp-1, cp-3." cp-1 leads it, term 2',
    );
    expect(story).toContain('cp-1 and cp-2 both hold 10.0.0.5');
    expect(story).toContain('talosctl etcd members, asked of every control plane: the lists differ');
    expect(story).toMatch(
      /keep one side, here that of cp-1[\s\S]*1\. Wipe cp-2, [\s\S]*2\. [\s\S]*Never bootstrap again[\s\S]*3\. [\s\S]*4\. /,
    );
    expect(story).not.toContain('belongs to neither');
  });

  it('keeps the larger side, and tells of a control plane that is in neither and of learners without a name', () => {
    const larger = cluster('cp-2', member('cp-2'), member('cp-4'), member('', true));
    const story = tellStory(view(cluster('cp-1', member('cp-1')), larger), undefined).join('\n');
    expect(story).toContain('here that of cp-2');
    expect(story).toContain('Wipe cp-1, cp-3,');
    expect(story).toContain('a learner that never said its name');
    expect(story).toContain('cp-3 belongs to neither');
  });
});
