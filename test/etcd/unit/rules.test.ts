import { describe, expect, it } from 'vitest';
import type { Member } from '../../../src/api/etcd/cluster.ts';
import { EtcdError, type EtcdErrorKind } from '../../../src/api/etcd/errors.ts';
import { shortId } from '../../../src/api/etcd/ids.ts';
import { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import {
  Compare,
  CompareResult,
  CompareTarget,
  DeleteRangeRequest,
  NO_LEASE,
  PutRequest,
  RangeRequest,
  RequestOp,
  TxnRequest,
} from '../../../src/api/etcd/kv.ts';
import { AlarmAction, AlarmType } from '../../../src/api/etcd/maintenance.ts';
import { ETCD_3_4, ETCD_3_6 } from '../../../src/etcd/behaviour.ts';
import { Applier, type ApplyEffects } from '../../../src/etcd/server/apply/applier.ts';
import { costBytes } from '../../../src/etcd/server/apply/quota.ts';
import { executeRange } from '../../../src/etcd/server/apply/range.ts';
import { validatePut, validateRange, validateTxn } from '../../../src/etcd/server/apply/validate.ts';
import { type DatabaseState, encodeImage } from '../../../src/etcd/server/backend/image.ts';
import { parseConfig, type ServerConfig } from '../../../src/etcd/server/config/config.ts';
import { parseInitialCluster, parseUrls } from '../../../src/etcd/server/config/urls.ts';
import { Lessor } from '../../../src/etcd/server/lease/lessor.ts';
import { spreadExpiries } from '../../../src/etcd/server/lease/spread.ts';
import { minLeaseTtlSec, peerDialTimeoutUs, requestTimeoutUs } from '../../../src/etcd/server/member/identity.ts';
import { Cluster } from '../../../src/etcd/server/membership/cluster.ts';
import { decodeContext, encodeContext } from '../../../src/etcd/server/membership/context.ts';
import { clusterId, memberId } from '../../../src/etcd/server/membership/ids.ts';
import {
  mayAdd,
  mayPromote,
  mayRemove,
  type ReconfigurationView,
} from '../../../src/etcd/server/membership/reconfiguration.ts';
import { snapshotStatus } from '../../../src/etcd/server/restore/status.ts';
import type { ReplicatedState } from '../../../src/etcd/server/state/replicated.ts';
import { concatBytes, utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';
import { ConfChangeType } from '../../../src/raft/index.ts';
import { newState } from './state.ts';

const bytes = utf8Encode;
const SECOND = 1_000_000;

class Recorder implements ApplyEffects {
  readonly seen: string[] = [];
  changed(changes: number): void {
    this.seen.push(`changed ${changes}`);
  }
  compacted(revision: number): void {
    this.seen.push(`compacted ${revision}`);
  }
  overQuota(): void {
    this.seen.push('over quota');
  }
  alarmsChanged(): void {
    this.seen.push('alarms');
  }
  leaseGranted(id: string): void {
    this.seen.push(`granted ${id}`);
  }
  leaseRevoked(id: string, keys: number): void {
    this.seen.push(`revoked ${id} ${keys}`);
  }
  clusterVersionSet(version: string): void {
    this.seen.push(`version ${version}`);
  }
}

function newApplier(quotaBytes = -1): { state: ReplicatedState; applier: Applier; effects: Recorder } {
  const state = newState();
  const effects = new Recorder();
  return { state, effects, applier: new Applier(state, effects, { quotaBytes, nowUs: () => 0 }) };
}

const put = (key: string, value = 'v', lease = NO_LEASE): InternalRaftRequest =>
  InternalRaftRequest.of({ put: PutRequest.of({ key: bytes(key), value: bytes(value), lease }) });

describe('requests that the API refuses', () => {
  it('have no key, give what they say to keep, or sort by nothing known', () => {
    expect(validateRange(RangeRequest.of({}))).toBe(EtcdError.EmptyKey);
    expect(validateRange(RangeRequest.of({ key: bytes('a'), sortOrder: 3 }))).toBe(EtcdError.InvalidSortOption);
    expect(validateRange(RangeRequest.of({ key: bytes('a'), sortTarget: -1 }))).toBe(EtcdError.InvalidSortOption);
    expect(validatePut(PutRequest.of({ key: bytes('a'), value: bytes('v'), ignoreValue: true }))).toBe(
      EtcdError.ValueProvided,
    );
    expect(validatePut(PutRequest.of({ key: bytes('a'), lease: '0000000000000001', ignoreLease: true }))).toBe(
      EtcdError.LeaseProvided,
    );
  });

  const putOp = (key: string): RequestOp => RequestOp.of({ requestPut: PutRequest.of({ key: bytes(key) }) });
  const delOp = (key: string, end = ''): RequestOp =>
    RequestOp.of({ requestDeleteRange: DeleteRangeRequest.of({ key: bytes(key), rangeEnd: bytes(end) }) });
  const txnOp = (success: readonly RequestOp[], failure: readonly RequestOp[] = []): RequestOp =>
    RequestOp.of({ requestTxn: TxnRequest.of({ success, failure }) });
  const check = (success: readonly RequestOp[], maxOps = 128): unknown =>
    validateTxn(TxnRequest.of({ success }), maxOps);

  it('are transactions that touch a key twice in ways without an order', () => {
    expect(check([putOp('a'), putOp('a')])).toBe(EtcdError.DuplicateKey);
    expect(check([putOp('b'), delOp('a', 'c')])).toBe(EtcdError.DuplicateKey);
    expect(check([delOp('a', 'c'), delOp('b', 'd')])).toBeNull();
    expect(check([txnOp([putOp('a')], [putOp('a')])])).toBeNull();
    expect(check([txnOp([putOp('a')]), putOp('a')])).toBe(EtcdError.DuplicateKey);
    expect(check([txnOp([putOp('a')]), txnOp([putOp('a')])])).toBe(EtcdError.DuplicateKey);
    expect(check([txnOp([delOp('a')]), putOp('a')])).toBe(EtcdError.DuplicateKey);
    expect(check([txnOp([putOp('a')]), txnOp([delOp('a')])])).toBeNull();
  });

  it('have too many operations, counting what outer ones leave', () => {
    expect(check([putOp('a'), putOp('b')], 1)).toBe(EtcdError.TooManyOps);
    expect(check([txnOp([putOp('a'), putOp('b')])], 2)).toBe(EtcdError.TooManyOps);
    expect(check([txnOp([putOp('a')])], 2)).toBeNull();
    expect(check([RequestOp.of({})])).toBe(EtcdError.KeyNotFound);
  });
});

describe('a range', () => {
  const { applier, state } = newApplier();
  for (const [key, value] of [
    ['a', '3'],
    ['b', '1'],
    ['c', '2'],
    ['d', '4'],
  ] as const)
    applier.apply(put(key, value));
  applier.apply(put('a', '3'));
  const keys = (more: Partial<RangeRequest>): string => {
    const answer = executeRange(state.store, RangeRequest.of({ key: bytes('a'), rangeEnd: bytes('z'), ...more }));
    if ('status' in answer) return answer.message;
    return `${answer.kvs.map((kv) => utf8Decode(kv.key)).join('')}${answer.more ? '+' : ''} ${answer.count}`;
  };

  it('is cut after it was sorted and filtered, and counts everything', () => {
    expect(keys({})).toBe('abcd 4');
    expect(keys({ limit: 2 })).toBe('ab+ 4');
    expect(keys({ limit: 4 })).toBe('abcd 4');
    expect(keys({ limit: 2, sortOrder: 2 })).toBe('dc+ 4');
    expect(keys({ limit: 2, sortOrder: 1, sortTarget: 4 })).toBe('bc+ 4');
    expect(keys({ minModRevision: 4 })).toBe('acd 4');
    expect(keys({ maxCreateRevision: 3, limit: 1 })).toBe('a+ 4');
    expect(keys({ countOnly: true, limit: 1 })).toBe(' 4');
    expect(keys({ rangeEnd: bytes('0') })).toBe(' 0');
  });

  it('with a target but no order sorts what the limit left: a quirk that is kept', () => {
    expect(keys({ sortTarget: 4, limit: 1 })).toBe('b+ 4');
    expect(keys({ sortTarget: 4, sortOrder: 1, limit: 1 })).toBe('b+ 4');
    expect(keys({ sortTarget: 3, limit: 1 })).toBe('b+ 4');
  });
});

describe('conditions of a transaction', () => {
  const { applier, state } = newApplier();
  applier.apply(put('k', 'v1'));
  applier.apply(put('k', 'v2'));
  const succeeds = (...compare: readonly Partial<Compare>[]): boolean => {
    const txn = TxnRequest.of({ compare: compare.map((one) => Compare.of({ key: bytes('k'), ...one })) });
    const answer = applier.apply(InternalRaftRequest.of({ txn })) as unknown as { succeeded: boolean };
    return answer.succeeded;
  };

  it('compare with zero where the key is absent, but never a value', () => {
    expect(succeeds({ key: bytes('x'), target: CompareTarget.Create, createRevision: 0 })).toBe(true);
    expect(succeeds({ key: bytes('x'), target: CompareTarget.Value, value: bytes('') })).toBe(false);
    expect(succeeds({ target: CompareTarget.Version, version: 2 })).toBe(true);
    expect(succeeds({ target: CompareTarget.Value, value: bytes('v1'), result: CompareResult.Greater })).toBe(true);
    expect(succeeds({ target: CompareTarget.Mod, modRevision: 3, result: CompareResult.Less })).toBe(false);
    expect(succeeds({ target: CompareTarget.Lease, lease: 'ffffffffffffffff', result: CompareResult.Greater })).toBe(
      true,
    );
    expect(succeeds()).toBe(true);
    expect(state.store.currentRevision).toBe(3);
  });

  it('must hold for every key of a range', () => {
    const other = newApplier();
    other.applier.apply(put('a', 'x'));
    other.applier.apply(put('b', 'y'));
    const compare = [Compare.of({ key: bytes('a'), rangeEnd: bytes('c'), target: CompareTarget.Version, version: 1 })];
    expect(other.applier.apply(InternalRaftRequest.of({ txn: TxnRequest.of({ compare }) }))).toMatchObject({
      succeeded: true,
    });
    other.applier.apply(put('b', 'z'));
    expect(other.applier.apply(InternalRaftRequest.of({ txn: TxnRequest.of({ compare }) }))).toMatchObject({
      succeeded: false,
    });
  });
});

describe('alarms and quota', () => {
  it('refuse what grows, and nothing else', () => {
    const { applier } = newApplier();
    applier.apply(put('k'));
    applier.apply(InternalRaftRequest.of({ leaseGrant: { id: '0000000000000007', ttl: 100 } }));
    const alarm = { action: AlarmAction.Activate, memberId: '00000000000000a1', alarm: AlarmType.NoSpace };
    applier.apply(InternalRaftRequest.of({ alarm }));
    expect(applier.apply(put('k'))).toBe(EtcdError.NoSpace);
    expect(applier.apply(InternalRaftRequest.of({ leaseGrant: { id: '0000000000000008', ttl: 9 } }))).toBe(
      EtcdError.NoSpace,
    );
    const deleteRange = DeleteRangeRequest.of({ key: bytes('k') });
    expect(applier.apply(InternalRaftRequest.of({ deleteRange }))).toMatchObject({ deleted: 1 });
    const reading = TxnRequest.of({ success: [RequestOp.of({ requestDeleteRange: deleteRange })] });
    expect(applier.apply(InternalRaftRequest.of({ txn: reading }))).toMatchObject({ succeeded: true });
    expect(applier.apply(InternalRaftRequest.of({ leaseRevoke: { id: '0000000000000007' } }))).toHaveProperty('header');
    applier.apply(InternalRaftRequest.of({ alarm: { ...alarm, action: AlarmAction.Deactivate } }));
    expect(applier.apply(put('k'))).toHaveProperty('header');
  });

  it('of corruption refuse everything that touches the key space', () => {
    const { applier } = newApplier();
    const alarm = { action: AlarmAction.Activate, memberId: '0000000000000000', alarm: AlarmType.Corrupt };
    applier.apply(InternalRaftRequest.of({ alarm }));
    expect(applier.apply(put('k'))).toBe(EtcdError.Corrupt);
    expect(applier.apply(InternalRaftRequest.of({ compaction: { revision: 1, physical: false } }))).toBe(
      EtcdError.Corrupt,
    );
    expect(applier.apply(InternalRaftRequest.of({ clusterVersionSet: { version: '3.6.0' } }))).toHaveProperty('header');
  });

  it('execute what is over quota all the same, so that members stay equal', () => {
    const { applier, state, effects } = newApplier(20_480);
    expect(applier.apply(put('k', 'x'))).toBe(EtcdError.NoSpace);
    expect(state.store.latest('k')).not.toBeNull();
    expect(effects.seen).toEqual(['changed 1', 'over quota']);
  });

  it('count a put with its overhead, and the dearer branch of a transaction', () => {
    expect(costBytes(put('key', 'value'), true)).toBe(256 + 3 + 5);
    const one = RequestOp.of({ requestPut: put('a', 'xx').put });
    const inner = RequestOp.of({ requestTxn: TxnRequest.of({ success: [one] }) });
    const txn = TxnRequest.of({ success: [one, one, inner], failure: [one] });
    expect(costBytes({ txn }, true)).toBe(3 * 259);
    expect(costBytes({ txn }, false)).toBe(2 * 259);
    expect(costBytes({ leaseGrant: { id: NO_LEASE, ttl: 1 } }, true)).toBe(64);
    expect(costBytes({ leaseRevoke: { id: NO_LEASE } }, true)).toBe(0);
  });
});

describe('leases', () => {
  const silent = { leaseChanged: () => {}, leaseRemoved: () => {} };

  it('live at least the minimum, and not for ever', () => {
    const lessor = new Lessor(silent, 2, () => true);
    expect(lessor.grant('0000000000000001', -3, 0)).toMatchObject({ ttlSec: 2 });
    expect(lessor.grant('0000000000000001', 5, 0)).toBe(EtcdError.LeaseExist);
    expect(lessor.grant('0000000000000002', 9_000_000_001, 0)).toBe(EtcdError.LeaseTtlTooLarge);
  });

  it('expire on the primary only, and get their whole time and an election when another becomes it', () => {
    const lessor = new Lessor(silent, 2, () => true);
    lessor.grant('0000000000000001', 10, 0);
    expect(lessor.expired(100 * SECOND, 10)).toEqual([]);
    lessor.promote(50 * SECOND, SECOND);
    expect(lessor.nextExpiryUs()).toBe(61 * SECOND);
    expect(lessor.expired(60 * SECOND, 10)).toEqual([]);
    expect(lessor.expired(61 * SECOND, 10)).toHaveLength(1);
    lessor.demote();
    expect(lessor.expired(100 * SECOND, 10)).toEqual([]);
  });

  it('go on from a checkpoint, which another one takes back', () => {
    const lessor = new Lessor(silent, 2, () => true);
    lessor.grant('0000000000000001', 1000, 0);
    lessor.checkpoint('0000000000000001', 400, 0);
    lessor.promote(0, 0);
    const lease = lessor.get('0000000000000001')!;
    expect(lessor.remainingSec(lease, 0)).toBe(400);
    lessor.checkpoint('0000000000000001', 0, 0);
    lessor.renew(lease, 0);
    expect(lessor.remainingSec(lease, 0)).toBe(1000);
  });

  it('are spread when a thousand would expire within a second', () => {
    const leases = Array.from({ length: 1500 }, (_, i) => ({
      id: String(i).padStart(16, '0'),
      ttlSec: 10,
      remainingTtlSec: 0,
      storedRemainingTtlSec: 0,
      expiresAtUs: 10 * SECOND,
      checkpointAtUs: Number.POSITIVE_INFINITY,
      keys: new Set<string>(),
    }));
    spreadExpiries(leases, 0);
    const perSecond = new Map<number, number>();
    for (const lease of leases) {
      const second = Math.floor(lease.expiresAtUs / SECOND);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(1000);
    expect(perSecond.size).toBeGreaterThan(1);
  });

  it('take their keys with them in one revision', () => {
    const { applier, state, effects } = newApplier();
    applier.apply(InternalRaftRequest.of({ leaseGrant: { id: '0000000000000001', ttl: 10 } }));
    applier.apply(put('b', 'x', '0000000000000001'));
    applier.apply(put('a', 'x', '0000000000000001'));
    applier.apply(put('c', 'x', '0000000000000001'));
    applier.apply(put('c', 'x'));
    expect(state.store.currentRevision).toBe(5);
    applier.apply(InternalRaftRequest.of({ leaseRevoke: { id: '0000000000000001' } }));
    expect(state.store.currentRevision).toBe(6);
    expect(effects.seen.slice(-2)).toEqual(['changed 2', 'revoked 0000000000000001 2']);
    expect(state.store.latest('c')).not.toBeNull();
    expect(applier.apply(put('z', 'x', '0000000000000001'))).toBe(EtcdError.LeaseNotFound);
  });
});

describe('membership', () => {
  const member = (id: string, name = id, isLearner = false): Member => ({
    id,
    name,
    peerUrls: [`http://${id}:2380`],
    clientUrls: [],
    isLearner,
  });
  const view = (members: readonly Member[], up: readonly string[], addNeedsAllVoters = false): ReconfigurationView => ({
    localId: 'a',
    members,
    longConnected: (id) => up.includes(id),
    connected: (id) => up.includes(id),
    addNeedsAllVoters,
  });
  const three = [member('a'), member('b'), member('c')];

  it('grows only while it is healthy enough for its release', () => {
    expect(mayAdd(view([member('a')], ['a']), false)).toBeNull();
    expect(mayAdd(view(three, ['a', 'b', 'c']), false)).toBeNull();
    expect(mayAdd(view(three, ['a', 'b']), false)).toBe(EtcdError.Unhealthy);
    expect(mayAdd(view([...three, member('d')], ['a', 'b', 'c']), false)).toBeNull();
    expect(mayAdd(view([...three, member('d')], ['a', 'b', 'c'], true), true)).toBe(EtcdError.Unhealthy);
    expect(mayAdd(view([member('a'), member('b', '')], ['a', 'b']), false)).toBe(EtcdError.MemberNotEnoughStarted);
    expect(mayAdd(view([member('a'), member('b', '')], ['a', 'b'], true), true)).toBeNull();
  });

  it('loses a dead member, but not a live one that the rest could not do without', () => {
    expect(mayRemove(view(three, ['a', 'b']), 'c')).toBeNull();
    expect(mayRemove(view(three, ['a', 'b']), 'b')).toBe(EtcdError.Unhealthy);
    expect(mayRemove(view(three, ['a', 'b', 'c']), 'b')).toBeNull();
    expect(mayRemove(view([member('a'), member('b', '')], ['a']), 'a')).toBe(EtcdError.MemberNotEnoughStarted);
    expect(mayRemove(view([member('a')], ['a']), 'a')).toBe(EtcdError.MemberNotEnoughStarted);
    expect(mayRemove(view([...three, member('l', '', true)], []), 'l')).toBeNull();
    expect(mayRemove(view(three, []), 'unknown')).toBeNull();
  });

  it('refuses changes that the list of members does not allow', () => {
    const sink = {
      memberChanged: () => {},
      memberRemoved: () => {},
      clusterVersionChanged: () => {},
      downgradeChanged: () => {},
    };
    const refusals = (maxLearners: number): (EtcdErrorKind | null)[] => {
      const cluster = new Cluster('c'.repeat(16), 'a', maxLearners, sink);
      const change = (
        type: ConfChangeType,
        id: string,
        isPromote = false,
        urls = [`http://${id}:2380`],
      ): EtcdErrorKind | null => {
        const isLearner = type === ConfChangeType.AddLearnerNode;
        const context = encodeContext({
          member: { ...member(id.padStart(16, '0'), id, isLearner), peerUrls: urls },
          isPromote,
        });
        const wanted = { version: 1, id: '0'.repeat(16), type, nodeId: id.padStart(16, '0'), context } as const;
        const refused = cluster.validate(wanted);
        if (refused === null) cluster.apply(wanted);
        return refused;
      };
      const { AddNode, AddLearnerNode, RemoveNode, UpdateNode } = ConfChangeType;
      return [
        change(AddNode, 'a'),
        change(AddNode, 'a'),
        change(AddNode, 'b', false, ['http://a:2380']),
        change(AddLearnerNode, 'd'),
        change(AddLearnerNode, 'e'),
        change(AddNode, 'f', true),
        change(AddNode, 'a', true),
        change(UpdateNode, 'f'),
        change(UpdateNode, 'd', false, ['http://a:2380']),
        change(RemoveNode, 'f'),
        change(RemoveNode, 'd'),
        change(AddNode, 'd'),
        change(RemoveNode, 'd'),
      ];
    };
    const { MemberExist, PeerUrlExist, TooManyLearners, MemberNotFound, MemberNotLearner } = EtcdError;
    const known = [null, MemberExist, PeerUrlExist, null];
    const rest = [MemberNotFound, MemberNotLearner, MemberNotFound, PeerUrlExist, MemberNotFound, null];
    expect(refusals(1)).toEqual([...known, TooManyLearners, ...rest, MemberNotFound, MemberNotFound]);
    expect(refusals(2)).toEqual([...known, null, ...rest, MemberNotFound, MemberNotFound]);
  });

  it('counts a learner as started when it is promoted', () => {
    expect(mayPromote(view([member('a'), member('l', '', true)], ['a']))).toBeNull();
    expect(mayPromote(view([member('a'), member('b', ''), member('c', '')], ['a']))).toBe(
      EtcdError.MemberNotEnoughStarted,
    );
  });

  it('has ids made of URLs, token and time', () => {
    expect(memberId(['http://10.0.0.11:2380'], 'etcd-cluster', null)).toBe('9e80988e833ccb43');
    expect(memberId(['http://b', 'http://a'], 't', null)).toBe(memberId(['http://a', 'http://b'], 't', null));
    expect(memberId(['http://a'], '', 1)).not.toBe(memberId(['http://a'], '', 2));
    expect(clusterId(['b', 'a'].map((c) => c.repeat(16)))).toBe(clusterId(['a', 'b'].map((c) => c.repeat(16))));
    expect(shortId('00000000000000a1')).toBe('a1');
    expect(shortId('0000000000000000')).toBe('0');
  });

  it('travels in JSON with ids beyond what a double holds', () => {
    const context = { member: { ...member('fedcba9876543210'), isLearner: true }, isPromote: true };
    const json = encodeContext(context);
    expect(utf8Decode(json)).toMatch(/^\{"id":18364758544493064720,"peerURLs":\["http/);
    expect(decodeContext(json)).toEqual(context);
  });
});

describe('a snapshot file', () => {
  it("has as many entries as etcd's own database would", () => {
    const { applier, state } = newApplier();
    for (const key of ['a', 'b', 'b']) applier.apply(put(key, 'x'));
    applier.apply(InternalRaftRequest.of({ leaseGrant: { id: '0000000000000001', ttl: 10 } }));
    const member = { id: '00000000000000a1', name: 'a', peerUrls: [], clientUrls: [], isLearner: false };
    const database: DatabaseState = {
      ...state.export(),
      members: [member],
      clusterVersion: '3.4.0',
      storageVersion: '',
    };
    // Counted by the real 3.4: three revisions, a lease, a member, the cluster's version, two marks.
    expect(snapshotStatus(concatBytes(encodeImage(database)))).toMatchObject({
      totalKeys: 8,
      revision: 4,
      storageVersion: '',
    });
    const compacted = { ...database, scheduledCompaction: 3, finishedCompaction: 3 };
    expect(snapshotStatus(concatBytes(encodeImage(compacted)))!.totalKeys).toBe(10);
    const newer = { ...compacted, clusterVersion: '3.6.0', storageVersion: '3.6.0' };
    expect(snapshotStatus(concatBytes(encodeImage(newer)))).toMatchObject({ totalKeys: 13, storageVersion: '3.6.0' });
    expect(snapshotStatus(new Uint8Array(512).fill(7))).toBeNull();
  });
});

describe('the command line', () => {
  const parse = (...args: readonly string[]): ServerConfig => {
    const config = parseConfig(args, {}, ETCD_3_6);
    if ('why' in config) throw new Error(JSON.stringify(config));
    return config;
  };
  const refused = (...args: readonly string[]): { code: number; line: string } => {
    const config = parseConfig(args, {}, ETCD_3_6);
    if (!('why' in config)) return { code: -1, line: config.startProblem ?? '' };
    const line = config.why === 'unfit' ? config.error : config.why === 'usage' ? config.lines[0]! : config.variable;
    return { code: config.exitCode, line };
  };

  it('has the defaults of its release', () => {
    expect(parse()).toMatchObject({
      name: 'default',
      dataDir: 'default.etcd',
      tickUs: 100_000,
      electionTicks: 10,
      preVote: true,
      snapshotCount: 10_000,
      quotaBackendBytes: 2_147_483_648,
      maxTxnOps: 128,
      newCluster: true,
    });
    const old = parseConfig([], {}, ETCD_3_4) as ServerConfig;
    expect(old).toMatchObject({ preVote: false, snapshotCount: 100_000 });
    expect([...parse().initialCluster.keys()]).toEqual(['default']);
  });

  it('gives requests, peers and leases their time by the election', () => {
    const times = (...args: readonly string[]): number[] => {
      const config = parse(...args);
      return [requestTimeoutUs(config) / SECOND, peerDialTimeoutUs(config) / SECOND, minLeaseTtlSec(config)];
    };
    expect(times()).toEqual([7, 2, 2]);
    expect(times('--election-timeout=3000', '--heartbeat-interval=300')).toEqual([11, 4, 5]);
    // Whole ticks count.
    expect(times('--election-timeout=1000', '--heartbeat-interval=150')).toEqual([6.8, 1.9, 2]);
  });

  it('takes what Talos gives', () => {
    const config = parse(
      '--advertise-client-urls=https://10.0.0.10:2379',
      '--auto-tls=false',
      '--cert-file=/server.crt',
      '--client-cert-auth=true',
      '--data-dir=/var/lib/etcd',
      '--experimental-compact-hash-check-enabled=true',
      '--experimental-initial-corrupt-check=true',
      '--experimental-watch-progress-notify-interval=5s',
      '--initial-cluster=cp-0=https://10.0.0.9:2380,cp-1=https://10.0.0.10:2380',
      '--initial-cluster-state=existing',
      '--key-file=/server.key',
      '--listen-client-urls=https://0.0.0.0:2379',
      '--name=cp-1',
      '--peer-client-cert-auth=true',
    );
    expect(config).toMatchObject({
      newCluster: false,
      compactHashCheck: true,
      initialCorruptCheck: true,
      progressNotifyIntervalUs: 5_000_000,
      clientTls: { certFile: '/server.crt', clientCertAuth: true },
    });
    expect([...config.initialCluster.keys()]).toEqual(['cp-0', 'cp-1']);
  });

  it('reads values in every spelling, and the environment behind them', () => {
    expect(parse('-name', 'a', '--pre-vote=0').preVote).toBe(false);
    const env = { ETCD_MAX_WALS: '0x9', ETCD_VERSION: 'true', ETCD_NONE: '1' };
    const config = parseConfig(['--name=flag'], env, ETCD_3_6) as ServerConfig;
    expect(config).toMatchObject({ name: 'flag', maxWals: 9, variables: ['ETCD_MAX_WALS'] });
    expect(config.unknownVariables).toEqual(['ETCD_VERSION=true', 'ETCD_NONE=1']);
    expect(parseConfig(['--name=flag'], { ETCD_NAME: 'env' }, ETCD_3_6)).toEqual({
      why: 'shadowed',
      exitCode: 1,
      variable: 'ETCD_NAME',
    });
    expect(parse('--feature-gates=CompactHashCheck=true').compactHashCheck).toBe(true);
    expect(parse('--auto-compaction-retention=2').autoCompactionRetention).toBe(7_200_000_000);
    expect(parse('--auto-compaction-mode=revision', '--auto-compaction-retention=1us').autoCompactionRetention).toBe(
      1000,
    );
    expect(parse('--experimental-max-learners=2').maxLearners).toBe(2);
  });

  it('is refused by Go’s words for values, and by etcd’s for what does not fit together', () => {
    expect(refused('--snapshot-count=x')).toEqual({
      code: 2,
      line: 'invalid value "x" for flag -snapshot-count: parse error',
    });
    expect(refused('--pre-vote=maybe')).toEqual({
      code: 2,
      line: 'invalid boolean value "maybe" for -pre-vote: parse error',
    });
    expect(refused('--name')).toEqual({ code: 2, line: 'flag needs an argument: -name' });
    expect(refused('extra')).toMatchObject({ code: 1, line: expect.stringContaining('"extra" is not a valid flag') });
    expect(refused('--listen-client-urls=http://10.0.0.1:2379').line).toContain('--advertise-client-urls is required');
    expect(refused('--election-timeout=60000').line).toContain('is too long, and should be set less than 50000ms');
    expect(refused('--listen-peer-urls=http://example.com:2380').line).toContain('expected IP in URL for binding');
    expect(refused('--auth-token=jwt').line).toContain('--auth-token=jwt is not simulated');
    expect(refused('--discovery=http://x').line).toContain('--discovery=http://x is not simulated');
  });

  it('knows what is new in 3.6 from what was before', () => {
    const gates = 'for flag -feature-gates';
    expect(refused('--feature-gates=Nonsense=true')).toEqual({
      code: 2,
      line: `invalid value "Nonsense=true" ${gates}: unrecognized feature gate: Nonsense`,
    });
    expect(refused('--feature-gates=x').line).toBe(`invalid value "x" ${gates}: missing bool value for x`);
    expect(refused('--feature-gates=LeaseCheckpoint=x').line).toContain(
      'invalid value of LeaseCheckpoint=x, err: strconv.ParseBool: parsing "x": invalid syntax',
    );
    expect(refused('--feature-gates=LeaseCheckpointPersist=true').line).toContain('requires enabling feature gate');
    expect(refused('--compaction-batch-limit=1', '--experimental-compaction-batch-limit=1').line).toBe(
      'cannot set --experimental-compaction-batch-limit and --compaction-batch-limit at the same time, please use --compaction-batch-limit only',
    );
    expect(
      refused('--feature-gates=InitialCorruptCheck=true', '--experimental-initial-corrupt-check=false').line,
    ).toContain('cannot specify both flags: --experimental-initial-corrupt-check=false and --feature-gates=Initial');
    expect(refused('--discovery-fallback=proxy').line).toContain('v2 proxy is deprecated');
    expect(refused('--discovery-token=a').line).toBe('both --discovery-token and --discovery-endpoints must be set');
    expect(refused('--discovery-proxy=a', '--discovery-user=b').line).toContain('both v2 discovery settings');
    expect(refused('--auto-compaction-mode=').line).toBe('undefined auto-compaction-mode');
    expect(refused('--compact-hash-check-time=0s').line).toContain('--compact-hash-check-time must be >0');
    expect(refused('--tls-min-version=TLS1.1').line).toContain('unexpected TLS version "TLS1.1"');
    expect(refused('--tls-min-version=TLS1.3', '--tls-max-version=TLS1.2').line).toContain(
      'is greater than max version',
    );
    expect(refused('--tls-min-version=TLS1.3', '--cipher-suites=X').line).toContain(
      'cannot be configured when only TLS1.3',
    );
    expect(refused('--v2-deprecation=not-yet').line).toContain('invalid value "not-yet"');
    expect(refused('--experimental-wait-cluster-ready-timeout=1s').line).toContain('provided but not defined');
    expect(refused('--log-format=x').line).toContain('unknown log format: x');
  });

  it('has URLs and durations as Go reads them', () => {
    expect(parseUrls('http://b:1,http://a:1')).toMatchObject([{ text: 'http://a:1' }, { text: 'http://b:1' }]);
    expect(parseUrls('ftp://a:1')).toBe('URL scheme must be http, https, unix, or unixs: ftp://a:1');
    expect(parseUrls('http://a')).toBe('URL address does not have the form "host:port": http://a');
    expect(parseUrls('http://a:1/x')).toBe('URL must not contain a path: http://a:1/x');
    expect(parseUrls('http://a:1,,http://b:1')).toBe('URL scheme must be http, https, unix, or unixs: ');
    expect(parseUrls('http://[fd00::1]:2380')).toMatchObject([{ host: 'fd00::1', port: 2380 }]);
    expect(parseInitialCluster('a=http://a:1,a=http://b:1')).toEqual(
      new Map([
        ['a', [expect.objectContaining({ text: 'http://a:1' }), expect.objectContaining({ text: 'http://b:1' })]],
      ]),
    );
  });
});
