import { expect, it } from 'vitest';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NodeLease } from '../../src/kube/kubelet/lease.ts';
import { KubeError } from '../../src/kube/objects/errors.ts';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import { HttpError } from '../../src/rpc/http/errors.ts';

/** Runs a lease against scripted answers; each step of time is one sleep. */
function script(answers: readonly ('ok' | 'timeout' | 'conflict')[], sleeps: number) {
  const told: string[] = [];
  let at = 0;
  let version = 1;
  const answer = (what: string): void => {
    const next = answers[at++] ?? 'ok';
    told.push(`${what} ${next}`);
    if (next === 'timeout') throw new HttpError('PUT', 'https://10.0.0.10:6443', 'context deadline exceeded');
    if (next === 'conflict') throw new KubeError('Conflict', 'modified');
  };
  const lease = (): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Lease',
    metadata: { name: 'n', resourceVersion: String(version++) },
  });
  const client = {
    *find(): Task<KubeObject> {
      answer('get');
      return lease();
    },
    *update(): Task<KubeObject> {
      answer('put');
      return lease();
    },
  } as unknown as KubeClient;
  const clock = {
    nowUs: () => 0,
    *sleep(us: number): Task<void> {
      told.push(`sleep ${us / 1_000_000}`);
      if (--sleeps < 0) throw new Error('over');
    },
  };
  const platform = { clock, random: { int: (min: number) => min } } as unknown as Platform;
  const run = new NodeLease(platform, client, 'n', () => told.push('drop connections')).run();
  expect(() => run.next()).toThrow('over');
  return told;
}

it('renews every ten seconds without reading it first', () => {
  expect(script([], 2)).toEqual(['get ok', 'put ok', 'sleep 10', 'put ok', 'sleep 10', 'put ok', 'sleep 10']);
});

it('drops the connections from the second failure in a row on, five attempts long', () => {
  const told = script(['ok', 'ok', 'timeout', 'timeout', 'ok'], 2);
  expect(told).toEqual([
    'get ok',
    'put ok',
    'sleep 10',
    'put timeout',
    'put timeout',
    'drop connections',
    'put ok',
    'sleep 10',
    'put ok',
    'sleep 10',
  ]);
  const long = script(['ok', 'ok', ...Array(6).fill('timeout')], 2);
  expect(long.filter((line) => line === 'drop connections')).toHaveLength(4);
  // Then it is read anew, with a back-off of its own.
  expect(long.slice(3, 15).filter((line) => line !== 'drop connections')).toEqual([
    ...Array(5).fill('put timeout'),
    'get timeout',
    'sleep 0.1',
    'get ok',
  ]);
});

it('reads the lease anew after a conflict', () => {
  expect(script(['ok', 'ok', 'conflict', 'ok', 'ok'], 1)).toEqual([
    'get ok',
    'put ok',
    'sleep 10',
    'put conflict',
    'get ok',
    'put ok',
    'sleep 10',
  ]);
});
