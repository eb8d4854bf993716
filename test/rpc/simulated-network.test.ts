import { describe, expect, it } from 'vitest';
import type { Process } from '../../src/platform/containers.ts';
import { RpcError } from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { createSimRpc } from '../../src/rpc/over-connections/rpc.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import type { SimProcess } from '../../src/sim/kernel/process.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { byTier } from '../support/tier.ts';
import { Ask, Echo, echoHandlers } from './echo-service.ts';

const MS = 1_000;
const SECOND = 1_000_000;
const SEEDS = byTier(12, 200, 2_000);

interface Story {
  readonly digest: string;
  /** Status → how many calls ended with it. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly lateUs: number;
  /** Tasks of handlers that still run when every caller is gone. */
  readonly leftOver: number;
}

/** A client calls a server while the network between them and the server itself come and go. */
function tell(seed: string, strictWire = false): Story {
  const crypto = createSimCrypto('verification');
  const simulation = new Simulation({
    seed,
    createRpc: (deps) => createSimRpc({ ...deps, crypto, strictWire }),
    images: () => undefined,
    digest: 'full',
  });
  simulation.network.addSegment({ name: 'lan' });
  const station = (name: string, address: string) =>
    simulation.addStation({
      name,
      nics: [{ link: 'eth0', segment: 'lan' }],
      memoryBytes: 1e9,
      addresses: [{ link: 'eth0', cidr: `${address}/24` }],
    });
  const server = station('server', '10.0.0.1');
  const client = station('client', '10.0.0.2');
  const outcomes: Record<string, number> = {};
  let lateUs = 0;
  let pending = 0;

  function* serve({ platform, signals }: Process): Task<number> {
    const hang = (): Task<never> => wait<never>(() => () => {});
    const handlers = echoHandlers({ lines: [] }, hang);
    yield* platform.rpc.serve({ address: '0.0.0.0', port: 1, handlers });
    yield* signals.receive();
    return 0;
  }

  function* ask({ platform }: Process): Task<number> {
    const { clock, random, rpc, scope } = platform;
    const channel = rpc.channel([{ address: '10.0.0.1', port: 1 }], {
      keepaliveTimeUs: 2 * SECOND,
      keepaliveTimeoutUs: SECOND,
      backoffMaxUs: 2 * SECOND,
    });
    function* once(): Task<void> {
      const timeoutUs = random.int(50 * MS, 3 * SECOND);
      const startUs = clock.monotonicUs();
      const options = { timeoutUs, waitForReady: random.chance(500_000) };
      let outcome = 'OK';
      try {
        const kind = random.int(0, 2);
        if (kind === 0) yield* channel.unary(Echo.Say, Ask.of({ text: 'x' }), options);
        else if (kind === 1) yield* channel.unary(Echo.Never, Ask.empty, options);
        else {
          const stream = channel.stream(Echo.Count, options);
          stream.send(Ask.of({ count: 5, data: new Uint8Array(30_000) }));
          while ((yield* stream.receive()) !== undefined) yield* clock.sleep(10 * MS);
        }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        outcome = error.status;
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      lateUs = Math.max(lateUs, clock.monotonicUs() - startUs - timeoutUs);
      pending--;
    }
    for (let i = 0; i < 150; i++) {
      pending++;
      scope.spawn('call', once);
      yield* clock.sleep(random.int(0, 200 * MS));
    }
    for (;;) yield* clock.sleep(60 * SECOND);
  }

  const start = (): SimProcess => server.run({ name: 'serve', program: serve })!;
  let serving = start();
  client.run({ name: 'ask', program: ask });
  for (let round = 0; round < 4; round++) {
    simulation.runFor(2 * SECOND + round * 100 * MS);
    const cut = simulation.network.faults.partition(['client'], ['server']);
    simulation.runFor(1_500 * MS);
    cut.heal();
    simulation.runFor(SECOND);
    serving.kill();
    simulation.runFor(500 * MS);
    serving = start();
  }
  simulation.runUntil(() => pending === 0, { untilUs: simulation.nowUs + 30 * SECOND });
  simulation.runFor(5 * SECOND);
  expect(pending).toBe(0);
  // The program itself and its listener, but no handler.
  const leftOver = serving.scope.liveTasks - 2;
  const story = { digest: simulation.digest(), outcomes, lateUs, leftOver };
  simulation.close();
  return story;
}

describe('rpc over the simulated network, under partitions and restarts', () => {
  it(`every call ends once, on time, and leaves no handler behind (${SEEDS} seeds)`, () => {
    const total: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { outcomes, lateUs, leftOver } = tell(String(seed));
      const calls = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      expect([seed, calls, leftOver]).toEqual([seed, 150, 0]);
      // A reader takes 10 ms over each of the five messages that may have arrived in time.
      expect(lateUs).toBeLessThanOrEqual(51 * MS);
      for (const [status, count] of Object.entries(outcomes)) total[status] = (total[status] ?? 0) + count;
    }
    expect(Object.keys(total).sort()).toEqual(['DeadlineExceeded', 'OK', 'Unavailable']);
  });

  it('one seed, one story, also with every message encoded and decoded', () => {
    expect(tell('1')).toEqual(tell('1'));
    expect(tell('2', true)).toEqual(tell('2', false));
    expect(tell('1').digest).not.toBe(tell('2').digest);
  });
});
