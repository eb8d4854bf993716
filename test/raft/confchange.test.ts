import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Base, checkInvariants, enterJoint, leaveJoint, simpleChange } from '../../src/raft/confchange/changer.ts';
import { changeKind } from '../../src/raft/confchange/codec.ts';
import { restoreMembers } from '../../src/raft/confchange/restore.ts';
import { parseConfChangeTokens } from '../../src/raft/confchange/text.ts';
import {
  type AnyConfChange,
  asV2,
  type ConfChangeSingle,
  ConfChangeTransition,
  ConfChangeType,
  type ConfState,
  confChangeTokens,
  decodeConfChange,
  describeChanges,
  describeConfChange,
  EMPTY_CONF_STATE,
  EntryType,
  encodeConfChange,
  nodeId,
  sameConfState,
} from '../../src/raft/index.ts';
import { Inflights } from '../../src/raft/inflights.ts';
import { confStateOf, describeProgressMap, NO_MEMBERS } from '../../src/raft/tracker.ts';
import { byTier } from '../support/tier.ts';
import { bytes, N1, N2, N3 } from './helper.ts';

const RUNS = byTier(1_000, 5_000, 10_000);
const start = { lastIndex: 10, newInflights: () => new Inflights(10, 0) };
const EMPTY: Base = { ...start, members: NO_MEMBERS, progress: new Map() };

function baseOf(changed: ReturnType<typeof simpleChange>): Base {
  if (typeof changed === 'string') throw new Error(changed);
  return { ...start, ...changed };
}

const single = fc.record({
  type: fc.constantFrom(...Object.values(ConfChangeType)),
  nodeId: fc.integer({ min: 1, max: 9 }).map(nodeId),
});

describe('changes', () => {
  it('all at once through a joint configuration equals one by one', () => {
    fc.assert(
      fc.property(fc.array(single, { maxLength: 12 }), fc.array(single, { maxLength: 12 }), (setup, changes) => {
        // A base with at least node 1, so that something can be joint.
        let base = baseOf(simpleChange(EMPTY, [{ type: ConfChangeType.AddNode, nodeId: N1 }]));
        const applyEach = (from: Base, list: readonly ConfChangeSingle[]): Base | null => {
          let at = from;
          for (const change of list) {
            const next = simpleChange(at, [change]);
            if (typeof next === 'string') return null;
            at = baseOf(next);
          }
          return at;
        };
        base = applyEach(base, setup) ?? base;
        const oneByOne = applyEach(base, changes);
        fc.pre(oneByOne !== null);
        const joint = baseOf(enterJoint(base, false, changes));
        expect(typeof enterJoint(joint, false, [])).toBe('string');
        const atOnce = baseOf(leaveJoint(joint));
        expect(confStateOf(atOnce.members)).toEqual(confStateOf(oneByOne!.members));
        expect(describeProgressMap(atOnce.progress)).toBe(describeProgressMap(oneByOne!.progress));
        expect(checkInvariants(atOnce.members, atOnce.progress)).toBeNull();
      }),
      { numRuns: RUNS },
    );
  });

  it('never touch the configuration they start from', () => {
    const base = baseOf(simpleChange(EMPTY, [{ type: ConfChangeType.AddNode, nodeId: N1 }]));
    const before = describeProgressMap(base.progress);
    enterJoint(base, true, [
      { type: ConfChangeType.AddLearnerNode, nodeId: N1 },
      { type: ConfChangeType.AddNode, nodeId: N2 },
    ]);
    expect(describeProgressMap(base.progress)).toBe(before);
    expect(confStateOf(base.members).voters).toEqual([N1]);
  });

  it('of an unknown type are refused', () => {
    expect(simpleChange(EMPTY, [{ type: 9 as ConfChangeType, nodeId: N1 }])).toBe('unexpected conf type 9');
  });
});

describe('restore', () => {
  const conf: fc.Arbitrary<ConfState> = fc
    .record({
      pool: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9].map(nodeId), { minLength: 1 }),
      voters: fc.nat(8),
      learners: fc.nat(8),
      outgoing: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9].map(nodeId)),
      autoLeave: fc.boolean(),
    })
    .map(({ pool, voters, learners, outgoing, autoLeave }) => {
      const first = pool.slice(0, 1 + (voters % pool.length));
      const rest = pool.slice(first.length);
      const someLearners = rest.slice(0, learners % (rest.length + 1)).filter((id) => !outgoing.includes(id));
      const next = outgoing.filter((id) => !first.includes(id)).slice(0, 2);
      const joint = outgoing.length > 0;
      return {
        voters: first,
        learners: someLearners,
        votersOutgoing: outgoing,
        learnersNext: joint ? next : [],
        autoLeave: joint && autoLeave,
      };
    });

  it('builds the configuration that a conf state describes', () => {
    fc.assert(
      fc.property(conf, (state) => {
        const built = restoreMembers(state, start);
        if (typeof built === 'string') throw new Error(built);
        expect(sameConfState(confStateOf(built.members), state)).toBe(true);
        expect(checkInvariants(built.members, built.progress)).toBeNull();
      }),
      { numRuns: RUNS },
    );
  });

  it('of nothing is nothing, of learners alone is refused', () => {
    expect(restoreMembers(EMPTY_CONF_STATE, start)).toMatchObject({ members: NO_MEMBERS });
    expect(restoreMembers({ ...EMPTY_CONF_STATE, learners: [N1] }, start)).toBe('removed all voters');
  });
});

describe('conf states', () => {
  it('are the same in any order', () => {
    const a = { ...EMPTY_CONF_STATE, voters: [N1, N2], learners: [N3] };
    expect(sameConfState(a, { ...a, voters: [N2, N1] })).toBe(true);
    expect(sameConfState(a, { ...a, learners: [] })).toBe(false);
    expect(sameConfState(a, { ...a, autoLeave: true })).toBe(false);
  });
});

describe('encoding', () => {
  const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(nodeId);
  const context = fc.option(fc.uint8Array({ maxLength: 20 }));
  const type = fc.constantFrom(...Object.values(ConfChangeType));
  const v1 = fc.record({ version: fc.constant(1 as const), id, type, nodeId: id, context });
  const v2 = fc.record({
    version: fc.constant(2 as const),
    transition: fc.constantFrom(...Object.values(ConfChangeTransition)),
    changes: fc.array(fc.record({ type, nodeId: id })),
    context,
  });

  it('comes back as it went, in both releases', () => {
    fc.assert(
      fc.property(
        fc.oneof(v1, v2),
        fc.constantFrom('3.6' as const, '3.7' as const),
        (change: AnyConfChange, release) => {
          const data = encodeConfChange(change, release);
          const entryType = change.version === 1 ? EntryType.ConfChange : EntryType.ConfChangeV2;
          expect(decodeConfChange({ type: entryType, data })).toEqual(change);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('has the bytes of protobuf', () => {
    const v1Change: AnyConfChange = {
      version: 1,
      id: N1,
      type: ConfChangeType.AddLearnerNode,
      nodeId: nodeId(300),
      context: bytes('ab'),
    };
    expect([...encodeConfChange(v1Change)]).toEqual([8, 1, 16, 3, 24, 0xac, 2, 34, 2, 97, 98]);
    const v2Change: AnyConfChange = {
      version: 2,
      transition: ConfChangeTransition.JointExplicit,
      changes: [{ type: ConfChangeType.RemoveNode, nodeId: N2 }],
      context: null,
    };
    expect([...encodeConfChange(v2Change)]).toEqual([8, 2, 18, 4, 8, 1, 16, 2]);
  });

  it('of absent or empty data is the change that leaves a joint configuration', () => {
    for (const data of [null, new Uint8Array(0)]) {
      const change = decodeConfChange({ type: EntryType.ConfChangeV2, data });
      if (typeof change === 'string') throw new Error(change);
      expect(changeKind(asV2(change))).toBe('leave-joint');
    }
  });

  it('arbitrary bytes either decode or are refused with a text', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(EntryType.ConfChange, EntryType.ConfChangeV2),
        (data, entryType) => {
          expect(['string', 'object']).toContain(typeof decodeConfChange({ type: entryType, data }));
        },
      ),
      { numRuns: RUNS },
    );
    expect(decodeConfChange({ type: EntryType.ConfChangeV2, data: Uint8Array.of(8) })).toBe('unexpected EOF');
    expect(typeof decodeConfChange({ type: EntryType.ConfChangeV2, data: { sizeBytes: 3 } })).toBe('string');
  });
});

describe('text', () => {
  const changes: ConfChangeSingle[] = [
    { type: ConfChangeType.AddNode, nodeId: N1 },
    { type: ConfChangeType.AddLearnerNode, nodeId: N2 },
    { type: ConfChangeType.RemoveNode, nodeId: N3 },
    { type: ConfChangeType.UpdateNode, nodeId: nodeId(40) },
  ];

  it('as tokens, as a list, and as in log lines', () => {
    expect(confChangeTokens(changes)).toBe('v1 l2 r3 u40');
    expect(parseConfChangeTokens('v1 l2 r3 u40')).toEqual(changes);
    expect(parseConfChangeTokens('')).toEqual([]);
    expect(parseConfChangeTokens('v')).toBe('unknown token v');
    expect(parseConfChangeTokens('x1')).toBe('unknown input: x1');
    expect(describeChanges(changes.slice(0, 2))).toBe('ConfChangeAddNode(1) ConfChangeAddLearnerNode(2)');
    expect(
      describeConfChange({
        version: 2,
        transition: ConfChangeTransition.Auto,
        changes: changes.slice(0, 1),
        context: bytes('"\n'),
      }),
    ).toBe('transition:ConfChangeTransitionAuto changes:{type:ConfChangeAddNode node_id:1} context:"\\"\\n"');
  });

  it('an operation that joins is the one that is not simple', () => {
    const kind = (transition: ConfChangeTransition, count: number) =>
      changeKind({ version: 2, transition, changes: changes.slice(0, count), context: null });
    expect(kind(ConfChangeTransition.Auto, 0)).toBe('leave-joint');
    expect(kind(ConfChangeTransition.Auto, 1)).toBe('simple');
    expect(kind(ConfChangeTransition.Auto, 2)).toBe('enter-joint');
    expect(kind(ConfChangeTransition.JointImplicit, 1)).toBe('enter-joint');
    expect(kind(ConfChangeTransition.JointExplicit, 0)).toBe('enter-joint');
  });
});
