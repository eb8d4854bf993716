import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/raft/core.ts';
import {
  type Behaviour,
  type ConfChange,
  ConfChangeType,
  EMPTY_CONF_STATE,
  encodeConfChange,
  entrySize,
  MemoryStorage,
  MessageType,
  NONE,
  RawNode,
  StorageError,
} from '../../src/raft/index.ts';
import { unstamped } from '../../src/raft/message.ts';
import { step } from '../../src/raft/step.ts';
import { bytes, configOf, coreOf, lead, message, N1, N2, storageWith, takeMessages, text } from './helper.ts';

const { AppResp, HeartbeatResp, Prop, ReadIndex } = MessageType;

function leaderAs(behaviour: Behaviour): Core {
  const core = coreOf(N1, {}, { behaviour });
  lead(core);
  step(core, message(AppResp, N2, { term: 1, index: 1 }));
  takeMessages(core);
  return core;
}

function read(core: Core, context: string): void {
  step(core, message(ReadIndex, NONE, { entries: [unstamped(bytes(context))] }));
}

/** Every place where 3.6 and 3.7 differ, once for each. */
describe('marks of reads in heartbeats', () => {
  it('3.6: the reader’s own context', () => {
    const core = leaderAs('3.6');
    read(core, 'hello');
    expect(takeMessages(core).map(({ context }) => text(context))).toEqual(['hello', 'hello']);
  });

  it('3.7: the position of the last read, eight bytes, low byte first', () => {
    const core = leaderAs('3.7');
    read(core, 'hello');
    read(core, 'world');
    const marks = takeMessages(core).map(({ context }) => [...context!]);
    expect(marks[0]).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(marks[2]).toEqual([2, 0, 0, 0, 0, 0, 0, 0]);
  });
});

describe('two reads with one context', () => {
  function answers(behaviour: Behaviour): number {
    const core = leaderAs(behaviour);
    read(core, 'same');
    read(core, 'same');
    for (const { context } of takeMessages(core)) step(core, message(HeartbeatResp, N2, { term: 1, context }));
    return core.readStates.length;
  }

  it('3.6: are one', () => {
    expect(answers('3.6')).toBe(1);
  });

  it('3.7: are two', () => {
    expect(answers('3.7')).toBe(2);
  });
});

describe('encoded size of a proposed entry', () => {
  function size(behaviour: Behaviour): number {
    const core = leaderAs(behaviour);
    step(core, message(Prop, N1, { entries: [unstamped(bytes('abc'))] }));
    const [entry] = core.log.entries(2, Number.MAX_SAFE_INTEGER);
    return typeof entry === 'object' ? entrySize(entry) : 0;
  }

  it('3.6: counts the type', () => {
    expect(size('3.6')).toBe(11);
  });

  it('3.7: leaves the type out', () => {
    expect(size('3.7')).toBe(9);
  });
});

describe('a snapshot at index 0 that brings only members', () => {
  const snapshot = { index: 0, term: 0, confState: { ...EMPTY_CONF_STATE, voters: [N1] }, data: null };

  it('3.6: is out of date', () => {
    const storage = new MemoryStorage('3.6');
    expect(storage.applySnapshot(snapshot)).toBe(StorageError.SnapOutOfDate);
    expect(storage.initialState().confState.voters).toEqual([]);
  });

  it('3.7: is taken', () => {
    const storage = new MemoryStorage('3.7');
    expect(storage.applySnapshot(snapshot)).toBeNull();
    expect(storage.initialState().confState.voters).toEqual([N1]);
  });
});

describe('an encoded conf change of the first form', () => {
  const change: ConfChange = { version: 1, id: NONE, type: ConfChangeType.AddNode, nodeId: N1, context: null };

  function proposedAs(behaviour: Behaviour): number[] {
    const storage = storageWith({ voters: [N1] });
    const raft = new RawNode(configOf(N1, storage, { behaviour }));
    raft.campaign();
    for (let i = 0; i < 2; i++) {
      storage.append(raft.ready().entries);
      raft.advance();
    }
    raft.proposeConfChange(change);
    const { data } = raft.ready().entries[0]!;
    return data instanceof Uint8Array ? [...data] : [];
  }

  it('3.6: holds an id of 0', () => {
    expect([...encodeConfChange(change, '3.6')]).toEqual([8, 0, 16, 0, 24, 1]);
    expect(proposedAs('3.6')).toEqual([8, 0, 16, 0, 24, 1]);
  });

  it('3.7: holds no id of 0', () => {
    expect([...encodeConfChange(change, '3.7')]).toEqual([16, 0, 24, 1]);
    expect(proposedAs('3.7')).toEqual([16, 0, 24, 1]);
  });
});
