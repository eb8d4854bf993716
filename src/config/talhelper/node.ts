/** One node of a talconfig: what it inherits from its group, and what it changes in the generated config. */

import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { objectAt, textAt } from '../view.ts';
import { groupFields } from './schema.ts';
import { installerImage } from './schematic.ts';

/**
 * A node with the settings of its group: its own win as a whole, but patches of the group come before its own, and manifests
 * and certificate names of the group after its own, unless the node says otherwise.
 */
export function withGroup(node: ConfigObject, group: ConfigObject): ConfigObject {
  const merged: Record<string, ConfigValue> = { ...node };
  for (const name of groupFields) {
    if (node[name] === undefined && group[name] !== undefined) merged[name] = group[name];
  }
  const both = (name: string): [readonly ConfigValue[], readonly ConfigValue[]] => [
    items(group[name]),
    items(node[name]),
  ];
  if (node.overridePatches !== true) merged.patches = both('patches').flat();
  if (node.overrideExtraManifests !== true) merged.extraManifests = both('extraManifests').reverse().flat();
  if (node.overrideMachineCertSANs !== true) merged.certSANs = both('certSANs').reverse().flat();
  return merged;
}

function items(value: ConfigValue | undefined): readonly ConfigValue[] {
  return Array.isArray(value) ? (value as readonly ConfigValue[]) : [];
}

export interface NodeContext {
  readonly factory: ConfigObject;
  /** With `v`. */
  readonly talosVersion: string;
  readonly minor: number;
}

/** The legacy document with the node's settings put in. */
export function applyNode(legacy: ConfigObject, node: ConfigObject, context: NodeContext): ConfigObject {
  const machine = objectAt(legacy, 'machine') ?? {};
  const network = networkOf(objectAt(machine, 'network'), node, context.minor);
  return {
    ...legacy,
    machine: {
      ...machine,
      ...optional('certSANs', [...items(machine.certSANs), ...items(node.certSANs)]),
      ...(network === undefined ? {} : { network }),
      ...optional('disks', items(node.machineDisks)),
      install: installOf(objectAt(machine, 'install') ?? {}, node, context),
      ...optional('files', items(node.machineFiles)),
      ...(items(node.kernelModules).length === 0 ? {} : { kernel: { modules: items(node.kernelModules) } }),
      ...replaced('nodeLabels', node.nodeLabels),
      ...replaced('nodeAnnotations', node.nodeAnnotations),
      ...replaced('nodeTaints', node.nodeTaints),
    },
  };
}

function optional(key: string, list: readonly ConfigValue[]): ConfigObject {
  return list.length === 0 ? {} : { [key]: list };
}

function replaced(key: string, value: ConfigValue | undefined): ConfigObject {
  return value === undefined ? {} : { [key]: value };
}

/** From v1.12 on the host name is in a document of its own. */
function networkOf(base: ConfigObject | undefined, node: ConfigObject, minor: number): ConfigObject | undefined {
  const hostname = textAt(node, 'hostname');
  const own = {
    ...(minor < 12 && hostname !== '' && node.ignoreHostname !== true ? { hostname } : {}),
    ...optional('interfaces', items(node.networkInterfaces)),
    ...optional('nameservers', items(node.nameservers)),
    ...(node.disableSearchDomain === true ? { disableSearchDomain: true } : {}),
  };
  return base === undefined && Object.keys(own).length === 0 ? undefined : { ...base, ...own };
}

function installOf(base: ConfigObject, node: ConfigObject, context: NodeContext): ConfigObject {
  const disk = textAt(node, 'installDisk');
  return {
    ...base,
    ...(disk === '' ? {} : { disk }),
    ...replaced('diskSelector', node.installDiskSelector),
    image: installerImage(node, context.factory, context.talosVersion, context.minor),
  };
}

/** A document beside the legacy one, as a patch. */
export interface NodeDocument {
  readonly kind: string;
  readonly value: ConfigObject;
}

/** Documents that a node adds after its patches. */
export function nodeDocuments(node: ConfigObject, minor: number): NodeDocument[] {
  const documents: NodeDocument[] = [];
  const hostname = textAt(node, 'hostname');
  if (minor >= 12 && hostname !== '' && node.ignoreHostname !== true) {
    documents.push({ kind: 'HostnameConfig', value: { auto: 'off', hostname } });
  }
  const firewall = objectAt(node, 'ingressFirewall');
  if (firewall !== undefined) {
    const ingress = textAt(firewall, 'defaultAction') || 'block';
    documents.push({ kind: 'NetworkDefaultActionConfig', value: { ingress } });
    documents.push(...each('NetworkRuleConfig', firewall.rules));
  }
  documents.push(...each('ExtensionServiceConfig', node.extensionServices));
  documents.push(...each('VolumeConfig', node.volumes));
  documents.push(...each('UserVolumeConfig', node.userVolumes));
  return documents;
}

function each(kind: string, list: ConfigValue | undefined): NodeDocument[] {
  return items(list).map((value) => ({ kind, value: value as ConfigObject }));
}
