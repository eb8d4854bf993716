import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONF_STATE, nodeId } from '../../../src/raft/index.ts';
import { lineDiff } from './diff.ts';
import { Environment } from './environment.ts';
import { runRaftScripts } from './main.ts';
import { replay, replayFile, rewritten, scriptsBelow, withoutLogs } from './replay.ts';
import { parseDirective, parseScript, ScriptError } from './script.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const OWN = join(HERE, 'scripts');
const RECORDED = join(HERE, '../../../../shared/conformance/raft');

function replayed(file: string): string {
  const { failure } = replayFile(file, { withLogs: true, watched: true });
  if (failure === null) return 'passed';
  return `${failure.line} ${failure.directive}\n${lineDiff(failure.expected, failure.actual)}`;
}

describe.skipIf(!existsSync(RECORDED))('recorded scripts', () => {
  it.each(existsSync(RECORDED) ? scriptsBelow(RECORDED).map((file) => [basename(file), file]) : [])(
    '%s, log lines included',
    (_, file) => {
      expect(replayed(file)).toBe('passed');
    },
  );
});

describe('scripts of our own', () => {
  it.each(scriptsBelow(OWN).map((file) => [basename(file), file]))('%s', (_, file) => {
    expect(replayed(file)).toBe('passed');
  });
});

describe('a watched script', () => {
  it('is refused as soon as a step breaks a rule', () => {
    const env = new Environment(true);
    const confState = { ...EMPTY_CONF_STATE, voters: [nodeId(1), nodeId(2)] };
    expect(env.addNodes(2, {}, { index: 2, term: 1, confState, data: null })).toBeNull();
    env.node(1).raft.campaign();
    env.processReady(env.node(1));
    env.deliver([{ id: 2, drop: false }], null);
    // A vote that leaves before it is written.
    const { messages } = env.node(2).raft.ready();
    expect(() => env.node(2).sends(messages)).toThrow('durable before answering');
  });
});

describe('the parser', () => {
  it('reads keys, values and lists', () => {
    expect(parseDirective('cmd a  b=1 c=(2, 3,4) d= e=(f(g,h),i) j=()')).toEqual({
      command: 'cmd',
      args: [
        { key: 'a', values: [] },
        { key: 'b', values: ['1'] },
        { key: 'c', values: ['2', '3', '4'] },
        { key: 'd', values: [''] },
        { key: 'e', values: ['f(g,h)', 'i'] },
        { key: 'j', values: [''] },
      ],
    });
    expect(() => parseDirective('cmd a=(1')).toThrow(ScriptError);
    expect(() => parseDirective('cmd =1')).toThrow(ScriptError);
  });

  it('reads comments, continued lines, input and both forms of output', () => {
    const cases = parseScript(
      [
        '# about',
        'one \\',
        '  two=3',
        '# input',
        'more',
        '----',
        'out',
        '',
        'x',
        '----',
        '----',
        'a',
        '',
        'b',
        '----',
        '----',
        '',
        'y',
        '----',
      ].join('\n'),
    );
    expect(cases).toMatchObject([
      { line: 2, command: 'one', args: [{ key: 'two', values: ['3'] }], input: '# input\nmore', expected: 'out\n' },
      { command: 'x', expected: 'a\n\nb\n' },
      { command: 'y', expected: '' },
    ]);
    expect(() => parseScript('no separator\n')).toThrow('has no ----');
    expect(() => parseScript('a\n----\n----\nb\n')).toThrow('no closing ----');
  });
});

describe('replaying', () => {
  const script =
    'add-nodes 1 voters=(1) index=3\n----\nok\n\nraft-state\n----\n1: StateFollower (Voter) Term:0 Lead:0\n';

  it('compares what is left without log lines, where nothing is ok', () => {
    expect(withoutLogs('INFO a\n  DEBUG b\n')).toBe('ok\n');
    expect(withoutLogs('INFO a\nx\n')).toBe('x\n');
    expect(replay(script).failure).toBeNull();
    expect(replay(script, { withLogs: true }).failure?.line).toBe(1);
  });

  it('stops at the first case that fails, and can show the difference', () => {
    const { failure } = replay(`${script}\nraft-log 1\n----\nnothing\n\ncampaign 1\n----\nwrong\n`);
    expect(failure).toMatchObject({ directive: 'raft-log 1', expected: 'nothing\n' });
    expect(lineDiff(failure!.expected, failure!.actual)).toBe(
      '- nothing\n+ log is empty: first index=4, last index=3\n  ',
    );
  });

  it('takes a crash for a failure, and an unknown directive for its text', () => {
    expect(replay('deliver-msgs x\n----\nok\n').failure?.actual).toContain('crashed: ScriptError');
    expect(replay('nonsense\n----\nunknown command\n').failure).toBeNull();
    expect(
      replay('log-level x\n----\nlog levels must be either of [DEBUG INFO WARN ERROR FATAL NONE]\n').failure,
    ).toBeNull();
  });

  it('knows quorum and configuration scripts by their commands', () => {
    expect(
      replay('vote cfg=(1,2) votes=(y)\n----\nerror: mismatched input (explicit or _) for voters map[1:{} 2:{}]: [2]\n')
        .failure,
    ).toBeNull();
    expect(replay('simple\nv1\n----\nvoters=(1)\n1: StateProbe match=0 next=1\n').failure).toBeNull();
    expect(replay('simple\nx1\n----\nunknown input: x1\n').failure).toBeNull();
    expect(replay('leave-joint\nv1\n----\nthis command takes no input\n').failure).toBeNull();
  });

  it('rewrites a script with what it prints', () => {
    const broken = script.replace('Lead:0', 'Lead:7');
    const again = rewritten(broken);
    expect(replay(again, { withLogs: true }).failure).toBeNull();
    expect(rewritten(again)).toBe(again);
  });

  it('ends with a count', () => {
    const lines: string[] = [];
    expect(runRaftScripts([OWN], (line) => lines.push(line))).toBe(0);
    expect(lines.at(-1)).toBe(`${scriptsBelow(OWN).length} passed, 0 failed`);
    expect(runRaftScripts([], () => {})).toBe(2);
    expect(runRaftScripts([join(HERE, '../../kube')], (line) => lines.push(line))).toBe(2);
    expect(lines.at(-1)).toMatch(/no scripts/);
  });
});
