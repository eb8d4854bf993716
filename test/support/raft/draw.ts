import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Plan, PlanOptions, Step } from './plan.ts';

interface Draws {
  int(min: number, max: number): number;
  chance(partsPerMillion: number): boolean;
}

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
  return { do: 'reconfigure', version, transition: oneOf(random, [0, 1, 2] as const), changes };
}

/** A few steps in a row that get to where chance alone seldom does. */
function drawScene(random: Draws, total: number, options: PlanOptions): readonly Step[] {
  const node = random.int(1, total);
  const silence: Step = { do: 'tickAll', count: 2 * options.electionTick };
  const propose: Step = { do: 'propose', node: 0, sizes: [1] };
  const settle: Step = { do: 'settle', rounds: 4 };
  const wait: Step = { do: 'tickAll', count: options.electionTick };
  const round: Step = { do: 'settle', rounds: 1 };
  const reads = Array.from({ length: total }, (_, i): Step => ({ do: 'read', node: i + 1 }));
  switch (random.int(0, 6)) {
    case 0:
      // A leader that is cut off is replaced without its knowledge.
      return [
        propose,
        { do: 'cut', side: 'leader' },
        silence,
        settle,
        silence,
        settle,
        propose,
        settle,
        ...reads,
        settle,
      ];
    case 1:
      // It stands still instead, and finds answers of before when it goes on.
      return [
        { do: 'read', node: 0 },
        round,
        { do: 'pause', node: 0 },
        round,
        silence,
        settle,
        propose,
        settle,
        ...Array.from({ length: total }, (_, i): Step => ({ do: 'resume', node: i + 1 })),
        ...reads,
        settle,
      ];
    case 2:
      // A node misses what the others then compact.
      return [
        { do: 'cut', side: 1 << (node - 1) },
        propose,
        settle,
        propose,
        settle,
        { do: 'compact', node: 0, keep: 0 },
        { do: 'cut', side: 0 },
        propose,
        settle,
        { do: 'tickAll', count: options.heartbeatTick },
        settle,
        propose,
        settle,
        { do: 'compact', node, keep: 0 },
        { do: 'replaySnapshot', pick: random.int(0, 3) },
      ];
    case 3:
      // Entries are replaced while a slow disk writes them.
      return [
        { do: 'slow', node, on: true },
        propose,
        settle,
        { do: 'cut', side: 'leader' },
        silence,
        settle,
        propose,
        settle,
        { do: 'cut', side: 0 },
        settle,
        { do: 'slow', node, on: false },
      ];
    case 4:
      // A node gets the entry that makes it a voter, and no word that it is committed, before its leader restarts.
      return [
        { do: 'reconfigure', version: 1, transition: 0, changes: [{ type: 0, node }] },
        { do: 'work', node: 0, count: 12, lane: 0 },
        { do: 'deliver', pick: 0, work: 6 },
        ...Array.from({ length: 3 }, (): Step => ({ do: 'drop', pick: 0 })),
        { do: 'crash', node: 0, unsyncedSurvives: true },
        ...Array.from({ length: total }, (_, i): Step => ({ do: 'restart', node: i + 1 })),
      ];
    case 5:
      // It is silent for so long that the leader takes note, and what it is sent is lost only then.
      return [
        { do: 'pause', node },
        propose,
        settle,
        { do: 'compact', node: 0, keep: 0 },
        ...[wait, settle, wait, settle, wait, settle],
        { do: 'cut', side: 1 << (node - 1) },
        settle,
        propose,
        settle,
        { do: 'cut', side: 0 },
        { do: 'resume', node },
      ];
    default:
      // Leadership is to go to a node that is being removed.
      return [
        { do: 'cut', side: 1 << (node - 1) },
        propose,
        { do: 'reconfigure', version: 1, transition: 0, changes: [{ type: 1, node }] },
        { do: 'transfer', node: 0, to: node },
        settle,
        { do: 'cut', side: 0 },
        round,
      ];
  }
}
