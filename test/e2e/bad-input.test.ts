import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../scripts/build.mjs';
import { ROOT } from './run.ts';

const BIN = join(ROOT, 'bin', 'talosim.mjs');
const folder = mkdtempSync(join(tmpdir(), 'talosim-bad-'));

beforeAll(() => build(), 60_000);

function talosim(args: readonly string[]) {
  const child = spawnSync(process.execPath, [BIN, ...args], { cwd: folder, input: '', encoding: 'utf8' });
  return { code: child.status, out: child.stdout, err: child.stderr };
}

/** `run` of a scenario file with this content. */
function scenario(name: string, content: string | Uint8Array): string[] {
  writeFileSync(join(folder, `${name}.yaml`), content);
  return ['run', `${name}.yaml`];
}

const NETWORK = 'network: { lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 } }\n';
const MACHINE = `name: x\n${NETWORK}machines:\n  cp-1: { address: 10.0.0.10 }\n`;
const GOOD = `${MACHINE}steps: [ { advance: 1s } ]\n`;
const ALIASES = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefg'].map((name, at, all) =>
  at === 0
    ? name
    : `${name}: &${name} [${Array(9)
        .fill(`*${all[at - 1]![0]}`)
        .join(', ')}]`,
);
mkdirSync(join(folder, 'folder'));
writeFileSync(join(folder, 'good.yaml'), GOOD);

const FILES: [string, string[], RegExp][] = [
  ['a missing file', ['run', 'nowhere.yaml'], /^nowhere\.yaml: no such file/],
  ['no file at all', ['run', ''], /^"": no such file/],
  ['a directory', ['run', 'folder'], /^folder: not a file/],
  ['an empty file', scenario('empty', ''), /^empty\.yaml:1:1: the file is empty/],
  ['binary data', scenario('binary', new Uint8Array([0xff, 0xfe, 0, 1, 0x80])), /^binary\.yaml: not text but binary/],
  ['a huge file', scenario('huge', '# x\n'.repeat(300_000)), /^huge\.yaml: 1200000 bytes; a scenario has at most/],
  ['YAML that is none', scenario('broken', 'a: [1, 2\nb: }'), /^broken\.yaml:2:1: not YAML: /],
  ['two documents', scenario('two', 'name: x\n---\nname: y\n'), /^two\.yaml:2:1: a second document begins here/],
  ['a key twice', scenario('keys', 'name: x\nname: y\n'), /^keys\.yaml:2:1: not YAML: Map keys must be unique/],
  ['aliases without bound', scenario('bomb', ALIASES.join('\n')), /^bomb\.yaml:1:1: its YAML aliases unfold/],
  ['a list', scenario('list', '- 1\n'), /^list\.yaml:1:1: a scenario needs a mapping, not a list/],
];

const FIELDS: [string, string[], RegExp][] = [
  [
    'a wrong type',
    scenario('type', MACHINE.replace('10.0.0.10', '10')),
    /^type\.yaml:4:20: machines\.cp-1\.address: needs text/m,
  ],
  ['an unknown field', scenario('field', `${MACHINE}stepz: []\n`), /^field\.yaml:5:1: .*stepz[\s\S]*steps/m],
  [
    'two machines with one address',
    scenario('twice', `${MACHINE}  cp-2: { address: 10.0.0.10 }\nsteps: []\n`),
    /^twice\.yaml:5:20: address 10\.0\.0\.10 is already held by cp-1/,
  ],
  [
    'an address outside',
    scenario('outside', GOOD.replace('10.0.0.10', '10.9.9.9')),
    /^outside\.yaml:4:20: .*10\.9\.9\.9/,
  ],
  ['no machines', scenario('none', `name: x\n${NETWORK}machines: {}\nsteps: []\n`), /^none\.yaml:3:\d+: /],
  [
    'a typo in a command',
    scenario('typo', `${MACHINE}steps: [ talosctl boostrap ]\n`),
    /^typo\.yaml:5:10: .*"boostrap"/,
  ],
  ['a bad duration', scenario('time', `${MACHINE}steps: [ { advance: soon } ]\n`), /^time\.yaml:5:\d+: /],
  [
    'an unknown fault',
    scenario('fault', `${MACHINE}steps: [ { fault: meteor, machine: cp-1 } ]\n`),
    /^fault\.yaml:5:\d+: /,
  ],
  [
    'a fault on nobody',
    scenario('nobody', `${MACHINE}steps: [ { fault: power-off, machine: cp-9 } ]\n`),
    /^nobody\.yaml:5:\d+: .*cp-9/,
  ],
  ['an unknown guarantee', scenario('law', `${GOOD}violates: [gravity]\n`), /^law\.yaml:6:\d+: .*gravity/],
  ['an unknown release', scenario('old', `${GOOD}talos: v0.1.0\n`), /^old\.yaml:6:\d+: .*v0\.1\.0/],
  [
    'a patch that is not there',
    scenario('patch', `${MACHINE}steps: [ talosctl gen config a https://b --config-patch @p ]\n`),
    /^patch\.yaml:5:\d+: /,
  ],
];

const FLAGS: [string, string[], RegExp][] = [
  ['an unknown flag', ['run', 'good.yaml', '--sede', '1'], /unknown option '--sede'[\s\S]*Did you mean --seed\?/],
  ['an unknown command', ['rnu'], /unknown command 'rnu'[\s\S]*Did you mean run\?/],
  ['no argument', ['run'], /missing required argument 'file'/],
  ['one argument too many', ['run', 'good.yaml', 'more'], /too many arguments/],
  ['a seed that is no number', ['run', 'good.yaml', '--seed', 'abc'], /write a whole number/],
  ['a seed below zero', ['run', 'good.yaml', '--seed', '-1'], /write a whole number/],
  ['a bad limit', ['run', 'good.yaml', '--until', '5'], /write a duration such as 30s/],
  ['seeds backwards', ['check', 'good.yaml', '--seeds', '5..2'], /write a number of seeds/],
  ['too many seeds', ['check', 'good.yaml', '--seeds', '1..99999999999'], /at most 1000000 seeds/],
  ['no threads', ['check', 'good.yaml', '--jobs', '0'], /write a whole number above 0/],
  ['an unknown mistake', ['run', 'good.yaml', '--mistake', 'x'], /^good\.yaml: no mistake is called "x"/],
  ['a trace in no folder', ['run', 'good.yaml', '--trace', 'no/t'], /^--trace no\/t: no such file or directory/],
  ['a trace onto a folder', ['run', 'good.yaml', '--trace', 'folder'], /^--trace folder: is a directory/],
  ['a trace over the scenario', ['run', 'good.yaml', '--trace', './good.yaml'], /that is the scenario itself/],
  ['a lab without a file', ['lab', 'nowhere.yaml'], /^nowhere\.yaml: no such file/],
  ['a shell in a directory', ['shell', 'folder'], /^folder: not a file/],
  [
    'an unknown command below gen',
    ['gen', 'confg'],
    /^talosim: error: unknown command "confg" for "talosim gen"[\s\S]*config/,
  ],
  // Not by the long name: Node.js itself looks for that file before we do.
  [
    'placeholders from no file',
    ['explain', 'good.yaml', '-e', 'no.env'],
    /^talosim: --env-file no\.env: no such file$/m,
  ],
  ['placeholders from no file', ['try', 'good.yaml', '-e', 'no.env'], /^talosim: --env-file no\.env: no such file$/m],
  [
    'placeholders from no file',
    ['validate', '-m', 'metal', '-c', 'good.yaml', '-e', 'no.env'],
    /^talosim: --env-file no\.env: no such file$/m,
  ],
  ['a config that is a directory', ['validate', '--config', 'folder', '--mode', 'metal'], /^folder: is a directory/],
];

describe('bad input ends with exit code 2, one clear message, and nothing half done', () => {
  it.each([...FILES, ...FIELDS, ...FLAGS])('%s', (_what, args, message) => {
    const { code, out, err } = talosim(args);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at |Error:.*\n\s+at /m);
    expect([code, out]).toEqual([2, '']);
    expect(readFileSync(join(folder, 'good.yaml'), 'utf8')).toBe(GOOD);
  });

  it('a mistake in the name of a mistake leaves an old trace alone', () => {
    writeFileSync(join(folder, 'old.jsonl'), 'old');
    expect(talosim(['run', 'good.yaml', '--mistake', 'x', '--trace', 'old.jsonl']).code).toBe(2);
    expect(readFileSync(join(folder, 'old.jsonl'), 'utf8')).toBe('old');
  });

  it('a bad config is told with its places, as talosctl fails: exit code 1', () => {
    writeFileSync(join(folder, 'config.yaml'), 'machine:\n  type: worker\n  instal: {}\n');
    const { code, err } = talosim(['validate', '--config', 'config.yaml', '--mode', 'metal']);
    expect(err).toMatch(/config\.yaml:3:3/);
    expect(code).toBe(1);
  });
});

describe('how a run can end otherwise', () => {
  it('a budget that runs out is exit code 4', () => {
    const { code, out } = talosim(['run', 'good.yaml', '--max-events', '5', '--quiet']);
    expect(out).toContain('the budget of 5 events ran out');
    expect(out).toMatch(/^INCONCLUSIVE {2}seed 1/m);
    expect(code).toBe(4);
  });

  const [, long] = scenario('long', `${MACHINE}steps: [ { advance: 5000h, title: t, text: x } ]\n`);

  it.each([
    [['run', long!, '--until', '5000h', '--trace', 't.jsonl'], 'switched on'],
    [['shell', long!, '--run'], 'switched on'],
    [['lab', long!, '--plain'], 'switched on'],
    [['lesson', long!], 'x\n'],
  ])('one that is interrupted while steps run is exit code 130: %j', async (args, begun) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder });
    let out = '';
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (piece) => {
        out += piece;
        if (out.includes(begun)) resolve();
      });
    });
    child.kill('SIGINT');
    const ended = await new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
    expect(ended).toEqual([130, null]);
    if (args.includes('--trace')) expect(existsSync(join(folder, 't.jsonl'))).toBe(true);
  });
});
