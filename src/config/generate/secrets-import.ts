/** Secrets out of what exists already: a control plane's machine config (reference/lifecycle-api-cli.md F.2 `gen secrets`). */

import type { ConfigSet } from '../patch/config-set.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { at, isObject, textAt } from '../view.ts';
import { pemOfBase64 } from './pem-text.ts';
import type { PemPair, SecretsBundle } from './secrets.ts';

/** Takes from each place where a release may keep a secret, documents first. What is missing stays empty. */
export function secretsOfConfig(set: ConfigSet): SecretsBundle {
  const legacy = set.documents.find((document) => document.kind === 'v1alpha1')?.value ?? {};
  const document = (kind: string): ConfigObject => set.documents.find((one) => one.kind === kind)?.value ?? {};
  const identity = document('DiscoveryIdentityConfig');
  return {
    cluster: {
      id: textAt(legacy, 'cluster', 'id') || textAt(identity, 'clusterID'),
      secret: textAt(legacy, 'cluster', 'secret') || textAt(identity, 'clusterSecret'),
    },
    secrets: {
      bootstrapToken: textAt(legacy, 'cluster', 'token'),
      aescbcEncryptionSecret: textAt(legacy, 'cluster', 'aescbcEncryptionSecret'),
      secretboxEncryptionSecret:
        textAt(legacy, 'cluster', 'secretboxEncryptionSecret') || secretboxOf(document('KubeEtcdEncryptionConfig')),
    },
    trustdToken: textAt(legacy, 'machine', 'token'),
    certs: {
      etcd: pairAt(legacy, 'cluster', 'etcd', 'ca'),
      k8s: documentPair(document('KubeAPIServerCAConfig')) ?? pairAt(legacy, 'cluster', 'ca'),
      k8sAggregator: documentPair(document('KubeAggregatorCAConfig')) ?? pairAt(legacy, 'cluster', 'aggregatorCA'),
      k8sServiceAccountKey:
        textAt(document('KubeServiceAccountConfig'), 'issuer', 'privateKey') ||
        pemAt(legacy, 'cluster', 'serviceAccount', 'key'),
      os: pairAt(legacy, 'machine', 'ca'),
    },
  };
}

function pemAt(root: ConfigObject, ...path: string[]): string {
  return pemOfBase64(textAt(root, ...path)) ?? '';
}

function pairAt(root: ConfigObject, ...path: string[]): PemPair {
  return { crt: pemAt(root, ...path, 'crt'), key: pemAt(root, ...path, 'key') };
}

function documentPair(document: ConfigObject): PemPair | null {
  const crt = textAt(document, 'issuingCA', 'cert');
  return crt === '' ? null : { crt, key: textAt(document, 'issuingCA', 'key') };
}

/** The first secretbox key of the first block that covers Kubernetes secrets, if its first provider is secretbox. */
function secretboxOf(document: ConfigObject): string {
  const blocks = at(document, 'config', 'resources');
  for (const block of listOf(blocks)) {
    if (!isObject(block) || !listOf(block.resources).includes('secrets')) continue;
    const provider = listOf(block.providers)[0];
    const key = isObject(provider) ? listOf(at(provider, 'secretbox', 'keys'))[0] : undefined;
    if (isObject(key)) return textAt(key, 'secret');
  }
  return '';
}

function listOf(value: ConfigValue | undefined): readonly ConfigValue[] {
  return Array.isArray(value) ? (value as readonly ConfigValue[]) : [];
}
