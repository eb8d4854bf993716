import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tierOf, type Upstream, UpstreamList } from '../../src/nodes/kubeprism/upstreams.ts';

const upstream = (key: string): Upstream => ({ key, host: key, port: 6443 });

function listOf(...keys: readonly string[]): { list: UpstreamList; told: string[] } {
  const told: string[] = [];
  const list = new UpstreamList(({ key }, usable) => told.push(`${key} ${usable ? 'up' : 'down'}`));
  list.reconcile(keys.map(upstream));
  return { list, told };
}

describe('backends of KubePrism (reference/network-config.md B.3, F.4; reference/corrections.md 1a-5, 10, 39)', () => {
  it('scores as the reference trace', () => {
    const { list, told } = listOf('a');
    const scores: (number | undefined)[] = [list.score('a')];
    for (let i = 0; i < 5; i++) {
      list.down('a');
      scores.push(list.score('a'));
    }
    for (let i = 0; i < 7; i++) {
      list.up('a', 200);
      scores.push(list.score('a'));
    }
    expect(scores).toEqual([1, 0, -1, -2, -3, -3, -2, -1, 0, 1, 2, 3, 3]);
    expect(told).toEqual(['a down', 'a up']);
  });

  it('takes four failures to give up a healthy backend, and three good probes to trust a dead one again', () => {
    const { list } = listOf('a');
    for (let i = 0; i < 5; i++) list.up('a', 200);
    for (let i = 0; i < 3; i++) list.down('a');
    expect(list.pick()?.key).toBe('a');
    list.down('a');
    expect(list.pick()).toBeUndefined();
    for (let i = 0; i < 5; i++) list.down('a');
    list.up('a', 200);
    list.up('a', 200);
    expect(list.pick()).toBeUndefined();
    list.up('a', 200);
    expect(list.pick()?.key).toBe('a');
  });

  it('sorts connect times into tiers', () => {
    expect([50, 100, 999, 1_000, 20_000, 200_000, 5_000_000].map(tierOf)).toEqual([0, 1, 1, 2, 3, 4, 5]);
  });

  it('takes turns within the best tier and leaves others alone', () => {
    const { list } = listOf('near', 'far', 'near too');
    list.up('near', 200);
    list.up('near too', 300);
    list.up('far', 5_000);
    expect(Array.from({ length: 4 }, () => list.pick()!.key)).toEqual(['near', 'near too', 'near', 'near too']);
    for (const key of ['near', 'near too']) for (let i = 0; i < 3; i++) list.down(key);
    expect(list.pick()!.key).toBe('far');
  });

  it('keeps scores of backends that stay', () => {
    const { list } = listOf('a', 'b');
    list.down('a');
    list.reconcile(['b', 'a', 'c', 'c'].map(upstream));
    expect(list.upstreams.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect([list.score('a'), list.score('c')]).toEqual([0, 1]);
    list.reconcile([upstream('c')]);
    expect(list.score('a')).toBeUndefined();
  });

  it('picks only backends that are there and not known to be down', () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('up' as const), key: fc.constantFrom('a', 'b', 'c'), us: fc.nat(2_000_000) }),
      fc.record({ what: fc.constant('down' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ what: fc.constant('keep' as const), keys: fc.subarray(['a', 'b', 'c']) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { list } = listOf('a', 'b', 'c');
        for (const each of steps) {
          if (each.what === 'up') list.up(each.key, each.us);
          else if (each.what === 'down') list.down(each.key);
          else list.reconcile(each.keys.map(upstream));
          const usable = list.upstreams.filter(({ key }) => list.score(key)! >= 0);
          const picked = list.pick();
          expect(picked === undefined).toBe(usable.length === 0);
          if (picked !== undefined) expect(usable).toContain(picked);
        }
      }),
    );
  });
});
