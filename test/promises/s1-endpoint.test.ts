import { describe, expect, it } from 'vitest';
import { ShellSession } from '../../src/lab/shell/session.ts';
import { run } from '../e2e/run.ts';
import { sharedCluster } from './cluster.ts';

describe('the endpoint simulator', () => {
  it('a load balancer outlives control planes; without it hosts with KubePrism stay Ready, others do not', () => {
    const lost = new Set<string>();
    const { result } = run('endpoint-is-a-load-balancer', {
      watch: {
        onEvent: ({ kind, fields, timeUs }) => {
          if (kind === 'kube.node.changed' && fields.ready === false && timeUs > 190_000_000)
            lost.add(String(fields.name));
        },
      },
    });
    expect(result.reasons).toEqual([]);
    expect([...lost].filter((name) => name.startsWith('worker'))).toEqual(['worker-2']);
    expect(result.story).toEqual([]);
  });

  it('the address of one node dies with it, and is advised against', () => {
    const { result } = run('endpoint-is-one-node');
    expect(result.reasons).toEqual([]);
    expect(result.story.join('\n')).toContain(
      'controlplane.yaml: the cluster endpoint 10.0.0.10 is the address of cp-1 alone',
    );
  });
});

describe('the virtual address as endpoint of talosctl', () => {
  const cluster = sharedCluster({ size: { controlPlanes: 1, workers: 0 } });

  it('is advised against', () => {
    let printed = '';
    const shell = new ShellSession(cluster.session, (text) => {
      printed += text;
    });
    shell.enter('lint');
    expect(printed).toBe('nothing to say\n');
    cluster.ok('talosctl config endpoint 10.0.0.5');
    printed = '';
    shell.enter('lint');
    expect(printed).toContain('the virtual address 10.0.0.5 is an endpoint of talosctl');
  });
});
