/** `machine.kubelet` and `machine.controlPlane` (reference E.2). */
import { argumentMap, block, field, flag, int, list, object, str, strings, struct, structType } from '../build.ts';
import type { Field, StructSpec } from '../types.ts';

/**
 * Extra command-line arguments. Up to v1.11 a value is a plain string; from v1.12 on it may be a list, and a patch
 * replaces the value of a key (reference/v1.11.3.md 11.2, 11.5).
 */
export function extraArgs(doc: string): Field {
  return field('extraArgs', argumentMap, doc);
}

const idMapping: StructSpec = struct('v1alpha1.LinuxIDMapping', [
  field('containerID', int('uint32'), 'First id in the container.', { print: 'always' }),
  field('hostID', int('uint32'), 'First id on the host.', { print: 'always' }),
  field('size', int('uint32'), 'Number of ids.', { print: 'always' }),
]);

const extraMount: StructSpec = struct('v1alpha1.ExtraMount', [
  field('destination', str, 'Path in the kubelet container.', { print: 'always' }),
  field('type', str, 'Kind of mount.'),
  field('source', str, 'Path on the host.'),
  field('options', strings, 'Mount options.'),
  field('uidMappings', list(structType(idMapping)), 'User id mappings.'),
  field('gidMappings', list(structType(idMapping)), 'Group id mappings.'),
]);

/** `machine.kubelet`. */
export const kubeletConfig: StructSpec = struct('v1alpha1.KubeletConfig', [
  field('image', str, 'Kubelet image.', { default: 'ghcr.io/siderolabs/kubelet of the release' }),
  field('clusterDNS', strings, 'DNS servers for pods.', { default: 'tenth address of each service subnet' }),
  extraArgs('Extra kubelet flags.'),
  field('extraMounts', list(structType(extraMount)), 'Extra mounts of the kubelet container.'),
  field('extraConfig', object, 'Merged into KubeletConfiguration.'),
  field('credentialProviderConfig', object, 'Credential providers of the kubelet.'),
  flag('defaultRuntimeSeccompProfileEnabled', 'Default seccomp profile for pods.', { default: 'false' }),
  flag('registerWithFQDN', 'Register the node under its full name.', { default: 'false' }),
  block(
    'nodeIP',
    struct('v1alpha1.KubeletNodeIPConfig', [
      field('validSubnets', strings, 'Prefixes to take the node address from; `!` excludes.'),
    ]),
    'Choice of the node address.',
  ),
  flag('skipNodeRegistration', 'Run without registering a Node.', { default: 'false' }),
  flag('disableManifestsDirectory', 'Ignore /etc/kubernetes/manifests.', { default: 'false' }),
]);

/** `machine.controlPlane`. */
export const machineControlPlane: StructSpec = struct('v1alpha1.MachineControlPlaneConfig', [
  block(
    'controllerManager',
    struct('v1alpha1.MachineControllerManagerConfig', [flag('disabled', 'Do not run it here.')]),
    'kube-controller-manager on this machine.',
  ),
  block(
    'scheduler',
    struct('v1alpha1.MachineSchedulerConfig', [flag('disabled', 'Do not run it here.')]),
    'kube-scheduler on this machine.',
  ),
]);
