/** The accessors of a whole configuration, as node controllers read it. */
import { type Config, documentsOf, legacyOf } from '../config.ts';
import type { ConfigObject } from '../schema/types.ts';
import { flagAt, objectAt } from '../view.ts';
import { type ClusterAccess, clusterAccess } from './cluster.ts';
import { type MachineAccess, machineAccess } from './machine.ts';
import { type ReleaseDefaults, V1_11_3_DEFAULTS } from './types.ts';

export interface Provider {
  /** True with the legacy document, which boot needs. */
  readonly completeForBoot: boolean;
  readonly debug: boolean;
  readonly persist: boolean;
  readonly machine: MachineAccess;
  readonly cluster: ClusterAccess;
  /** Raw values of all documents of a kind, in stored order. */
  readonly documents: (kind: string) => readonly ConfigObject[];
}

/** Reads a configuration once, with every default applied. */
export function provider(config: Config, defaults: ReleaseDefaults = V1_11_3_DEFAULTS): Provider {
  const legacy = legacyOf(config);
  return {
    completeForBoot: legacy !== undefined,
    debug: flagAt(legacy, 'debug') ?? false,
    persist: flagAt(legacy, 'persist') ?? true,
    machine: machineAccess(objectAt(legacy, 'machine'), defaults),
    cluster: clusterAccess(objectAt(legacy, 'cluster'), defaults),
    documents: (kind) => documentsOf(config, kind),
  };
}
