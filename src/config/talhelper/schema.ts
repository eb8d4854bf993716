/**
 * Field tree of talhelper's `talconfig.yaml`. Parts that talhelper passes on to Talos have the types of the machine config.
 */

import {
  block,
  bool,
  field,
  flag,
  list,
  object,
  str,
  stringMap,
  strings,
  struct,
  structType,
} from '../schema/build.ts';
import { documentSpecs } from '../schema/registry.ts';
import type { Field, StructSpec, Type } from '../schema/types.ts';
import { machineConfig } from '../schema/v1alpha1/machine.ts';

/** Type of a field of `machine`, down a path of structs. */
function machineType(...path: readonly string[]): Type {
  let struct = machineConfig;
  for (const name of path.slice(0, -1)) {
    const { type } = struct.byName[name]!;
    if (type.kind === 'struct') struct = type.struct;
  }
  return struct.byName[path.at(-1)!]!.type;
}

/** Fields of a side document below its header; `name` is kept. */
function documentFields(kind: string): readonly Field[] {
  const spec = documentSpecs.find((document) => document.kind === kind)!;
  return spec.struct.fields.filter(({ name }) => name !== 'apiVersion' && name !== 'kind');
}

const schematic: StructSpec = struct('schematic.Schematic', [
  block(
    'overlay',
    struct('schematic.Overlay', [
      field('image', str, 'Overlay image.'),
      field('name', str, 'Overlay.'),
      field('options', object, 'Options of the overlay.'),
    ]),
    'Board support.',
  ),
  block(
    'customization',
    struct('schematic.Customization', [
      field('extraKernelArgs', strings, 'Kernel arguments baked into the image.'),
      field('meta', list(object), 'Initial META values.'),
      block(
        'systemExtensions',
        struct('schematic.SystemExtensions', [field('officialExtensions', strings, 'Extensions of the factory.')]),
        'System extensions.',
      ),
      block(
        'secureboot',
        struct('schematic.SecureBoot', [flag('includeWellKnownCertificates', 'Well-known certificates too.')]),
        'Secure boot.',
      ),
      field('bootloader', str, 'Boot loader.'),
    ]),
    'What the image contains besides Talos.',
  ),
]);

const machineSpec: StructSpec = struct('config.MachineSpec', [
  field('mode', str, 'Platform of the image.', { default: 'metal' }),
  field('arch', str, 'Architecture of the image.', { default: 'amd64' }),
  flag('secureboot', 'Secure boot image.'),
  flag('useUKI', 'Unified kernel image.'),
  field('bootMethod', str, 'How the image boots.'),
  field('imageSuffix', str, 'Suffix of the image file.'),
]);

const ingressFirewall: StructSpec = struct('config.IngressFirewall', [
  field('defaultAction', str, 'What happens to other packets.', { default: 'block', values: ['accept', 'block'] }),
  field('rules', list(structType(struct('config.NetworkRule', documentFields('NetworkRuleConfig')))), 'Rules.'),
]);

/** What a group and a node can both have. */
const nodeConfigs: readonly Field[] = [
  field('nodeLabels', stringMap, 'Labels of the Node object.'),
  field('nodeAnnotations', stringMap, 'Annotations of the Node object.'),
  field('nodeTaints', stringMap, 'Taints of the Node object.'),
  field('machineDisks', machineType('disks'), 'Extra disks.'),
  field('machineFiles', machineType('files'), 'Files to write at boot.'),
  flag('disableSearchDomain', 'No default search domain.'),
  field('kernelModules', machineType('kernel', 'modules'), 'Modules to load.'),
  field('nameservers', strings, 'Name servers.'),
  field('networkInterfaces', machineType('network', 'interfaces'), 'Network interfaces.'),
  field('extraManifests', strings, 'Files with further documents for the machine config.'),
  field('patches', strings, 'Patches.'),
  field('talosImageURL', str, 'Installer image without tag.'),
  flag('noSchematicValidate', 'Do not check the schematic.'),
  block('schematic', schematic, 'Image customization.'),
  block('machineSpec', machineSpec, 'Hardware.'),
  block('ingressFirewall', ingressFirewall, 'Firewall.'),
  field(
    'extensionServices',
    list(structType(struct('config.ExtensionService', documentFields('ExtensionServiceConfig')))),
    'Configuration of extension services.',
  ),
  field('volumes', list(structType(struct('config.Volume', documentFields('VolumeConfig')))), 'System volumes.'),
  field('userVolumes', list(structType(struct('config.UserVolume', documentFields('UserVolumeConfig')))), 'Volumes.'),
  field('certSANs', strings, 'Extra names in the Talos API certificate.'),
];

const node: StructSpec = struct('config.Node', [
  field('hostname', str, 'Host name.'),
  field('ipAddress', str, 'Addresses, separated by commas.'),
  flag('controlPlane', 'Control plane or worker.'),
  field('installDisk', str, 'Disk to install to.'),
  field('installDiskSelector', machineType('install', 'diskSelector'), 'Disk to install to, by properties.', {
    pointer: true,
  }),
  flag('ignoreHostname', 'Do not set the host name.'),
  flag('overridePatches', 'Patches of the node instead of those of its group.'),
  flag('overrideExtraManifests', 'Manifests of the node instead of those of its group.'),
  flag('overrideMachineCertSANs', 'Names of the node instead of those of its group.'),
  field('filenameTmpl', str, 'Template of the file name.'),
  ...nodeConfigs,
]);

const imageFactory: StructSpec = struct('config.ImageFactory', [
  field('registryURL', str, 'Host of the image factory.', { default: 'factory.talos.dev' }),
  field('schematicEndpoint', str, 'Path of the schematics API.', { default: '/schematics' }),
  field('protocol', str, 'Scheme.', { default: 'https' }),
  field('installerURLTmpl', str, 'Template of installer images.'),
  field('imageURLTmpl', str, 'Template of boot images.'),
  field('ISOURLTmpl', str, 'Template of boot images.'),
]);

/** The whole file. */
export const talconfigSpec: StructSpec = struct('config.TalhelperConfig', [
  field('clusterName', str, 'Name of the cluster.'),
  field('talosVersion', str, 'Talos release.'),
  field('kubernetesVersion', str, 'Kubernetes release.'),
  field('endpoint', str, 'URL of the Kubernetes API.'),
  field('domain', str, 'DNS domain of the cluster.'),
  field('allowSchedulingOnMasters', bool, 'Pods on control planes.'),
  field('allowSchedulingOnControlPlanes', bool, 'Pods on control planes.'),
  field('additionalMachineCertSans', strings, 'Extra names in Talos API certificates.'),
  field('additionalApiServerCertSans', strings, 'Extra names in the API server certificate.'),
  field('clusterPodNets', strings, 'Pod networks.'),
  field('clusterSvcNets', strings, 'Service networks.'),
  block(
    'cniConfig',
    struct('v1alpha1.CNIConfig', [field('name', str, 'Plugin.'), field('urls', strings, 'Manifests.')]),
    'Network plugin.',
  ),
  field('patches', strings, 'Patches for all nodes.'),
  field('nodes', list(structType(node)), 'Nodes.'),
  block('imageFactory', imageFactory, 'Image factory.'),
  block('controlPlane', struct('config.NodeConfigs', nodeConfigs), 'Defaults of control planes.'),
  block('worker', struct('config.NodeConfigs', nodeConfigs), 'Defaults of workers.'),
]);

/** Names of the fields that a group passes on to its nodes. */
export const groupFields: readonly string[] = Object.freeze(nodeConfigs.map(({ name }) => name));
