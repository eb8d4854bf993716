import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  type Message,
  MessageType,
  NONE,
  nodeId,
  RaftError,
  RaftFatal,
  RawNode,
  Role,
} from '../../src/raft/index.ts';
import { byTier } from '../support/tier.ts';
import { Cluster } from './cluster.ts';
import { bytes, configOf, message, N1, N2, N3, storageWith } from './helper.ts';

const RUNS = byTier(3_000, 20_000, 50_000);
const { App, AppResp, Heartbeat, HeartbeatResp, PreVote, Prop, ReadIndex, Snap, Vote } = MessageType;

const number = fc.oneof(fc.nat(6), fc.nat(40), fc.constant(Number.MAX_SAFE_INTEGER), fc.constant(2 ** 40));
const id = fc.oneof(fc.integer({ min: 0, max: 5 }).map(nodeId), fc.constant('00000000000000aa'));
const ids = fc.uniqueArray(id, { maxLength: 4 });
const entry: fc.Arbitrary<Entry> = fc.record({
  term: number,
  index: number,
  type: fc.constantFrom(...Object.values(EntryType)),
  typePresent: fc.boolean(),
  data: fc.oneof(fc.constant(null), fc.uint8Array({ maxLength: 8 })),
});
/** Entries in sequence more often than not, or nearly every append would be refused. */
const entryList = fc.oneof(
  fc.array(entry, { maxLength: 3 }),
  fc
    .tuple(fc.nat(6), fc.array(fc.nat(6), { maxLength: 4 }))
    .map(([from, terms]) =>
      terms.map((term, i): Entry => ({ term, index: from + i, type: 0, typePresent: false, data: null })),
    ),
);
const snapshot = fc.option(
  fc.record({
    index: number,
    term: number,
    confState: fc.record({
      voters: ids,
      learners: ids,
      votersOutgoing: ids,
      learnersNext: ids,
      autoLeave: fc.boolean(),
    }),
    data: fc.constant(null),
  }),
);
const anyMessage: fc.Arbitrary<Message> = fc.record({
  type: fc.integer({ min: -1, max: 26 }) as fc.Arbitrary<MessageType>,
  to: fc.constant(N1),
  from: id,
  term: number,
  logTerm: number,
  index: number,
  entries: entryList,
  commit: number,
  vote: id,
  snapshot,
  reject: fc.boolean(),
  rejectHint: number,
  context: fc.option(fc.uint8Array({ maxLength: 20 })),
  responses: fc.constant([]),
});

/** A node in some role with a short log. */
function nodeIn(role: 'follower' | 'candidate' | 'leader', preVote: boolean, checkQuorum: boolean): RawNode {
  const storage = storageWith({ voters: [N1, N2, N3], terms: [1, 1, 2], hardState: { term: 2, commit: 2 } });
  const raft = new RawNode(configOf(N1, storage, { preVote, checkQuorum, applied: 2 }));
  if (role === 'follower') return raft;
  raft.campaign();
  const settle = () => {
    while (raft.hasReady()) {
      const ready = raft.ready();
      if (ready.hardState !== null) storage.setHardState(ready.hardState);
      storage.append(ready.entries);
      raft.advance();
    }
  };
  settle();
  if (role === 'leader') {
    for (const type of [MessageType.PreVoteResp, MessageType.VoteResp]) {
      raft.step(message(type, N2, { term: 3 }));
      settle();
    }
  }
  return raft;
}

describe('messages from the network', () => {
  it('never throw, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('follower', 'candidate', 'leader'),
        fc.boolean(),
        fc.boolean(),
        fc.array(anyMessage, { minLength: 1, maxLength: 8 }),
        (role, preVote, checkQuorum, messages) => {
          const raft = nodeIn(role, preVote, checkQuorum);
          for (const one of messages) {
            const error = raft.step(one);
            if (error === RaftError.Halted) {
              expect(raft.halted).not.toBeNull();
              return;
            }
            const { applied, commit, lastIndex } = raft.inspect();
            expect(applied <= commit && commit <= lastIndex).toBe(true);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['an unknown type', message(99 as MessageType, N2, { term: 2 })],
    ['a term that leaves none above it', message(App, N2, { term: Number.MAX_SAFE_INTEGER })],
    ['a proposal of nothing', message(Prop, N2)],
    [
      'a conf change that does not decode',
      message(Prop, N2, { entries: [{ term: 0, index: 0, type: 2, typePresent: true, data: bytes('x') }] }),
    ],
    ['a read without a context', message(ReadIndex, N2)],
    ['a vote without a term', message(Vote, N2)],
    ['a vote of nobody', message(PreVote, NONE, { term: 3 })],
    [
      'entries with a gap',
      message(App, N2, {
        term: 2,
        index: 3,
        entries: [{ term: 2, index: 5, type: 0, typePresent: false, data: null }],
      }),
    ],
    ['its own heartbeat', message(Heartbeat, N1, { term: 2 })],
    ['its own answer to one', message(HeartbeatResp, N1, { term: 2 })],
    ['its own rejection', message(AppResp, N1, { term: 2, reject: true })],
    [
      'members that cannot be',
      message(Snap, N2, {
        term: 2,
        snapshot: { index: 9, term: 2, confState: { ...EMPTY_CONF_STATE, learners: [N1] }, data: null },
      }),
    ],
  ])('are refused as malformed, without a trace: %s', (_, bad) => {
    const raft = nodeIn('follower', false, false);
    const { entries, commit, config } = raft.inspect();
    expect(raft.step(bad)).toBe(RaftError.Malformed);
    expect(raft.inspect()).toMatchObject({ entries, commit, config });
    expect(raft.halted).toBeNull();
  });
});

describe('a message that proves the loss of durable state', () => {
  it('halts a node whose leader believes it has more than it has', () => {
    const cluster = new Cluster([N1, N2, N3]);
    cluster.campaign(N1);
    cluster.propose(N1, 'a');
    cluster.raft(N1).tick();
    const heartbeat = cluster
      .raft(N1)
      .ready()
      .messages.find(({ to }) => to === N3)!;
    // Node 3 comes back with a blank disk under its old id.
    const blank = new RawNode(configOf(N3, storageWith()));
    expect(blank.step(heartbeat)).toBe(RaftError.Halted);
    expect(blank.halted).toBe(
      'tocommit(2) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?',
    );
    expect(blank.step(message(Heartbeat, N1, { term: 1 }))).toBe(RaftError.Halted);
    for (const use of [() => blank.tick(), () => blank.ready(), () => blank.hasReady(), () => blank.propose(null)]) {
      expect(use).toThrow(RaftFatal);
      expect(use).toThrow('Was the raft log corrupted, truncated, or lost?');
    }
    expect(blank.basicStatus().commit).toBe(0);
  });

  it('is not one that contradicts a committed entry: what is committed is not even compared', () => {
    const raft = nodeIn('follower', false, false);
    const other: Entry = { term: 5, index: 2, type: 0, typePresent: false, data: null };
    expect(raft.step(message(App, N2, { term: 5, index: 1, logTerm: 1, entries: [other], commit: 2 }))).toBeNull();
    expect(raft.inspect().entries[1]).toMatchObject({ term: 1 });
    expect(raft.ready().messages).toMatchObject([{ type: AppResp, index: 2, reject: false }]);
  });

  it('halts a leader that is acknowledged what it never had, and has no snapshot to offer', () => {
    const raft = nodeIn('leader', false, false);
    expect(raft.basicStatus().role).toBe(Role.Leader);
    expect(raft.step(message(AppResp, N2, { term: 3, index: 50 }))).toBe(RaftError.Halted);
    expect(raft.halted).toBe('need non-empty snapshot');
  });
});
