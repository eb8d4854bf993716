import { expect, it } from 'vitest';
import { nodeChanged } from '../../../src/kube/events.ts';
import { checkExpectation } from '../../../src/lab/engine/expect.ts';
import { ChangeNarrator } from '../../../src/lab/view/narrate.ts';
import type { ClusterView } from '../../../src/lab/view/types.ts';
import { kubePrismHealth } from '../../../src/nodes/events.ts';
import type { TraceEvent } from '../../../src/sim/trace.ts';

function told(events: readonly (readonly [kind: string, fields: object])[]): (string | undefined)[] {
  const narrator = new ChangeNarrator();
  return events.map(([kind, fields]) => narrator.tell({ kind, fields, timeUs: 0, source: 'cp-1/x' } as TraceEvent));
}

it('a new Node that is not ready is no news; that it no longer is, and that it is deleted, are', () => {
  const node = (ready: boolean, deleted = false) => [nodeChanged.name, { name: 'cp-1', ready, deleted }] as const;
  expect(told([node(false), node(true), node(true), node(false), node(false, true), node(false)])).toEqual([
    undefined,
    'Node cp-1 is Ready',
    undefined,
    'Node cp-1 is NotReady',
    'Node cp-1 is deleted',
    undefined,
  ]);
});

it('KubePrism has an API server only after it had none', () => {
  const health = (healthy: boolean) => [kubePrismHealth.name, { healthy }] as const;
  expect(told([health(true), health(false), health(true)])).toEqual([
    undefined,
    'cp-1: KubePrism has no API server',
    'cp-1: KubePrism has an API server',
  ]);
});

it('a list of nobody is seen as none', () => {
  const view = {
    etcd: { clusters: [], quorum: 0, writable: false },
    kubernetes: { nodes: [] },
    machines: [],
  } as unknown as ClusterView;
  const [births, leader] = checkExpectation({ etcd: { births: ['cp-1'] } }, view).concat(
    checkExpectation({ etcd: { leader: 'cp-1' } }, view),
  );
  expect([births?.saw, leader?.saw]).toEqual(['none', 'none']);
  expect(checkExpectation({ etcd: { births: [] } }, view)[0]?.held).toBe(true);
});
