import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MessageType, messageTypeName } from '../../../src/raft/index.ts';
import { scriptsBelow } from './replay.ts';
import { type Case, parseScript } from './script.ts';

const OWN = join(dirname(fileURLToPath(import.meta.url)), 'scripts');
const CASES: readonly Case[] = scriptsBelow(OWN).flatMap((file) => parseScript(readFileSync(file, 'utf8')));

/** Every directive of the three formats with its keyed arguments (reference/raft.md B3, B13, B14). */
const DIRECTIVES: Readonly<Record<string, readonly string[]>> = {
  _breakpoint: [],
  'add-nodes': [
    'voters',
    'learners',
    'index',
    'inflight',
    'async-storage-writes',
    'prevote',
    'checkquorum',
    'max-committed-size-per-ready',
    'disable-conf-change-validation',
    'read-only',
    'step-down-on-removal',
  ],
  campaign: [],
  committed: ['cfg', 'cfgj', 'idx'],
  compact: [],
  'deliver-msgs': ['drop', 'type'],
  'enter-joint': ['autoleave'],
  'forget-leader': [],
  'leave-joint': [],
  'log-level': [],
  'process-append-thread': [],
  'process-apply-thread': [],
  'process-ready': [],
  propose: [],
  'propose-conf-change': ['v1', 'transition'],
  'raft-log': [],
  'raft-state': [],
  'report-unreachable': [],
  'send-snapshot': [],
  'set-randomized-election-timeout': ['timeout'],
  simple: [],
  stabilize: ['log-level'],
  status: [],
  'tick-election': [],
  'tick-heartbeat': [],
  'transfer-leadership': ['from', 'to'],
  vote: ['cfg', 'cfgj', 'votes'],
};

const { Hup, Beat, Unreachable, SnapStatus, CheckQuorum, ForgetLeader } = MessageType;
const { StorageAppend, StorageAppendResp, StorageApply, StorageApplyResp } = MessageType;
/** What never leaves the node it is made on. */
const INTERNAL: readonly MessageType[] = [Hup, Beat, Unreachable, SnapStatus, CheckQuorum, ForgetLeader];
const OF_THREADS: readonly MessageType[] = [StorageAppend, StorageAppendResp, StorageApply, StorageApplyResp];

function typesBut(...left: readonly MessageType[]): string[] {
  const types = Object.values(MessageType).filter((type) => !left.includes(type));
  return types.map(messageTypeName).sort();
}

function typesIn(pattern: RegExp): string[] {
  const found = CASES.flatMap(({ expected }) => [...expected.matchAll(pattern)].map((match) => match[1]!));
  return [...new Set(found)].sort();
}

function valuesOf(command: string, key: string): string[] {
  const args = CASES.filter((test) => test.command === command).flatMap((test) => test.args);
  return [...new Set(args.filter((arg) => arg.key === key).flatMap(({ values }) => values))].sort();
}

/** What the scripts of our own replay, so that nothing depends on recorded ones alone. */
describe('scripts of our own', () => {
  it.each(Object.entries(DIRECTIVES))('use %s with %j', (command, keys) => {
    expect(CASES.some((test) => test.command === command)).toBe(true);
    expect(keys.filter((key) => valuesOf(command, key).length === 0)).toEqual([]);
  });

  it('name every form of a change of members', () => {
    expect(valuesOf('propose-conf-change', 'transition')).toEqual(['auto', 'explicit', 'implicit', 'sometimes']);
    expect(valuesOf('propose-conf-change', 'v1')).toEqual(['false', 'true']);
    const tokens = CASES.filter(({ command }) => command === 'propose-conf-change').flatMap(({ input }) => [...input]);
    expect([...'vlru'].filter((letter) => !tokens.includes(letter))).toEqual([]);
  });

  it('print every type of message that travels', () => {
    const printed = typesIn(/^ *(?:dropped: )?\w+->\w+ (Msg\w+) Term/gm);
    expect(printed).toEqual(typesBut(...INTERNAL));
  });

  it('lose every type of message that a network carries', () => {
    expect(typesIn(/^ *dropped: \w+->\w+ (Msg\w+) Term/gm)).toEqual(typesBut(...INTERNAL, ...OF_THREADS));
  });

  it('deliver every such type twice', () => {
    expect(valuesOf('duplicate-msgs', 'type')).toEqual(typesBut(...INTERNAL, ...OF_THREADS));
  });

  it('restart a node after every step of a Ready', () => {
    expect(valuesOf('restart', 'after')).toEqual(['apply', 'send', 'write']);
  });
});
