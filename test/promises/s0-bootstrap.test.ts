import { describe, expect, it } from 'vitest';
import { sharedCluster } from './cluster.ts';

describe('bootstrap', () => {
  const cluster = sharedCluster();

  it('a node that has etcd data refuses a bootstrap with the exact error', () => {
    expect(cluster.refused('talosctl bootstrap -n 10.0.0.10 -e 10.0.0.10')).toContain(
      'rpc error: code = AlreadyExists desc = etcd data directory is not empty\n',
    );
  });
});
