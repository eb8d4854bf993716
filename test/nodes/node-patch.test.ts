import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import { applyToNode, type NodeWishes } from '../../src/nodes/kube/node-patch.ts';

const NOTHING: NodeWishes = { labels: {}, annotations: {}, taints: [], cordoned: false };
const TAINT = { key: 'node-role.kubernetes.io/control-plane', value: '', effect: 'NoSchedule' };

function node(labels: Record<string, string> = {}, spec: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'cp-1', labels, annotations: {} }, spec };
}

describe('labels, annotations, taints and cordon of a Node (reference/controllers.md B.6)', () => {
  it('owns what it sets and takes it away again', () => {
    const set = applyToNode(node({ other: 'x' }), { ...NOTHING, labels: { mine: '1' } });
    expect(set.metadata.labels).toEqual({ other: 'x', mine: '1' });
    expect(set.metadata.annotations).toEqual({ 'talos.dev/owned-labels': '["mine"]' });
    const changed = applyToNode(set, { ...NOTHING, labels: { mine: '2' } });
    expect(changed.metadata.labels).toEqual({ other: 'x', mine: '2' });
    const gone = applyToNode(changed, NOTHING);
    expect(gone.metadata.labels).toEqual({ other: 'x' });
    expect(gone.metadata.annotations).toEqual({});
  });

  it('leaves alone what somebody else set differently', () => {
    const before = node({ zone: 'theirs' });
    expect(applyToNode(before, { ...NOTHING, labels: { zone: 'ours' } })).toBe(before);
    const same = applyToNode(before, { ...NOTHING, labels: { zone: 'theirs' } });
    expect(same.metadata.annotations).toEqual({ 'talos.dev/owned-labels': '["zone"]' });
  });

  it('matches taints by key alone', () => {
    const theirs = { key: TAINT.key, effect: 'NoExecute' };
    const kept = applyToNode(node({}, { taints: [theirs] }), { ...NOTHING, taints: [TAINT] });
    expect(kept.spec).toEqual({ taints: [theirs] });
    const set = applyToNode(node(), { ...NOTHING, taints: [{ ...TAINT, value: 'a' }] });
    expect(set.spec).toEqual({ taints: [{ key: TAINT.key, value: 'a', effect: 'NoSchedule' }] });
    const changed = applyToNode(set, { ...NOTHING, taints: [TAINT] });
    expect(changed.spec).toEqual({ taints: [{ key: TAINT.key, effect: 'NoSchedule' }] });
    expect(applyToNode(changed, NOTHING).spec).toEqual({});
  });

  it('uncordons only its own cordon', () => {
    const cordoned = applyToNode(node(), { ...NOTHING, cordoned: true });
    expect(cordoned.spec).toEqual({ unschedulable: true });
    expect(cordoned.metadata.annotations).toEqual({ 'talos.dev/cordoned': 'true' });
    expect(applyToNode(cordoned, NOTHING).spec).toEqual({});
    const byHand = node({}, { unschedulable: true });
    expect(applyToNode(byHand, NOTHING)).toBe(byHand);
  });

  it('reaches a fixpoint in one step, whatever was there', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const pairs = fc.dictionary(key, fc.constantFrom('1', '2'));
    const taints = fc.uniqueArray(
      fc.record({ key, value: fc.constantFrom('', 'x'), effect: fc.constantFrom('NoSchedule', 'NoExecute') }),
      { selector: (taint) => taint.key },
    );
    const wishes = fc.record({ labels: pairs, annotations: pairs, taints, cordoned: fc.boolean() });
    fc.assert(
      fc.property(pairs, fc.array(wishes, { minLength: 1, maxLength: 5 }), (labels, list) => {
        let current = node(labels);
        for (const wanted of list) {
          current = applyToNode(current, wanted);
          expect(applyToNode(current, wanted)).toBe(current);
        }
        const bare = applyToNode(current, NOTHING);
        expect(bare.metadata.annotations).toEqual({});
        for (const name of Object.keys(bare.metadata.labels ?? {})) expect(labels).toHaveProperty(name);
      }),
    );
  });
});
