import { KeyedRandom } from '../../../src/sim/random.ts';

/** What a strike can be. */
export const STRIKES = Object.freeze([
  'power',
  'kill',
  'stop',
  'freeze',
  'blackout',
  'isolate',
  'one-way-in',
  'one-way-out',
  'split',
  'bridge',
  'clog',
  'slow-link',
  'flap',
  'crash-in-write',
  'crash-in-sync',
  'disk-full',
  'sync-error',
  'slow-disk',
  'clock-jump',
  'clock-drift',
  'lag-behind',
  'cut-in-transfer',
  'cut-after-rotation',
  'dark-with-laggard',
  'long-pause',
] as const);

export type StrikeKind = (typeof STRIKES)[number];

/** Everything about one run that does not come from its faults and clients at work. */
export interface FirePlan {
  readonly seed: number;
  readonly size: number;
  readonly spare: number;
  readonly flags: readonly string[];
  readonly walSegmentBytes: number;
  /** Each member's database has a limit that is reached soon. */
  readonly hasQuota: boolean;
  readonly tornWrites: boolean;
  readonly strikes: readonly StrikeKind[];
  readonly rounds: number;
  /** Pause between two requests of one client, at most. */
  readonly pauseUs: number;
  readonly replacesMembers: boolean;
  /** What is done to it at last. */
  readonly ending: 'none' | 'damage' | 'learner' | 'restore' | 'alone' | 'laggard';
}

/** Draws a run: each has a random subset of faults, and low thresholds, so that everything happens often. */
export function drawFire(seed: number): FirePlan {
  const random = new KeyedRandom(String(seed + 1), 'fire/plan');
  const pick = <T>(...choices: readonly T[]): T => choices[random.int(0, choices.length - 1)]!;
  const checkpoints = random.chance(200_000);
  const size = pick(1, 3, 3, 3, 3, 3, 3, 5);
  const replacesMembers = size === 3 && random.chance(300_000);
  const hasQuota = random.chance(150_000);
  const enabled = STRIKES.filter(() => random.chance(350_000));
  return {
    seed,
    size,
    spare: size === 1 ? 0 : 1,
    flags: [
      `--snapshot-count=${pick(5, 10, 30, 100)}`,
      `--snapshot-catchup-entries=${pick(2, 5, 10, 50)}`,
      `--compaction-batch-limit=${pick(1, 10, 1000)}`,
      `--watch-progress-notify-interval=${pick('100ms', '300ms', '1s')}`,
      `--max-wals=${pick(1, 2, 5)}`,
      `--max-snapshots=${pick(1, 2, 5)}`,
      `--backend-batch-interval=${pick('10ms', '100ms', '400ms')}`,
      ...(hasQuota ? [`--quota-backend-bytes=${pick(28_000, 36_000, 50_000)}`] : []),
      ...(checkpoints ? ['--experimental-enable-lease-checkpoint=true'] : []),
    ],
    walSegmentBytes: pick(2_000, 8_000, 64_000_000),
    hasQuota,
    tornWrites: random.chance(500_000),
    strikes: enabled.length === 0 ? ['power', 'isolate'] : enabled,
    rounds: random.int(2, 5),
    pauseUs: pick(20_000, 60_000, 120_000),
    replacesMembers,
    ending:
      size === 3 && !replacesMembers
        ? pick('none', 'damage', 'learner', 'restore', 'alone', 'laggard')
        : pick('none', 'damage', 'restore'),
  };
}
