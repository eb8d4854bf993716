import { expect, it } from 'vitest';
import { PodRecords } from '../../src/kube/kubelet/pod-records.ts';
import { DiskError } from '../../src/platform/errors.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';
import { TinyWorld } from '../rpc/tiny-world.ts';

it('pod directories are removed and written once a broken disk is well', () => {
  let broken = true;
  const disk = {
    *stat(path: string): Task<object | undefined> {
      return path.endsWith('/address') ? undefined : {};
    },
    *list(): Task<readonly object[]> {
      return [{ name: 'uid' }];
    },
    *removeTree(path: string): Task<void> {
      if (broken) throw new DiskError('io', path, `${path}: input/output error`);
    },
    *open(path: string): Task<object> {
      if (broken) throw new DiskError('io', path, `${path}: input/output error`);
      return { *write(): Task<void> {}, close: () => {} };
    },
    *makeDirectory(path: string): Task<void> {
      if (broken) throw new DiskError('io', path, `${path}: input/output error`);
    },
  };
  const world = new TinyWorld();
  const records = new PodRecords({ disk, clock: world.clock } as unknown as Platform);
  world.run(() => records.load());
  world.run(() => records.remove('uid'));
  expect(records.uids()).toEqual(['uid']);
  world.root.spawn('write', () => records.write('other', { address: '10.244.0.2' }));
  world.advanceBy(25_000_000);
  expect(records.get('other')).toBeUndefined();
  broken = false;
  world.advanceBy(10_000_000);
  expect(records.get('other')).toEqual({ address: '10.244.0.2' });
  world.run(() => records.remove('uid'));
  expect(records.uids()).toEqual(['other']);
});
