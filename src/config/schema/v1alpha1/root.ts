/** The legacy document (reference E.2, Root). */
import { block, field, flag, str, struct } from '../build.ts';
import type { DocumentSpec, StructSpec } from '../types.ts';
import { clusterConfig } from './cluster.ts';
import { machineConfig } from './machine.ts';

export const rootConfig: StructSpec = struct('v1alpha1.Config', [
  field('version', str, 'Schema of the document.', { print: 'always', values: ['v1alpha1'] }),
  flag('debug', 'Verbose boot.', { default: 'false' }),
  flag('persist', 'Must not be false.', { default: 'true', deprecated: 'nothing' }),
  block('machine', machineConfig, 'Settings of this machine.', { print: 'always' }),
  block('cluster', clusterConfig, 'Settings of the cluster.', { print: 'always' }),
]);

/** Kind under which the legacy document is registered; it has no `kind` key. */
export const LEGACY_KIND = 'v1alpha1';

export const legacyDocument: DocumentSpec = Object.freeze({
  kind: LEGACY_KIND,
  apiVersion: 'v1alpha1',
  group: 'main',
  struct: rootConfig,
  named: false,
  doc: 'Machine and cluster settings.',
  since: 0,
  conflictsWith: [],
});
