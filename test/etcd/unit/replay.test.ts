import { describe, expect, it } from 'vitest';
import { ApplyLoop, type ApplyOwner } from '../../../src/etcd/server/member/apply-loop.ts';
import { ReadBarrier } from '../../../src/etcd/server/member/read-barrier.ts';
import { RequestIds } from '../../../src/etcd/server/member/request-ids.ts';
import { encodeContext } from '../../../src/etcd/server/membership/context.ts';
import type { ReplicatedState } from '../../../src/etcd/server/state/replicated.ts';
import { toHex } from '../../../src/platform/bytes.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import {
  ConfChangeType,
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  encodeConfChange,
  NONE,
} from '../../../src/raft/index.ts';
import { newState } from './state.ts';

function addition(index: number, nodeId: string, url: string): Entry {
  const member = { id: nodeId, name: '', peerUrls: [url], clientUrls: [], isLearner: false };
  const context = encodeContext({ member, isPromote: false });
  const id = index.toString(16).padStart(16, '0');
  const data = encodeConfChange({ version: 1, id, type: ConfChangeType.AddNode, nodeId, context });
  return { term: 1, index, type: EntryType.ConfChange, typePresent: true, data };
}

/** Applies the entries from the start and returns which nodes Raft was told to add. */
function toldToRaft(state: ReplicatedState, entries: readonly Entry[]): string[] {
  const told: string[] = [];
  const owner: Partial<Record<keyof ApplyOwner, unknown>> = {
    state,
    proposals: { take: () => undefined },
    log: { event: () => {} },
    applyConfChange: (change: { readonly nodeId: string }) => {
      told.push(change.nodeId);
      return EMPTY_CONF_STATE;
    },
    membershipChanged: () => {},
    batchApplied: () => {},
  };
  new ApplyLoop(owner as unknown as ApplyOwner, 0, 0).apply(entries);
  return told;
}

describe('entries applied again at a start', () => {
  const entries = [
    addition(1, '00000000000000a1', 'http://10.0.0.1:2380'),
    addition(2, '00000000000000a2', 'http://10.0.0.2:2380'),
    addition(3, '00000000000000a3', 'http://10.0.0.2:2380'),
  ];

  it('a membership change that was refused stays refused, as one that the database keeps', () => {
    const first = newState();
    const told = toldToRaft(first, entries);
    expect(told).toEqual(['00000000000000a1', '00000000000000a2', NONE]);
    const again = newState();
    again.load(first.export());
    expect(toldToRaft(again, entries)).toEqual(told);
    expect(again.cluster.members().map((member) => member.id)).toEqual(['00000000000000a1', '00000000000000a2']);
  });
});

describe('requests for a read index', () => {
  function contexts(memberId: string, nowMs: number): string[] {
    const asked: string[] = [];
    const clock = { after: () => ({ cancel: () => {} }) } as unknown as Clock;
    const owner = { appliedIndex: 0, requestReadIndex: (c: Uint8Array) => asked.push(toHex(c)), whenApplied: () => {} };
    const barrier = new ReadBarrier(clock, new RequestIds(memberId, nowMs), owner, 7_000_000);
    const suspension = barrier.wait().next().value as (resume: () => void, fail: () => void, context: never) => unknown;
    suspension(
      () => {},
      () => {},
      undefined as never,
    );
    barrier.onFirstCommitInTerm();
    return asked;
  }

  it('carry marks that no other member and no earlier run of this one uses', () => {
    const all = [
      ...contexts('00000000000000a1', 1_000),
      ...contexts('00000000000000a1', 2_000),
      ...contexts('00000000000000b2', 1_000),
    ];
    expect(all).toHaveLength(6);
    expect(new Set(all).size).toBe(6);
    for (const mark of all) expect(mark).toMatch(/^00[ab][12][0-9a-f]{12}$/);
  });
});
