import { describe, expect, it } from 'vitest';
import {
  type AnyConfChange,
  ConfChangeTransition,
  ConfChangeType,
  type Config,
  describeStatus,
  type Entry,
  LOCAL_APPEND_THREAD,
  LOCAL_APPLY_THREAD,
  MemoryStorage,
  type Message,
  MessageType,
  NO_LIMIT,
  NONE,
  RaftError,
  RaftFatal,
  RawNode,
  type Ready,
  Role,
} from '../../src/raft/index.ts';
import { Cluster } from './cluster.ts';
import { bytes, configOf, message, N1, N2, N3, type Start, storageWith } from './helper.ts';

const { App, AppResp, StorageAppend, StorageAppendResp, StorageApply } = MessageType;

function nodeOf(start: Start = {}, options: Partial<Config> = {}): { raft: RawNode; storage: MemoryStorage } {
  const storage = storageWith(start);
  return { raft: new RawNode(configOf(N1, storage, options)), storage };
}

function write(storage: MemoryStorage, ready: Ready): void {
  if (ready.hardState !== null) storage.setHardState(ready.hardState);
  if (ready.snapshot !== null) storage.applySnapshot(ready.snapshot);
  storage.append(ready.entries);
}

/** Handles Readies until there are none, collecting what is to be applied. */
function drain({ raft, storage }: { raft: RawNode; storage: MemoryStorage }): Entry[] {
  const committed: Entry[] = [];
  while (raft.hasReady()) {
    const ready = raft.ready();
    write(storage, ready);
    committed.push(...ready.committedEntries);
    raft.advance();
  }
  return committed;
}

describe('configuration', () => {
  const cases: [Partial<Config>, string][] = [
    [{ id: NONE }, 'cannot use none as id'],
    [{ id: LOCAL_APPEND_THREAD }, 'cannot use local target as id'],
    [{ id: '1' }, 'sixteen lower-case hexadecimal digits'],
    [{ heartbeatTick: 0 }, 'heartbeat tick must be greater than 0'],
    [{ electionTick: 1 }, 'election tick must be greater than heartbeat tick'],
    [{ maxInflightMsgs: 0 }, 'max inflight messages must be greater than 0'],
    [{ maxInflightBytes: 10, maxSizePerMsgBytes: 11 }, 'max inflight bytes must be >= max message size'],
    [{ readOnly: 'lease-based' }, 'CheckQuorum must be enabled when ReadOnlyOption is ReadOnlyLeaseBased'],
  ];
  it.each(cases)('%j is refused: %s', (options, text) => {
    expect(() => nodeOf({}, options)).toThrow(RaftFatal);
    expect(() => nodeOf({}, options)).toThrow(text);
  });
});

describe('starting', () => {
  it('adopts what is in storage, and tells nothing of it again', () => {
    const { raft } = nodeOf({ terms: [1, 1], hardState: { term: 1, commit: 1 } });
    expect(raft.basicStatus()).toMatchObject({ term: 1, commit: 1, applied: 0 });
    const ready = raft.ready();
    expect(ready).toMatchObject({ softState: null, hardState: null, entries: [], mustSync: false });
    expect(ready.committedEntries.map(({ index }) => index)).toEqual([1]);
    raft.advance();
    expect(raft.hasReady()).toBe(false);
  });

  it('goes on where the application is', () => {
    const { raft } = nodeOf({ terms: [1, 1, 1], hardState: { term: 1, commit: 3 } }, { applied: 2 });
    expect(raft.ready().committedEntries.map(({ index }) => index)).toEqual([3]);
  });

  it('from a snapshot, only what follows is applied', () => {
    const storage = new MemoryStorage();
    const confState = storageWith({ voters: [N1, N2] }).initialState().confState;
    storage.applySnapshot({ index: 2, term: 1, confState, data: null });
    storage.append([{ term: 1, index: 3, type: 0, typePresent: false, data: bytes('foo') }]);
    storage.setHardState({ term: 1, vote: NONE, commit: 3 });
    const raft = new RawNode(configOf(N1, storage));
    expect(raft.ready().committedEntries.map(({ index }) => index)).toEqual([3]);
  });

  it.each([[{ commit: 3 }, 'state.commit 3 is out of range [0, 2]']])(
    'a saved state that contradicts the log is fatal: %j',
    (hardState, text) => {
      expect(() => nodeOf({ terms: [1, 1], hardState: { term: 1, ...hardState } })).toThrow(text);
    },
  );

  it('an applied index out of range is fatal', () => {
    expect(() => nodeOf({ terms: [1], hardState: { term: 1, commit: 1 } }, { applied: 2 })).toThrow('is out of range');
  });
});

describe('bootstrap', () => {
  it('writes the members into the log as committed entries', () => {
    const { raft, storage } = nodeOf({ voters: [] });
    expect(raft.bootstrap([])).toBe('must provide at least one peer to Bootstrap');
    expect(
      raft.bootstrap([
        { id: N1, context: bytes('one') },
        { id: N2, context: null },
      ]),
    ).toBeNull();
    expect(raft.basicStatus()).toMatchObject({ term: 1, commit: 2, applied: 0 });
    expect(raft.status().config.voters).toEqual([N1, N2]);
    const ready = raft.ready();
    expect(ready.hardState).toEqual({ term: 1, vote: NONE, commit: 2 });
    expect(ready.mustSync).toBe(true);
    expect(ready.entries).toEqual(ready.committedEntries);
    expect(ready.entries.map(({ term, index }) => [term, index])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    write(storage, ready);
    raft.advance();
    expect(raft.hasReady()).toBe(false);
    expect(raft.bootstrap([{ id: N1, context: null }])).toBe("can't bootstrap a nonempty Storage");
  });
});

describe('step', () => {
  it('refuses every local type from the network', () => {
    const { raft } = nodeOf();
    const { Hup, Beat, Unreachable, SnapStatus, CheckQuorum, StorageApplyResp } = MessageType;
    for (const type of [
      Hup,
      Beat,
      Unreachable,
      SnapStatus,
      CheckQuorum,
      StorageAppend,
      StorageAppendResp,
      StorageApply,
      StorageApplyResp,
    ]) {
      expect(raft.step(message(type, N2, { term: 1 }))).toBe(RaftError.StepLocalMsg);
    }
  });

  it('refuses answers of nodes it does not track', () => {
    const { raft } = nodeOf({ voters: [N1, N2] });
    const { VoteResp, HeartbeatResp, ReadIndexResp, PreVoteResp } = MessageType;
    for (const type of [AppResp, VoteResp, HeartbeatResp, ReadIndexResp, PreVoteResp]) {
      expect(raft.step(message(type, N3, { term: 1 }))).toBe(RaftError.StepPeerNotFound);
      expect(raft.step(message(type, N2, { term: 1 }))).toBeNull();
    }
  });
});

describe('Ready', () => {
  it('of an election of one: vote, then entry, then commit', () => {
    const { raft, storage } = nodeOf({ voters: [N1] });
    raft.campaign();
    const readies: Ready[] = [];
    while (raft.hasReady()) {
      const ready = raft.ready();
      readies.push(ready);
      write(storage, ready);
      raft.advance();
    }
    expect(readies).toMatchObject([
      { softState: { role: Role.Candidate }, hardState: { term: 1, vote: N1, commit: 0 }, mustSync: true, entries: [] },
      { softState: { role: Role.Leader, lead: N1 }, hardState: null, mustSync: true, entries: [{ index: 1 }] },
      { softState: null, hardState: { commit: 1 }, mustSync: false, committedEntries: [{ index: 1 }] },
    ]);
  });

  it('may be asked for while the last is under way only if nothing is to be acknowledged', () => {
    const { raft } = nodeOf({ voters: [N1] });
    raft.campaign();
    raft.ready();
    expect(() => raft.ready()).toThrow('two accepted Ready structs without call to Advance');
  });

  it('does not lose what happens between it and advance', () => {
    const { raft, storage } = nodeOf({ voters: [N1] });
    raft.campaign();
    drain({ raft, storage });
    raft.propose(bytes('a'));
    const ready = raft.ready();
    raft.propose(bytes('b'));
    write(storage, ready);
    raft.advance();
    expect(drain({ raft, storage }).map(({ index }) => index)).toEqual([2, 3]);
  });

  it('messages that need durability go out with the entries, to others only', () => {
    const { raft } = nodeOf();
    raft.step(message(App, N2, { term: 1, entries: [{ term: 1, index: 1, type: 0, typePresent: false, data: null }] }));
    const ready = raft.ready();
    expect(ready.entries).toHaveLength(1);
    expect(ready.messages).toMatchObject([{ type: AppResp, to: N2, index: 1 }]);
  });

  it('pages what is to be applied, and loses nothing when a storage returns more than asked', () => {
    class Generous extends MemoryStorage {
      override entries(lo: number, hi: number) {
        return super.entries(lo, hi, NO_LIMIT);
      }
    }
    for (const generous of [false, true]) {
      const storage = generous ? new Generous() : new MemoryStorage();
      storage.applySnapshot({
        index: 0,
        term: 0,
        confState: storageWith({ voters: [N1] }).initialState().confState,
        data: null,
      });
      storage.append(
        Array.from({ length: 10 }, (_, i) => ({
          term: 1,
          index: i + 1,
          type: 0 as const,
          typePresent: false,
          data: bytes('a'),
        })),
      );
      storage.setHardState({ term: 1, vote: N1, commit: 10 });
      const raft = new RawNode(configOf(N1, storage, { maxSizePerMsgBytes: 20 }));
      const pages: number[][] = [];
      while (raft.hasReady()) {
        pages.push(raft.ready().committedEntries.map(({ index }) => index));
        raft.advance();
      }
      expect(pages.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(pages.length > 1).toBe(!generous);
    }
  });

  it('a cut-off leader’s log stays within its limit', () => {
    const { raft, storage } = nodeOf({ voters: [N1, N2] }, { maxUncommittedSizeBytes: 16 });
    raft.campaign();
    drain({ raft, storage });
    raft.step(message(MessageType.VoteResp, N2, { term: 1 }));
    raft.step(message(AppResp, N2, { term: 1, index: 1 }));
    drain({ raft, storage });
    for (let i = 0; i < 1024; i++) raft.propose(bytes('test'));
    drain({ raft, storage });
    expect(storage.lastIndex()).toBe(5);
    expect(raft.inspect().uncommittedSizeBytes).toBe(16);
    raft.step(message(AppResp, N2, { term: 1, index: 5 }));
    drain({ raft, storage });
    expect(raft.inspect().uncommittedSizeBytes).toBe(0);
  });
});

describe('conf changes through a node', () => {
  const { AddNode, AddLearnerNode } = ConfChangeType;
  const single = { type: AddNode, nodeId: N2 };
  const cases: [string, AnyConfChange, Partial<ReturnType<RawNode['status']>['config']>][] = [
    ['v1', { version: 1, id: NONE, ...single, context: null }, { voters: [N1, N2] }],
    [
      'v2, one change',
      { version: 2, transition: ConfChangeTransition.Auto, changes: [single], context: null },
      { voters: [N1, N2] },
    ],
    [
      'v2, a learner',
      {
        version: 2,
        transition: ConfChangeTransition.Auto,
        changes: [{ type: AddLearnerNode, nodeId: N2 }],
        context: null,
      },
      { voters: [N1], learners: [N2] },
    ],
    [
      'v2, explicit',
      { version: 2, transition: ConfChangeTransition.JointExplicit, changes: [single], context: null },
      { voters: [N1, N2], votersOutgoing: [N1] },
    ],
    [
      'v2, two changes',
      {
        version: 2,
        transition: ConfChangeTransition.Auto,
        changes: [{ type: AddLearnerNode, nodeId: N1 }, single],
        context: null,
      },
      { voters: [N2], learners: [N1], votersOutgoing: [], learnersNext: [] },
    ],
  ];
  it.each(cases)('%s', (_, change, expected) => {
    const cluster = new Cluster([N1]);
    cluster.add(N2, { voters: [N1] });
    cluster.campaign(N1);
    expect(cluster.raft(N1).proposeConfChange(change)).toBeNull();
    cluster.settle();
    expect(cluster.raft(N1).status().config).toMatchObject(expected);
  });
});

describe('status', () => {
  it('shows progress on leaders only, and never auto-leave', () => {
    const { raft, storage } = nodeOf({ voters: [N1] });
    expect(raft.status().progress).toEqual([]);
    raft.campaign();
    drain({ raft, storage });
    expect(raft.status()).toMatchObject({ role: Role.Leader, applied: 1, progress: [{ id: N1, match: 1, next: 2 }] });
    raft.applyConfChange({
      version: 2,
      transition: ConfChangeTransition.JointImplicit,
      changes: [{ type: ConfChangeType.AddNode, nodeId: N2 }],
      context: null,
    });
    expect(raft.status().config).toMatchObject({ votersOutgoing: [N1], autoLeave: false });
    expect(raft.inspect().config.autoLeave).toBe(true);
  });

  it('prints as JSON', () => {
    const { raft, storage } = nodeOf({ voters: [N1] });
    raft.campaign();
    drain({ raft, storage });
    expect(JSON.parse(describeStatus(raft.status()))).toEqual({
      id: '1',
      term: 1,
      vote: '1',
      commit: 1,
      lead: '1',
      raftState: 'StateLeader',
      applied: 1,
      progress: { 1: { match: 1, next: 2, state: 'StateReplicate' } },
      leadtransferee: '0',
    });
  });

  it('term() answers for the whole log', () => {
    const { raft } = nodeOf({ terms: [1, 2] });
    expect([0, 1, 2, 3].map((i) => raft.term(i))).toEqual([0, 1, 2, -2]);
  });
});

describe('asynchronous storage', () => {
  /** Runs the threads of one node by hand. */
  class Threads {
    readonly raft: RawNode;
    readonly storage: MemoryStorage;
    readonly append: Message[] = [];
    readonly apply: Message[] = [];
    readonly sent: Message[] = [];

    constructor(start: Start, options: Partial<Config> = {}) {
      const made = nodeOf(start, { asyncStorageWrites: true, ...options });
      this.raft = made.raft;
      this.storage = made.storage;
    }

    take(): void {
      while (this.raft.hasReady()) {
        for (const one of this.raft.ready().messages) {
          if (one.to === LOCAL_APPEND_THREAD) this.append.push(one);
          else if (one.to === LOCAL_APPLY_THREAD) this.apply.push(one);
          else this.sent.push(one);
        }
      }
    }

    work(queue: Message[]): void {
      const one = queue.shift()!;
      if (one.type === StorageAppend) {
        if (one.term !== 0) this.storage.setHardState({ term: one.term, vote: one.vote, commit: one.commit });
        this.storage.append(one.entries);
      }
      for (const response of one.responses) {
        if (response.to === N1) expect(this.raft.step(response)).toBeNull();
        else this.sent.push(response);
      }
      this.take();
    }
  }

  it('elects, appends and applies through the threads', () => {
    const node = new Threads({ voters: [N1] });
    node.raft.campaign();
    node.take();
    expect(node.append).toMatchObject([{ term: 1, vote: N1, responses: [{ type: MessageType.VoteResp, to: N1 }] }]);
    expect(node.raft.basicStatus().role).toBe(Role.Candidate);
    node.work(node.append);
    expect(node.raft.basicStatus().role).toBe(Role.Leader);
    node.raft.propose(bytes('x'));
    node.take();
    while (node.append.length > 0) node.work(node.append);
    expect(node.raft.basicStatus()).toMatchObject({ commit: 2, applied: 0 });
    while (node.apply.length > 0) node.work(node.apply);
    expect(node.raft.basicStatus().applied).toBe(2);
    expect(() => node.raft.advance()).toThrow('Advance must not be called when using AsyncStorageWrites');
  });

  it('never offers for application what is not stable', () => {
    const node = new Threads({ voters: [N1, N2] });
    node.raft.step(
      message(App, N2, {
        term: 1,
        commit: 2,
        entries: [1, 2].map((index) => ({ term: 1, index, type: 0, typePresent: false, data: null })),
      }),
    );
    node.take();
    expect(node.apply).toEqual([]);
    while (node.append.length > 0) node.work(node.append);
    expect(node.apply.flatMap(({ entries }) => entries.map(({ index }) => index))).toEqual([1, 2]);
  });

  it('an acknowledgement of an earlier term is ignored, and made up for by the next', () => {
    const node = new Threads({ voters: [N1, N2, N3] });
    const entry = { term: 1, index: 1, type: 0 as const, typePresent: false, data: null };
    node.raft.step(message(App, N2, { term: 1, entries: [entry] }));
    node.take();
    const [late] = node.append.splice(0);
    node.raft.step(message(MessageType.Vote, N3, { term: 2, logTerm: 1, index: 1 }));
    node.take();
    node.append.unshift(late!);
    node.work(node.append);
    expect(node.raft.inspect().unstableOffset).toBe(1);
    node.work(node.append);
    expect(node.raft.inspect().unstableOffset).toBe(2);
  });

  it('the quota of unapplied entries spans several Readies', () => {
    const terms = [1, 1, 1, 1, 1, 1];
    const node = new Threads({ voters: [N1], terms, hardState: { term: 1, commit: 6 } }, { maxSizePerMsgBytes: 8 });
    node.take();
    expect(node.apply.map(({ entries }) => entries.length)).toEqual([2]);
    node.work(node.apply);
    expect(node.apply.map(({ entries }) => entries.length)).toEqual([2]);
  });
});
