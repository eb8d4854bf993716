import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Plan, PlanOptions, Step } from './plan.ts';
import { type Draws, drawScene } from './scenes.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const KINDS = Object.freeze([
  ['deliver', 30],
  ['settle', 6],
  ['work', 16],
  ['tick', 10],
  ['tickAll', 6],
  ['propose', 10],
  ['read', 5],
  ['drop', 5],
  ['duplicate', 4],
  ['replay', 4],
  ['replaySnapshot', 2],
  ['slow', 3],
  ['fast', 4],
  ['scene', 3],
  ['crash', 3],
  ['restart', 6],
  ['reconfigure', 4],
  ['leave', 1],
  ['transfer', 2],
  ['compact', 3],
  ['pause', 1],
  ['resume', 4],
  ['cut', 2],
  ['join', 3],
  ['campaign', 2],
  ['forget', 1],
] as const);
type Kind = (typeof KINDS)[number][0];
/** What every run needs to get anywhere; the others are each left out of some runs. */
const ALWAYS: readonly Kind[] = Object.freeze([
  'deliver',
  'settle',
  'work',
  'tickAll',
  'propose',
  'restart',
  'resume',
  'join',
  'fast',
]);

function oneOf<T>(random: Draws, values: readonly T[]): T {
  return values[random.int(0, values.length - 1)]!;
}

function half(random: Draws): boolean {
  return random.int(0, 1) === 1;
}

/** Draws a whole run from a seed: the cluster, its options, a subset of the kinds of steps, and the steps. */
export function drawPlan(seed: string | number, length = 250): Plan {
  const random = new KeyedRandom(`${seed}`, 'raft-plan');
  const total = oneOf(random, [1, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 7]);
  const voterCount = random.int(Math.max(1, Math.min(total, total - 2)), total);
  const voters = Array.from({ length: voterCount }, (_, i) => i + 1);
  const options = drawOptions(random);
  const rest = Array.from({ length: total - voterCount }, (_, i) => voterCount + i + 1);
  const learners = options.start === 'snapshot' ? rest.filter(() => half(random)) : [];
  const kinds: Kind[] = [];
  for (const [kind, weight] of KINDS) {
    if (!ALWAYS.includes(kind) && !half(random)) continue;
    const factor = oneOf(random, [1, 1, 2]);
    for (let i = 0; i < weight * factor; i++) kinds.push(kind);
  }
  const steps: Step[] = [
    { do: 'tickAll', count: options.electionTick * 2 },
    { do: 'settle', rounds: 4 },
  ];
  while (steps.length < length) {
    const kind = oneOf(random, kinds);
    if (kind === 'scene') steps.push(...drawScene(random, total, options));
    else steps.push(drawStep(random, kind, total, options));
  }
  return { jitterSeed: random.int(0, 0x7fffffff), total, voters, learners, options, steps };
}

function drawOptions(random: Draws): PlanOptions {
  const checkQuorum = half(random);
  const maxSizePerMsgBytes = oneOf(random, [0, 24, 60, NO_LIMIT, NO_LIMIT]);
  // Both 0 would be a limit of nothing at once, here as in etcd.
  const maxCommittedSizePerReadyBytes = oneOf(
    random,
    maxSizePerMsgBytes === 0 ? [20, NO_LIMIT] : [0, 20, 50, NO_LIMIT],
  );
  return {
    behaviour: half(random) ? '3.6' : '3.7',
    start: oneOf(random, ['snapshot', 'snapshot', 'bootstrap'] as const),
    asyncStorage: half(random),
    preVote: half(random),
    checkQuorum,
    readOnly: checkQuorum && random.int(0, 3) === 0 ? 'lease-based' : 'safe',
    stepDownOnRemoval: half(random),
    disableProposalForwarding: random.int(0, 3) === 0,
    checkpoints: half(random),
    leaderSendsFirst: half(random),
    electionTick: random.int(3, 6),
    heartbeatTick: random.int(1, 2),
    maxInflightMsgs: oneOf(random, [1, 2, 3, 256]),
    maxSizePerMsgBytes,
    maxCommittedSizePerReadyBytes,
    maxUncommittedSizeBytes: oneOf(random, [0, 0, 30]),
    maxInflightBytes: maxSizePerMsgBytes === NO_LIMIT ? 0 : oneOf(random, [0, 0, Math.max(maxSizePerMsgBytes, 20), 80]),
  };
}

function drawStep(random: Draws, kind: Exclude<Kind, 'scene'>, total: number, { electionTick }: PlanOptions): Step {
  const node = random.int(1, total);
  const nodeOrLeader = half(random) ? 0 : node;
  switch (kind) {
    case 'tick':
      return { do: 'tick', node, count: oneOf(random, [1, 1, 2, electionTick, 2 * electionTick]) };
    case 'tickAll':
      return { do: 'tickAll', count: oneOf(random, [1, 1, 1, 2, electionTick]) };
    case 'deliver':
      return { do: 'deliver', pick: half(random) ? 0 : random.int(0, 99), work: oneOf(random, [0, 0, 3, 6, 12]) };
    case 'replay':
    case 'replaySnapshot':
    case 'drop':
    case 'duplicate':
      return { do: kind, pick: random.int(0, 99) };
    case 'work':
      return { do: 'work', node, count: oneOf(random, [1, 2, 3, 4, 6, 12]), lane: random.int(0, 2) };
    case 'settle':
      return { do: 'settle', rounds: oneOf(random, [1, 1, 2, 4]) };
    case 'crash':
      return { do: 'crash', node: nodeOrLeader, unsyncedSurvives: half(random) };
    case 'slow':
    case 'fast':
      return { do: 'slow', node: nodeOrLeader, on: kind === 'slow' };
    case 'join':
      return { do: 'cut', side: 0 };
    case 'cut':
      return { do: 'cut', side: half(random) ? 'leader' : random.int(0, 2 ** total - 1) };
    case 'propose':
      return {
        do: 'propose',
        node: nodeOrLeader,
        sizes: Array.from({ length: oneOf(random, [1, 1, 1, 2, 3]) }, () => oneOf(random, [0, 1, 8, 20])),
      };
    case 'reconfigure':
      return drawChange(random, total);
    case 'transfer':
      return { do: 'transfer', node: nodeOrLeader, to: node };
    case 'compact':
      return { do: 'compact', node: nodeOrLeader, keep: oneOf(random, [0, 0, 1, 3]) };
    case 'read':
      return { do: 'read', node: nodeOrLeader };
    case 'campaign':
    case 'restart':
    case 'pause':
    case 'resume':
    case 'forget':
      return { do: kind, node };
    case 'leave':
      return { do: 'leave', node: 0 };
  }
}

function drawChange(random: Draws, total: number): Step {
  const version = half(random) ? 1 : 2;
  const count = version === 1 ? 1 : oneOf(random, [1, 1, 2, 3]);
  const changes = Array.from({ length: count }, () => ({
    type: oneOf(random, [0, 0, 1, 3] as const),
    node: random.int(1, total),
  }));
  const behind = oneOf(random, [0, 0, 0, 1, 2]);
  return { do: 'reconfigure', version, behind, transition: oneOf(random, [0, 1, 2] as const), changes };
}
