/**
 * Documents of kinds that are known by name only (those after v1.11). They have no field tree here, so they are merged and
 * printed by general rules: keys below the top level keep the order in which they were written. What is known about single kinds
 * (field order, replaced and copied fields) is in tables.
 */

import { emitDocument } from '../encode/emit.ts';
import { plainOut } from '../encode/plain.ts';
import { documentSpec, kindSince } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { deref, keyText, lookup, type YamlNode } from '../yaml/node.ts';
import type { PatchableDocument } from './config-set.ts';
import { PatchError } from './error.ts';
import { looseFields } from './loose-fields.ts';

/** The document as a loose one, or null when it is not of such a kind or the release does not know the kind. */
export function looseDocument(root: YamlNode, minor: number): PatchableDocument | null {
  const kind = textOf(root, 'kind');
  if (kind === '' || textOf(root, 'apiVersion') !== 'v1alpha1' || documentSpec(kind, minor) !== undefined) return null;
  const since = kindSince(kind);
  if (since === undefined || since > minor) return null;
  const value = inLooseOrder(kind, plainValue(root) as ConfigObject);
  checkKeys(kind, value);
  return { kind, apiVersion: 'v1alpha1', name: textOf(root, 'name'), spec: null, value };
}

function textOf(root: YamlNode, key: string): string {
  const node = lookup(root, key);
  const target = node === undefined ? undefined : deref(node);
  return target?.kind === 'scalar' && target.tag !== 'null' ? target.text : '';
}

/** Unknown keys are refused at the top level; deeper ones pass, since nothing says what is known there. */
function checkKeys(kind: string, value: ConfigObject): void {
  const fields = looseFields(kind);
  const unknown = Object.entries(value).filter(([key]) => fields !== undefined && !fields.includes(key));
  if (unknown.length === 0) return;
  const excerpt = emitDocument(plainOut(Object.fromEntries(unknown)));
  throw new PatchError(`unknown keys found during decoding:\n${excerpt}`);
}

/** The value with its fields in printing order. */
export function inLooseOrder(kind: string, value: ConfigObject): ConfigObject {
  const fields = looseFields(kind);
  if (fields === undefined) return value;
  const ordered = Object.entries(value);
  ordered.sort(([a], [b]) => fields.indexOf(a) - fields.indexOf(b));
  return Object.fromEntries(ordered);
}

/** A node without a schema. Keys keep their order; null values vanish, as they would in a struct. */
function plainValue(node: YamlNode): ConfigValue {
  const target = deref(node);
  if (target.kind === 'scalar') return target.value;
  if (target.kind === 'list') return target.items.map(plainValue);
  const entries: [string, ConfigValue][] = [];
  for (const { key, value } of target.entries) {
    const plain = plainValue(value);
    if (plain !== null) entries.push([keyText(key) ?? '', plain]);
  }
  return Object.fromEntries(entries);
}

/** Fields of loose kinds that a patch replaces as a whole (reference E.10 "Replace fields"). */
const REPLACED: Readonly<Record<string, readonly string[]>> = Object.freeze({
  KubeNetworkConfig: ['podSubnets', 'serviceSubnets'],
  KubeAuditPolicyConfig: ['configuration'],
  KubeAuthenticationConfig: ['configuration'],
  KubeCredentialProviderConfig: ['configuration'],
  KubeStaticPodConfig: ['pod'],
  CRIBaseRuntimeSpecConfig: ['overrides'],
  BGPInstanceConfig: ['advertise', 'importRoutes', 'neighbors'],
});

/** Fields that are copied from the patch even when it does not have them (reference E.10, CEL expressions and sizes). */
const COPIED: Readonly<Record<string, readonly string[]>> = Object.freeze({
  LinkAliasConfig: ['selector.match'],
  OOMConfig: ['triggerExpression', 'cgroupRankingExpression'],
  UnattendedInstallConfig: ['provisioning.diskSelector.match'],
  RAIDArrayConfig: ['provisioning.volumeSelector.match'],
  LVMVolumeGroupConfig: ['provisioning.volumeSelector.match'],
  LVMLogicalVolumeConfig: ['provisioning.minSize'],
});

export function isReplacedField(kind: string, path: string): boolean {
  return REPLACED[kind]?.includes(path) ?? false;
}

export function copiedFields(kind: string): readonly string[] {
  return COPIED[kind] ?? [];
}
