import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ETCD_3_4 } from '../../../src/etcd/behaviour.ts';
import { etcdProgram } from '../../../src/etcd/server/program.ts';
import { type HostPlatform, hostPlatform } from '../../../src/host/platform.ts';
import { Channel } from '../../../src/platform/channel.ts';
import type { Signal } from '../../../src/platform/containers.ts';
import { onHost } from '../../support/on-host.ts';
import { BAD_LINES, type BadLine, CONFLICT } from './command-lines.ts';
import { realEtcd } from './servers.ts';

const binary = realEtcd();

/** How a start that failed ended, and what was said to be wrong. */
interface Ending {
  readonly code: number | null;
  readonly text: string;
}

describe.skipIf(binary === undefined)('command lines that the real etcd 3.4 refuses', () => {
  let directory: string;
  let host: HostPlatform;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'talosim-lines-'));
    host = hostPlatform({ name: 'lines', self: '127.0.66.30', root: join(directory, 'ours'), images: {} });
  });
  afterAll(() => {
    host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const argumentsOf = ({ line }: BadLine, n: number): string[] =>
    line.split(' ').flatMap((word) => (word === '' ? [] : [word.replace(/N$/, String(20_000 + n))]));

  const real = (bad: BadLine, n: number): Promise<Ending> => {
    const args = ['--logger=zap', `--data-dir=${join(directory, `real-${n}`)}`, ...argumentsOf(bad, n)];
    const child = spawn(binary!, args, { cwd: directory, env: bad.env, stdio: ['ignore', 'ignore', 'pipe'] });
    const limit = setTimeout(() => child.kill('SIGKILL'), 10_000);
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
    });
    return new Promise((resolve) => {
      child.on('close', (code) => {
        clearTimeout(limit);
        resolve({ code, text: problemIn(told.split('\n')) });
      });
    });
  };

  const ours = async (bad: BadLine, n: number): Promise<Ending> => {
    const told: string[] = [];
    const code = await onHost(host, () =>
      etcdProgram({ behaviour: ETCD_3_4 })({
        argv: ['etcd', '--logger=zap', `--data-dir=/ours-${n}`, ...argumentsOf(bad, n)],
        env: bad.env,
        platform: host.platform,
        signals: new Channel<Signal>(),
        print: (line) => told.push(line),
      }),
    );
    return { code, text: problemIn(told) };
  };

  it(`are refused by ours for the same reason (${BAD_LINES.length} of them)`, async () => {
    const endings = await inParallel(6, BAD_LINES, real);
    for (const [n, bad] of BAD_LINES.entries()) {
      const wanted = endings[n]!;
      const text =
        bad.now ??
        wanted.text.replace(CONFLICT, '"initial-cluster", "discovery", "discovery-endpoints" or "discovery-srv"');
      expect(await ours(bad, n), `etcd ${bad.line} ${JSON.stringify(bad.env)}`).toEqual({ code: wanted.code, text });
    }
  }, 120_000);

  it('by a variable of the environment beside a flag, too', async () => {
    const bad = { line: '--name=flag', env: { ETCD_NAME: 'env' } };
    expect((await real(bad, 900)).code).toBe(1);
    expect(await ours(bad, 900)).toEqual({
      code: 1,
      text: expect.stringContaining('conflicting environment variable'),
    });
  });
});

/** What is wrong, from what was printed: a line of the flag package, or the error of the last line of the log. */
function problemIn(lines: readonly string[]): string {
  let problem = lines[0] ?? '';
  for (const line of lines) {
    const early = /etcdmain: error verifying flags, (.*)\. See 'etcd --help'\.$/.exec(line);
    if (early !== null) problem = early[1]!;
    if (!line.startsWith('{')) continue;
    const entry = JSON.parse(line) as { level: string; msg: string; error?: string };
    if (entry.level === 'fatal' || entry.level === 'warn') problem = entry.error ?? entry.msg;
  }
  return problem;
}

async function inParallel<T, R>(
  width: number,
  items: readonly T[],
  body: (item: T, n: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const n = next++;
      results[n] = await body(items[n]!, n);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
