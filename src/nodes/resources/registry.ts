import type { ResourceKind } from '../../cosi/index.ts';
import * as cluster from './cluster.ts';
import * as config from './config.ts';
import * as etcd from './etcd.ts';
import * as k8s from './k8s.ts';
import * as controlPlane from './k8s-control-plane.ts';
import * as kubespan from './kubespan.ts';
import * as network from './network.ts';
import * as runtime from './runtime.ts';
import * as secrets from './secrets.ts';

function isKind(value: unknown): value is ResourceKind<unknown> {
  return typeof value === 'object' && value !== null && 'type' in value && 'columns' in value && 'namespace' in value;
}

/** Every type that a machine has resources of, once, by type. */
export const ALL_KINDS: readonly ResourceKind<unknown>[] = Object.freeze(
  [cluster, config, controlPlane, etcd, k8s, kubespan, network, runtime, secrets]
    .flatMap((module) => Object.entries(module))
    .filter(([name]) => !name.startsWith('Layered'))
    .map(([, value]) => value as unknown)
    .filter(isKind)
    .sort((a, b) => (a.type < b.type ? -1 : 1)),
);

export const NAMESPACES: readonly string[] = Object.freeze([
  'cluster',
  'cluster-raw',
  'config',
  'controlplane',
  'cri',
  'etcd',
  'files',
  'hardware',
  'k8s',
  'kubespan',
  'meta',
  'network',
  'network-config',
  'perf',
  'runtime',
  'secrets',
]);
