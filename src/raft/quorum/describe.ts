import { idHex } from '../ids.ts';
import type { NodeId } from '../types.ts';
import type { JointVoters } from './joint.ts';
import { type ById, INFINITE_INDEX } from './majority.ts';

/** `(1 2 3)`; ids in hexadecimal, ascending. */
export function describeVoters(voters: readonly NodeId[]): string {
  return `(${voters.map(idHex).join(' ')})`;
}

/** `(1 2 3)&&(1)`, or only the first half unless joint. */
export function describeJoint(voters: JointVoters): string {
  const incoming = describeVoters(voters.incoming);
  return voters.outgoing.length === 0 ? incoming : `${incoming}&&${describeVoters(voters.outgoing)}`;
}

export function describeIndex(index: number): string {
  return index === INFINITE_INDEX ? '∞' : String(index);
}

/**
 * Draws how far each voter has acknowledged, one line a voter: the longer the bar, the further; `?` where
 * nothing is known (reference/raft.md B13). For a joint configuration pass the union of both halves.
 */
export function describeQuorum(voters: readonly NodeId[], acked: ById<number>): string {
  const count = voters.length;
  if (count === 0) return '<empty majority quorum>';
  const rows = voters.map((id) => ({ id, known: acked.get(id) !== undefined, index: acked.get(id) ?? 0, bar: 0 }));
  const ranked = [...rows].sort((a, b) => a.index - b.index || (a.id < b.id ? -1 : 1));
  for (let i = 1; i < count; i++) {
    const before = ranked[i - 1]!;
    ranked[i]!.bar = before.index < ranked[i]!.index ? i : before.bar;
  }
  const lines = rows.map(({ id, known, index, bar }) => {
    const drawn = known ? `${'x'.repeat(bar)}>${' '.repeat(count - bar)}` : `?${' '.repeat(count)}`;
    return `${drawn} ${String(index).padStart(5)}    (id=${idHex(id)})\n`;
  });
  return `${' '.repeat(count)}    idx\n${lines.join('')}`;
}
