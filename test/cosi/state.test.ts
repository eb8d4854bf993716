import { describe, expect, it } from 'vitest';
import { resourceKind, StateError, waitFor, watchKind, watchOne } from '../../src/cosi/index.ts';
import { TestWorld } from './harness.ts';

interface Spec {
  readonly value: number;
}
const KIND = resourceKind<Spec>('ns', 'Things.test.talos.dev');
const POINTER = { namespace: 'ns', type: KIND.type, id: 'a' };

function refusal(action: () => unknown): StateError {
  try {
    action();
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('state', () => {
  it('versions start at 1, grow by one with each write, and owners are stamped at creation', () => {
    const world = new TestWorld();
    const state = world.state();
    const first = state.create(KIND, 'a', { value: 1 }, { owner: 'x' });
    expect(first.metadata).toMatchObject({ version: 1, owner: 'x', phase: 'running', createdUs: 1_000_000 });
    world.advance(5);
    const second = state.modify(KIND, 'a', () => ({ value: 2 }), { owner: 'x' });
    expect(second.metadata).toMatchObject({ version: 2, createdUs: 1_000_000, updatedUs: 1_000_005 });
  });

  it('refuses in COSI order and words', () => {
    const state = new TestWorld().state();
    expect(refusal(() => state.destroy(POINTER)).message).toBe(
      "resource Things.test.talos.dev(ns/a@undefined) doesn't exist",
    );
    const old = state.create(KIND, 'a', { value: 1 }, { owner: 'x' });
    expect(refusal(() => state.create(KIND, 'a', { value: 1 })).message).toBe(
      'resource Things.test.talos.dev(ns/a@undefined) already exists',
    );
    const owned = refusal(() => state.update(old, { owner: 'y' }));
    expect([owned.code, owned.message]).toEqual([
      'owner-conflict',
      'resource Things.test.talos.dev(ns/a@1) is owned by "x"',
    ]);
    state.modify(KIND, 'a', () => ({ value: 2 }), { owner: 'x' });
    expect(refusal(() => state.update(old, { owner: 'x' })).message).toContain(
      'expected version "1", actual version "2"',
    );
    state.addFinalizer(POINTER, 'f');
    expect(refusal(() => state.destroy(POINTER, { owner: 'x' })).message).toContain('has pending finalizers [f]');
    expect(state.teardown(POINTER, { owner: 'x' })).toBe(false);
    const phase = refusal(() => state.modify(KIND, 'a', () => ({ value: 3 }), { owner: 'x' }));
    expect([phase.code, phase.message]).toEqual([
      'phase-conflict',
      'resource Things.test.talos.dev(ns/a@4) is not in phase running',
    ]);
    state.removeFinalizer(POINTER, 'f');
    expect(state.teardown(POINTER, { owner: 'x' })).toBe(true);
    state.destroy(POINTER, { owner: 'x' });
    expect(state.get(KIND, 'a')).toBeUndefined();
  });

  it('a write without a difference is no write and no event', () => {
    const state = new TestWorld().state();
    state.create(KIND, 'a', { value: 1 });
    let changes = 0;
    state.listen(() => changes++);
    expect(state.modify(KIND, 'a', () => ({ value: 1 })).metadata.version).toBe(1);
    expect(changes).toBe(0);
  });

  it('lists by id and selects by labels and id', () => {
    const state = new TestWorld().state();
    state.create(KIND, 'b', { value: 2 }, { labels: { tier: 'x' } });
    state.create(KIND, 'a', { value: 1 });
    expect(state.list(KIND).map((r) => r.metadata.id)).toEqual(['a', 'b']);
    const labelled = { labels: [[{ key: 'tier', op: 'equal' as const, values: ['x'] }]] };
    expect(state.list(KIND, labelled).map((r) => r.metadata.id)).toEqual(['b']);
    const without = { labels: [[{ key: 'tier', op: 'exists' as const, negated: true }]] };
    expect(state.list(KIND, without).map((r) => r.metadata.id)).toEqual(['a']);
    expect(state.list(KIND, { idPattern: '^b' }).map((r) => r.metadata.id)).toEqual(['b']);
  });
});

describe('watches', () => {
  it('of one resource start with its presence or absence', () => {
    const state = new TestWorld().state();
    const absent = watchOne(state, KIND, 'a');
    expect(absent.poll()?.kind).toBe('absent');
    state.create(KIND, 'a', { value: 1 });
    state.create(KIND, 'other', { value: 1 });
    state.destroy(POINTER);
    expect([absent.poll()?.kind, absent.poll()?.kind, absent.poll()]).toEqual(['created', 'destroyed', undefined]);
    expect(watchOne(state, KIND, 'other').poll()?.kind).toBe('created');
  });

  it('of a kind can deliver contents first', () => {
    const state = new TestWorld().state();
    state.create(KIND, 'b', { value: 1 });
    state.create(KIND, 'a', { value: 1 });
    expect(watchKind(state, KIND).poll()).toBeUndefined();
    const watch = watchKind(state, KIND, { bootstrapContents: true });
    expect([watch.poll()?.kind, watch.poll()?.kind, watch.poll()?.kind]).toEqual([
      'created',
      'created',
      'bootstrapped',
    ]);
    state.modify(KIND, 'a', () => ({ value: 2 }));
    expect(watch.poll()).toMatchObject({
      kind: 'updated',
      old: { spec: { value: 1 } },
      resource: { spec: { value: 2 } },
    });
  });

  it('with a query turn entering and leaving into created and destroyed', () => {
    const state = new TestWorld().state();
    const watch = watchKind(state, KIND, { query: { labels: [[{ key: 'on', op: 'exists' }]] } });
    state.create(KIND, 'a', { value: 1 });
    state.modify(KIND, 'a', () => ({ value: 1 }), { labels: { on: '' } });
    state.modify(KIND, 'a', () => ({ value: 2 }));
    state.modify(KIND, 'a', () => ({ value: 2 }), { labels: {} });
    expect([watch.poll()?.kind, watch.poll()?.kind, watch.poll()?.kind, watch.poll()]).toEqual([
      'created',
      'updated',
      'destroyed',
      undefined,
    ]);
  });

  it('replay from a bookmark or a tail, and refuse what history no longer holds', () => {
    const state = new TestWorld().state();
    state.create(KIND, 'a', { value: 0 });
    const watch = watchKind(state, KIND, { bootstrapBookmark: true });
    const first = watch.poll();
    for (let value = 1; value <= 3; value++) state.modify(KIND, 'a', () => ({ value }));
    const bookmark = first?.kind === 'noop' ? first.bookmark : '';
    const replay = watchKind(state, KIND, { from: bookmark });
    expect([1, 2, 3].map(() => replay.poll()?.kind)).toEqual(['updated', 'updated', 'updated']);
    const tail = watchKind(state, KIND, { tail: 2 });
    expect(tail.poll()).toMatchObject({ resource: { spec: { value: 2 } } });
    for (let value = 4; value < 2000; value++) state.modify(KIND, 'a', () => ({ value }));
    expect(refusal(() => watchKind(state, KIND, { from: bookmark })).code).toBe('invalid-bookmark');
    expect(refusal(() => watchKind(state, KIND, { from: `${'0'.repeat(31)}1` })).code).toBe('invalid-bookmark');
    expect(watch.poll()?.kind).toBe('errored');
    expect(watch.poll()).toBeUndefined();
  });

  it('waitFor resumes when the condition holds', () => {
    const world = new TestWorld();
    const state = world.state();
    let seen = 0;
    world.scope.spawn('waiter', function* () {
      const found = yield* waitFor(state, KIND, 'a', (resource) => (resource?.spec.value ?? 0) > 1);
      seen = found?.spec.value ?? -1;
    });
    world.settle();
    state.create(KIND, 'a', { value: 1 });
    world.settle();
    expect(seen).toBe(0);
    state.modify(KIND, 'a', () => ({ value: 7 }));
    world.settle();
    expect(seen).toBe(7);
  });
});
