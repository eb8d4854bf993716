import { MINUTE_US, SECOND_US } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { shuffled } from '../../platform/random.ts';
import type { FaultSpec } from '../../world/fault.ts';

/** One fault of a plan and when it starts. */
export interface PlannedFault {
  readonly atUs: number;
  readonly fault: FaultSpec;
}

/** Faults drawn before the run. All of them end by themselves: the plan is live. */
export interface FaultPlan {
  readonly faults: readonly PlannedFault[];
  /** From here on nothing is broken any more. */
  readonly healedAtUs: number;
}

export interface PlanOptions {
  readonly machines: readonly string[];
  /** Faults start in [fromUs, toUs). */
  readonly fromUs: number;
  readonly toUs: number;
  readonly maxFaults: number;
}

type Drawer = (random: Random, machine: string, others: readonly string[]) => FaultSpec;

const SHORT_US = 2 * SECOND_US;
const LONG_US = MINUTE_US;

function lasting(random: Random): { forUs: number } {
  return { forUs: random.int(SHORT_US, LONG_US) };
}

/** Every kind that heals itself and voids no guarantee. */
const KINDS: Readonly<Record<string, Drawer>> = Object.freeze({
  'power-off': (random, machine) => ({ fault: 'power-off', machines: [machine], ...lasting(random) }),
  reboot: (_random, machine) => ({ fault: 'reboot', machines: [machine] }),
  freeze: (random, machine) => ({ fault: 'freeze', machines: [machine], ...lasting(random) }),
  'kill-etcd': (_random, machine) => ({ fault: 'kill', machines: [machine], process: 'etcd' }),
  'stop-etcd': (random, machine) => ({ fault: 'stop', machines: [machine], process: 'etcd', ...lasting(random) }),
  isolate: (random, machine) => ({ fault: 'isolate', machines: [machine], ...lasting(random) }),
  partition: (random, machine, others) => ({
    fault: 'partition',
    machines: [],
    from: [machine],
    to: [others[0]!],
    oneWay: random.chance(500_000),
    ...lasting(random),
  }),
  loss: (random, machine) => ({ fault: 'loss', machines: [machine], percent: random.int(1, 30), ...lasting(random) }),
  delay: (random, machine) => ({
    fault: 'delay',
    machines: [machine],
    amount: random.int(1_000, 200_000),
    ...lasting(random),
  }),
  'disk-slow': (random, machine) => ({ fault: 'disk-slow', machines: [machine], ...lasting(random) }),
  'clock-jump': (random, machine) => ({
    fault: 'clock-jump',
    machines: [machine],
    amount: random.int(-30, 30) * SECOND_US,
  }),
  'discovery-down': (random) => ({ fault: 'service-down', machines: [], service: 'discovery', ...lasting(random) }),
});

/** Draws a plan: a swarm, so that every run has a random subset of the kinds switched on. */
export function drawPlan(random: Random, options: PlanOptions): FaultPlan {
  const kinds = shuffled(random, Object.keys(KINDS)).slice(0, random.int(1, Object.keys(KINDS).length));
  const count = random.int(1, options.maxFaults);
  const faults: PlannedFault[] = [];
  for (let i = 0; i < count; i++) {
    const [machine, ...others] = shuffled(random, options.machines);
    const kind = kinds[random.int(0, kinds.length - 1)]!;
    if (kind === 'partition' && others.length === 0) continue;
    faults.push({ atUs: random.int(options.fromUs, options.toUs - 1), fault: KINDS[kind]!(random, machine!, others) });
  }
  faults.sort((a, b) => a.atUs - b.atUs);
  return {
    faults,
    healedAtUs: faults.reduce((latest, { atUs, fault }) => Math.max(latest, atUs + (fault.forUs ?? 0)), 0),
  };
}

/** One fault as a person reads it. */
export function faultText({ atUs, fault }: PlannedFault): string {
  const parts = [fault.fault, ...fault.machines];
  if (fault.from !== undefined && fault.to !== undefined)
    parts.push(`${fault.from.join(' ')} ${fault.oneWay === true ? '→' : '↔'} ${fault.to.join(' ')}`);
  if (fault.process !== undefined) parts.push(fault.process);
  if (fault.service !== undefined) parts.push(fault.service);
  if (fault.percent !== undefined) parts.push(`${fault.percent} %`);
  if (fault.amount !== undefined) parts.push(`${fault.amount / 1000} ms`);
  const lasts = fault.forUs === undefined ? '' : ` for ${(fault.forUs / SECOND_US).toFixed(1)} s`;
  return `${(atUs / SECOND_US).toFixed(1)} s: ${parts.join(' ')}${lasts}`;
}
