import { describe, expect, it } from 'vitest';
import {
  type AccessError,
  type Controller,
  ControllerError,
  exclusive,
  passController,
  type QueueController,
  resourceKind,
  SKIP,
  shared,
  strong,
  transformController,
  weak,
} from '../../src/cosi/index.ts';
import { Fatal } from '../../src/platform/errors.ts';
import { TestWorld } from './harness.ts';

interface Num {
  readonly n: number;
}
const IN = resourceKind<Num>('ns', 'Ins.test.talos.dev');
const OUT = resourceKind<Num>('ns', 'Outs.test.talos.dev');
const OTHER = resourceKind<Num>('ns', 'Others.test.talos.dev');

const doubling = transformController<Num, Num>({
  name: 'test.DoublingController',
  input: IN,
  output: OUT,
  map: (input) => (input.spec.n < 0 ? undefined : input.metadata.id),
  compute: (input) => {
    if (input.spec.n === 13) throw new ControllerError('unlucky');
    return input.spec.n === 7 ? SKIP : { n: input.spec.n * 2 };
  },
});

describe('transform controllers', () => {
  it('keep one output for each input, and remove what has no input any more', () => {
    const world = new TestWorld();
    const state = world.state();
    world.runtime(state).register(doubling);
    state.create(IN, 'a', { n: 1 });
    state.create(IN, 'b', { n: 2 });
    world.settle();
    expect(state.list(OUT).map((r) => r.spec.n)).toEqual([2, 4]);
    expect(state.get(OUT, 'a')?.metadata.owner).toBe('test.DoublingController');
    state.modify(IN, 'a', () => ({ n: -1 }));
    world.settle();
    expect(state.list(OUT).map((r) => r.metadata.id)).toEqual(['b']);
    state.modify(IN, 'b', () => ({ n: 7 }));
    world.settle();
    expect(state.get(OUT, 'b')?.spec.n).toBe(4);
  });

  it('go on with other inputs when one fails, and try again with a growing pause', () => {
    const world = new TestWorld();
    const state = world.state();
    world.runtime(state).register(doubling);
    state.create(IN, 'a', { n: 13 });
    state.create(IN, 'b', { n: 2 });
    world.advance(20_000_000);
    expect(state.list(OUT).map((r) => r.spec.n)).toEqual([4]);
    const failures = world.events.filter((event) => event.name === 'cosi.controller.failed');
    expect(failures.length).toBeGreaterThan(4);
    expect(failures[0]?.fields.error).toContain('error running transform on Ins.test.talos.dev(a): unlucky');
    const pauses = failures.map((event) => event.fields.pauseUs as number);
    expect(pauses[0]).toBeGreaterThanOrEqual(250_000);
    expect(pauses[0]).toBeLessThanOrEqual(750_000);
    expect(pauses[4]).toBeGreaterThan(1_000_000);
    state.modify(IN, 'a', () => ({ n: 3 }));
    world.advance(60_000_000);
    expect(state.list(OUT).map((r) => r.spec.n)).toEqual([6, 4]);
  });

  it('with releaseInput hold the input until its output is gone', () => {
    const world = new TestWorld();
    const state = world.state();
    const released: string[] = [];
    world.runtime(state).register(
      transformController<Num, Num>({
        name: 'test.HoldingController',
        input: IN,
        output: OUT,
        map: (input) => input.metadata.id,
        compute: (input) => input.spec,
        releaseInput: (input) => released.push(input.metadata.id),
      }),
    );
    const { metadata } = state.create(IN, 'a', { n: 1 });
    world.settle();
    state.addFinalizer({ namespace: 'ns', type: OUT.type, id: 'a' }, 'consumer');
    expect(state.teardown(metadata)).toBe(false);
    world.settle();
    expect(state.get(OUT, 'a')?.metadata.phase).toBe('tearingDown');
    expect(state.get(IN, 'a')?.metadata.finalizers).toEqual(['test.HoldingController']);
    state.removeFinalizer({ namespace: 'ns', type: OUT.type, id: 'a' }, 'consumer');
    world.settle();
    expect(state.get(OUT, 'a')).toBeUndefined();
    expect(state.get(IN, 'a')?.metadata.finalizers).toEqual([]);
    expect(released).toContain('a');
  });
});

describe('the runtime', () => {
  it('coalesces any number of changes into one pass', () => {
    const world = new TestWorld();
    const state = world.state();
    let passes = 0;
    world.runtime(state).register(
      passController({
        name: 'c',
        inputs: [weak(IN)],
        outputs: [],
        pass: () => {
          passes++;
          return undefined;
        },
      }),
    );
    world.settle();
    expect(passes).toBe(1);
    for (let n = 0; n < 10; n++) state.create(IN, `i${n}`, { n });
    world.settle();
    expect(passes).toBe(2);
  });

  it('refuses outputs claimed twice, and what was not declared', () => {
    const world = new TestWorld();
    const runtime = world.runtime(world.state());
    const make = (name: string, output: Controller['outputs']): Controller =>
      passController({ name, inputs: [], outputs: output, pass: () => undefined });
    runtime.register(make('a', [exclusive(OUT)]));
    expect(() => runtime.register(make('b', [exclusive(OUT)]))).toThrow(
      'resource "Outs.test.talos.dev" is already managed in exclusive mode by "a"',
    );
    runtime.register(make('c', [shared(OTHER)]));
    runtime.register(make('d', [shared(OTHER)]));
    expect(() => runtime.register(make('e', [exclusive(OTHER)]))).toThrow('already managed in shared mode by "c"');
    expect(() =>
      runtime.register(
        passController({ name: 'f', inputs: [weak(IN), strong(IN)], outputs: [], pass: () => undefined }),
      ),
    ).toThrow('duplicate controller input');
  });

  it('does not let a controller read, write or hold what it did not declare', () => {
    const world = new TestWorld();
    const state = world.state();
    state.create(IN, 'a', { n: 1 });
    const errors: string[] = [];
    world.runtime(state).register(
      passController({
        name: 'c',
        inputs: [weak(IN, 'a')],
        outputs: [exclusive(OUT)],
        pass: (context) => {
          const tries = [
            () => context.list(IN),
            () => context.get(OTHER, 'x'),
            () => context.set(OTHER, 'x', { n: 1 }),
            () => context.addFinalizer(IN, 'a', 'c'),
          ];
          for (const attempt of tries) {
            try {
              attempt();
              errors.push('allowed');
            } catch (error) {
              errors.push((error as AccessError).name);
            }
          }
          expect(context.get(IN, 'a')?.spec.n).toBe(1);
          return undefined;
        },
      }),
    );
    world.settle();
    expect(errors).toEqual(['AccessError', 'AccessError', 'AccessError', 'AccessError']);
  });

  it('starts a panicking controller again, and lets a defect of ours escape', () => {
    const world = new TestWorld();
    const state = world.state();
    let passes = 0;
    const runtime = world.runtime(state);
    runtime.register(
      passController({
        name: 'panics',
        inputs: [weak(IN)],
        outputs: [],
        pass: () => {
          if (passes++ === 0) throw new Fatal('index out of range');
          return undefined;
        },
      }),
    );
    world.advance(2_000_000);
    expect(passes).toBe(2);
    expect(world.events.find((event) => event.name === 'cosi.controller.failed')?.fields.error).toBe(
      'controller "panics" panicked: index out of range',
    );
    expect(world.escapes).toEqual([]);
    runtime.register(
      passController({
        name: 'broken',
        inputs: [],
        outputs: [],
        pass: () => {
          throw new TypeError('undefined is not a function');
        },
      }),
    );
    world.settle();
    expect(world.escapes).toHaveLength(1);
  });

  it('output tracking destroys what was not written in a pass', () => {
    const world = new TestWorld();
    const state = world.state();
    world.runtime(state).register(
      passController({
        name: 'c',
        inputs: [weak(IN)],
        outputs: [shared(OUT)],
        pass: (context) => {
          context.startTrackingOutputs();
          for (const input of context.list(IN)) context.set(OUT, input.metadata.id, input.spec);
          context.cleanupOutputs(OUT);
          return undefined;
        },
      }),
    );
    state.create(OUT, 'foreign', { n: 0 });
    const { metadata } = state.create(IN, 'a', { n: 1 });
    world.settle();
    expect(state.list(OUT).map((r) => r.metadata.id)).toEqual(['a', 'foreign']);
    state.destroy(metadata);
    world.settle();
    expect(state.list(OUT).map((r) => r.metadata.id)).toEqual(['foreign']);
  });
});

describe('queue controllers', () => {
  it('work through items, map other inputs to them, and back off per item', () => {
    const world = new TestWorld();
    const state = world.state();
    const seen: string[] = [];
    let failures = 2;
    const controller: QueueController = {
      name: 'q',
      inputs: [
        { kind: IN, role: 'primary' },
        { kind: OTHER, role: 'mapped' },
      ],
      outputs: [],
      concurrency: 1,
      *reconcile(item) {
        seen.push(item.id);
        yield* world.sleep(10);
        if (item.id === 'bad' && failures-- > 0) throw new ControllerError('not yet');
      },
      mapInput: (changed) => [{ namespace: 'ns', type: IN.type, id: changed.id }],
    };
    state.create(IN, 'a', { n: 1 });
    world.runtime(state).registerQueue(controller);
    world.advance(1_000);
    expect(seen).toEqual(['a']);
    state.create(OTHER, 'a', { n: 1 });
    world.advance(1_000);
    expect(seen).toEqual(['a', 'a']);
    state.create(IN, 'bad', { n: 1 });
    state.create(IN, 'b', { n: 1 });
    world.advance(10_000_000);
    expect(seen.filter((id) => id === 'bad')).toHaveLength(3);
    expect(seen.filter((id) => id === 'b')).toHaveLength(1);
  });
});
