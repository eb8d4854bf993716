import type { PlanOptions, Step } from './plan.ts';

/** Whole numbers between two bounds, both included. */
export interface Draws {
  int(min: number, max: number): number;
}

function removals(total: number, left: number): { readonly type: 1; readonly node: number }[] {
  const nodes = Array.from({ length: total }, (_, i) => i + 1).filter((node) => node !== left);
  return nodes.map((node) => ({ type: 1, node }));
}

/** A few steps in a row that get to where chance alone seldom does. */
export function drawScene(random: Draws, total: number, options: PlanOptions): readonly Step[] {
  const node = random.int(1, total);
  const silence: Step = { do: 'tickAll', count: 2 * options.electionTick };
  const propose: Step = { do: 'propose', node: 0, sizes: [1] };
  const settle: Step = { do: 'settle', rounds: 4 };
  const wait: Step = { do: 'tickAll', count: options.electionTick };
  const round: Step = { do: 'settle', rounds: 1 };
  const reads = Array.from({ length: total }, (_, i): Step => ({ do: 'read', node: i + 1 }));
  const calm: readonly Step[] = [
    { do: 'cut', side: 0 },
    ...Array.from({ length: total }, (_, i): Step => ({ do: 'resume', node: i + 1 })),
    ...[wait, settle, wait, settle],
  ];
  switch (random.int(0, 7)) {
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
        ...calm,
        { do: 'read', node: 0 },
        round,
        { do: 'pause', node: 0 },
        round,
        ...[silence, settle, wait, settle, wait, settle],
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
        ...calm,
        { do: 'slow', node, on: true },
        propose,
        settle,
        { do: 'cut', side: 'leader' },
        ...[silence, settle, wait, settle],
        propose,
        settle,
        { do: 'cut', side: 0 },
        settle,
        { do: 'slow', node, on: false },
      ];
    case 4:
      // A node gets the entry that makes it a voter, and no word that it is committed, before its leader restarts.
      return [
        { do: 'reconfigure', version: 1, behind: 0, transition: 0, changes: [{ type: 0, node }] },
        { do: 'work', node: 0, count: 12, lane: 0 },
        { do: 'deliver', pick: 0, work: 6 },
        ...Array.from({ length: 3 }, (): Step => ({ do: 'drop', pick: 0 })),
        { do: 'crash', node: 0, unsyncedSurvives: true },
        ...Array.from({ length: total }, (_, i): Step => ({ do: 'restart', node: i + 1 })),
      ];
    case 5:
      // It is silent for so long that the leader takes note, and what it is sent is lost only then.
      return [
        ...calm,
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
    case 6:
      // One node is to be left of all, and the leader is lost while both halves still count.
      return [
        ...calm,
        { do: 'leave', node: 0 },
        settle,
        { do: 'reconfigure', version: 2, behind: 0, transition: 2, changes: removals(total, node) },
        settle,
        { do: 'cut', side: 'leader' },
        ...[silence, settle, silence, settle],
        propose,
        settle,
        ...reads,
        settle,
        { do: 'cut', side: 0 },
      ];
    default:
      // Leadership is to go to a node that is being removed.
      return [
        { do: 'cut', side: 1 << (node - 1) },
        propose,
        { do: 'reconfigure', version: 1, behind: 0, transition: 0, changes: [{ type: 1, node }] },
        { do: 'transfer', node: 0, to: node },
        settle,
        { do: 'cut', side: 0 },
        round,
      ];
  }
}
