import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LinkEffect } from '../../src/net/faults.ts';
import { MILLISECOND_US, SECOND_US } from '../../src/platform/clock.ts';
import type { Connection } from '../../src/platform/net.ts';
import { byTier } from '../support/tier.ts';
import { codeOf, type Host, Lab, numbered, numberOf } from './lab.ts';

const RUNS = { numRuns: byTier(150, 3_000, 20_000) };

/** One thing that happens to a connection from h1 to h2. */
type Step =
  | { readonly kind: 'send'; readonly side: 0 | 1; readonly count: number; readonly sizeBytes: number }
  | { readonly kind: 'advance'; readonly us: number }
  | { readonly kind: 'partition' | 'one-way' | 'clog' | 'flap'; readonly reverse: boolean }
  | { readonly kind: 'degrade'; readonly reverse: boolean; readonly effect: LinkEffect }
  | { readonly kind: 'stop' | 'freeze'; readonly side: 0 | 1; readonly us: number }
  | { readonly kind: 'reboot'; readonly side: 0 | 1 }
  | { readonly kind: 'heal' };

const side = fc.constantFrom(0 as const, 1 as const);
const duration = fc.oneof(
  fc.integer({ min: 0, max: 1_000 }),
  fc.integer({ min: 1, max: 2_000 }).map((ms) => ms * MILLISECOND_US),
  fc.integer({ min: 1, max: 60 }).map((s) => s * SECOND_US),
);
const effect = fc.record(
  {
    delayUs: fc.integer({ min: 0, max: 500_000 }),
    jitterUs: fc.integer({ min: 0, max: 50_000 }),
    lossPpm: fc.integer({ min: 0, max: 600_000 }),
    duplicatePpm: fc.integer({ min: 0, max: 600_000 }),
    bandwidthBytesPerSec: fc.integer({ min: 100_000, max: 10_000_000 }),
  },
  { requiredKeys: [] },
);
const gentleStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      side,
      count: fc.integer({ min: 1, max: 20 }),
      sizeBytes: fc.constantFrom(1, 100, 50_000, 2_000_000),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('advance' as const), us: duration }) },
  fc.record({
    kind: fc.constantFrom('partition' as const, 'one-way' as const, 'clog' as const, 'flap' as const),
    reverse: fc.boolean(),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('degrade' as const), reverse: fc.boolean(), effect }) },
  fc.record({ kind: fc.constantFrom('stop' as const, 'freeze' as const), side, us: duration }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('heal' as const) }) },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: gentleStep },
  fc.record({ kind: fc.constant('reboot' as const), side }),
);

/** What one end saw. */
interface Log {
  sent: number;
  /** Numbers received and when. */
  readonly received: [number, number][];
  readonly ends: string[];
}

interface Outcome {
  readonly lab: Lab;
  readonly logs: readonly [Log, Log];
  readonly ends: readonly [Connection, Connection];
  readonly cuts: readonly { from: number; to: number }[];
  readonly rebooted: boolean;
  /** How long the steps took. */
  readonly faultyUs: number;
}

function perform(steps: readonly Step[], seed: number, settleUs: number): Outcome {
  const lab = new Lab({ seed });
  const hosts = [lab.host(1), lab.host(2)] as const;
  const { client, server } = lab.connect(hosts[0], hosts[1]);
  const ends = [client, server] as const;
  const logs: [Log, Log] = [newLog(), newLog()];
  ends.forEach((end, i) => {
    end.consume(
      (segment) => logs[i]!.received.push([numberOf(segment), lab.clock.nowUs()]),
      (error) => logs[i]!.ends.push((error as { code?: string } | undefined)?.code ?? 'fin'),
    );
  });
  const cuts: { from: number; to: number }[] = [];
  let rebooted = false;
  const healAll = (): void => {
    lab.network.faults.healAll();
    for (const cut of cuts) cut.to = Math.min(cut.to, lab.clock.nowUs());
  };
  for (const step of steps) {
    if (step.kind === 'reboot') rebooted = true;
    applyStep(lab, hosts, ends, logs, cuts, step);
    if (step.kind === 'heal') healAll();
    lab.advance(0);
  }
  healAll();
  const faultyUs = lab.clock.nowUs();
  lab.advance(settleUs);
  return { lab, logs, ends, cuts, rebooted, faultyUs };
}

function newLog(): Log {
  return { sent: 0, received: [], ends: [] };
}

function applyStep(
  lab: Lab,
  hosts: readonly [Host, Host],
  ends: readonly [Connection, Connection],
  logs: readonly [Log, Log],
  cuts: { from: number; to: number }[],
  step: Step,
): void {
  const { faults } = lab.network;
  const pair = 'reverse' in step && step.reverse ? (['h2', 'h1'] as const) : (['h1', 'h2'] as const);
  const [from, to] = [[pair[0]], [pair[1]]];
  switch (step.kind) {
    case 'send':
      for (let i = 0; i < step.count; i++) {
        if (ends[step.side].send(numbered(logs[step.side].sent, step.sizeBytes))) logs[step.side].sent++;
      }
      break;
    case 'advance':
      lab.advance(step.us);
      break;
    case 'partition':
      faults.partition(from, to);
      cuts.push({ from: lab.clock.nowUs(), to: Number.MAX_SAFE_INTEGER });
      break;
    case 'one-way':
      faults.partitionOneWay(from, to);
      break;
    case 'clog':
      faults.clog(from, to);
      break;
    case 'flap':
      faults.flap(from, to, 300 * MILLISECOND_US, 200 * MILLISECOND_US);
      break;
    case 'degrade':
      faults.degrade(from, to, step.effect);
      break;
    case 'stop':
      hosts[step.side].process.stop();
      lab.advance(step.us);
      hosts[step.side].process.continue();
      break;
    case 'freeze': {
      const { kernel } = hosts[step.side];
      kernel.freeze();
      lab.advance(step.us);
      kernel.thaw();
      break;
    }
    case 'reboot':
      lab.reboot(hosts[step.side]);
      break;
    default:
      break;
  }
}

const isPrefix = (log: Log): boolean => log.received.every(([number], i) => number === i);

describe('a connection', () => {
  it('delivers every byte in order exactly once after any faults that end, or times out when they last longer than the kernel tries', () => {
    fc.assert(
      fc.property(fc.array(gentleStep, { maxLength: 25 }), fc.nat(1000), (steps, seed) => {
        const { logs, ends, faultyUs } = perform(steps, seed, 600 * SECOND_US);
        for (const [i, log] of logs.entries()) {
          const sender = logs[1 - i]!;
          expect(isPrefix(log)).toBe(true);
          const isBroken = log.ends.length > 0 || sender.ends.length > 0;
          if (isBroken) {
            expect([...log.ends, ...sender.ends].every((end) => end === 'timeout')).toBe(true);
            expect(faultyUs).toBeGreaterThan(900 * SECOND_US);
          } else {
            expect(log.received.length).toBe(sender.sent);
            expect(ends[1 - i]!.unsentBytes()).toBe(0);
          }
        }
      }),
      RUNS,
    );
  });

  it('delivers a prefix in order even when machines reboot, and then its ends learn of it when they send', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 25 }), fc.nat(1000), (steps, seed) => {
        const { lab, logs, ends, rebooted } = perform(steps, seed, 1200 * SECOND_US);
        for (const [i, log] of logs.entries()) {
          expect(isPrefix(log)).toBe(true);
          expect(log.received.length).toBeLessThanOrEqual(logs[1 - i]!.sent);
          expect(log.ends.length).toBeLessThanOrEqual(1);
        }
        if (!rebooted) return;
        for (const end of ends) end.send(numbered(-1));
        lab.advance(1200 * SECOND_US);
        for (const end of ends) expect(end.send(numbered(-2))).toBe(false);
      }),
      RUNS,
    );
  });

  it('delivers nothing during a partition', () => {
    fc.assert(
      fc.property(fc.array(gentleStep, { maxLength: 25 }), fc.nat(1000), (steps, seed) => {
        const { logs, cuts } = perform(
          steps.filter((step) => step.kind !== 'stop'),
          seed,
          600 * SECOND_US,
        );
        for (const log of logs) {
          for (const [, atUs] of log.received) {
            expect(cuts.some((cut) => atUs > cut.from && atUs < cut.to)).toBe(false);
          }
        }
      }),
      RUNS,
    );
  });

  it('is the same in every run of the same seed', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 20 }), fc.nat(1000), (steps, seed) => {
        const [first, second] = [perform(steps, seed, 60 * SECOND_US), perform(steps, seed, 60 * SECOND_US)];
        expect(second.logs).toEqual(first.logs);
        expect(second.lab.events).toEqual(first.lab.events);
        expect(second.lab.scheduler.fired).toBe(first.lab.scheduler.fired);
      }),
      { numRuns: Math.ceil(RUNS.numRuns / 3) },
    );
  });
});

describe('draws', () => {
  it('of one pair of hosts do not depend on what others do or whether they exist', () => {
    const arrivals = (seed: number, others: number): number[] => {
      const lab = new Lab({ seed });
      for (let i = 0; i < others; i++) lab.addHost(`x${i}`, `10.0.0.${50 + i}`);
      const { client, server } = lab.connect(lab.host(1), lab.host(2));
      const noise = others > 1 ? lab.connect(lab.host(3), lab.host(4)).client : undefined;
      const startUs = lab.clock.nowUs();
      const seen: number[] = [];
      server.consume(
        () => seen.push(lab.clock.nowUs() - startUs),
        () => {},
      );
      lab.network.faults.degrade(['h1'], ['h2'], { lossPpm: 100_000 });
      for (let i = 0; i < 50; i++) {
        client.send(numbered(i));
        noise?.send(numbered(i));
        lab.advance(3 * MILLISECOND_US);
      }
      lab.advance(10 * SECOND_US);
      return seen;
    };
    for (let seed = 1; seed <= 5; seed++) {
      const alone = arrivals(seed, 0);
      expect(alone).toHaveLength(50);
      expect(arrivals(seed, 4)).toEqual(alone);
    }
    expect(arrivals(1, 0)).not.toEqual(arrivals(2, 0));
  });
});

describe('ARP', () => {
  const VIP = '10.0.0.200';
  type Move =
    | { readonly kind: 'hold' | 'drop'; readonly host: number; readonly announce: boolean }
    | { readonly kind: 'cut' | 'boot'; readonly host: number }
    | { readonly kind: 'advance'; readonly us: number }
    | { readonly kind: 'dial' };
  const host = fc.integer({ min: 1, max: 3 });
  const move: fc.Arbitrary<Move> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'drop' as const), host, announce: fc.boolean() }),
    },
    fc.record({ kind: fc.constantFrom('cut' as const, 'boot' as const), host }),
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), us: duration }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('dial' as const) }) },
  );

  it('leads to an owner, to the place of a former owner, or nowhere when there is none; and to the last owner in the end', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), fc.nat(1000), (moves, seed) => {
        const lab = new Lab({ hosts: 4, seed });
        const client = lab.host(4);
        const holders = new Set<number>();
        const serve = (number: number): void => {
          lab.start(() => lab.host(number).net.listen({ address: '0.0.0.0', port: 1 }));
          lab.advance(0);
        };
        for (let i = 1; i <= 3; i++) serve(i);
        const dial = (): string =>
          lab.run(() => codeOf(client.net.dial({ address: VIP, port: 1 }, { timeoutUs: 15 * SECOND_US })));
        for (const step of moves) {
          if (step.kind === 'advance') lab.advance(step.us);
          else if (step.kind === 'dial') {
            const outcome = dial();
            expect(['none', 'unreachable', 'timeout']).toContain(outcome);
            if (outcome === 'none') expect(holders.size).toBeGreaterThan(0);
            if (outcome === 'unreachable') expect(holders.size).toBe(0);
            if (holders.size === 0) expect(outcome).not.toBe('none');
          } else if (step.kind === 'boot') {
            lab.reboot(lab.host(step.host));
            holders.delete(step.host);
            serve(step.host);
          } else if (step.kind === 'cut') {
            lab.host(step.host).kernel.powerOff();
            holders.delete(step.host);
          } else if (lab.host(step.host).kernel.alive) {
            const { net } = lab.host(step.host);
            if (step.kind === 'hold') {
              net.addAddress('eth0', `${VIP}/32`);
              holders.add(step.host);
              if (step.announce) net.announce('eth0', VIP);
            } else {
              net.removeAddress('eth0', `${VIP}/32`);
              holders.delete(step.host);
            }
          }
        }
        if (holders.size === 0) return;
        // However stale the cache: reachable at most 45 s, then 5 s and three probes; dials of 15 s overlap that.
        let last = dial();
        for (let i = 0; i < 6 && last !== 'none'; i++) last = dial();
        expect(last).toBe('none');
      }),
      RUNS,
    );
  });
});
