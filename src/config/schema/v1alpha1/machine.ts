/** `machine` (reference/network-config.md E.2). */
import { block, field, flag, int, list, object, str, stringMap, strings, struct, structType, text } from '../build.ts';
import { durationCodec, endpointCodec } from '../codecs.ts';
import type { StructSpec } from '../types.ts';
import { kubeletConfig, machineControlPlane } from './kubelet.ts';
import { networkConfig } from './network.ts';
import { certificate, certificateAndKey } from './pem.ts';
import { installConfig, machineDisk, machineFile, registriesConfig, systemDiskEncryption } from './storage.ts';

const time: StructSpec = struct('v1alpha1.TimeConfig', [
  flag('disabled', 'Do not sync the clock.', { default: 'false' }),
  field('servers', strings, 'NTP servers, or PTP devices.', { default: 'time.cloudflare.com' }),
  field('bootTimeout', text(durationCodec), 'How long boot waits for the first sync.', { default: '0, forever' }),
]);

const features: StructSpec = struct('v1alpha1.FeaturesConfig', [
  flag('rbac', 'Role based access control of the Talos API.'),
  flag('stableHostname', 'Host name derived from the node identity.', { deprecated: 'HostnameConfig' }),
  block(
    'kubernetesTalosAPIAccess',
    struct('v1alpha1.KubernetesTalosAPIAccessConfig', [
      flag('enabled', 'Allow it.'),
      field('allowedRoles', strings, 'Roles that pods may get.'),
      field('allowedKubernetesNamespaces', strings, 'Namespaces of such pods.'),
    ]),
    'Talos API access from pods.',
  ),
  flag('apidCheckExtKeyUsage', 'Check the extended key usage of client certificates.'),
  flag('diskQuotaSupport', 'XFS project quota on EPHEMERAL.'),
  block(
    'kubePrism',
    struct('v1alpha1.KubePrism', [
      flag('enabled', 'Run it.'),
      field('port', int('int'), 'Port on the loopback address.', { default: '7445' }),
    ]),
    'Local load balancer for the Kubernetes API.',
  ),
  block(
    'hostDNS',
    struct('v1alpha1.HostDNSConfig', [
      flag('enabled', 'Run it.'),
      flag('forwardKubeDNSToHost', 'CoreDNS asks the host resolver.'),
      flag('resolveMemberNames', 'Answer for names of cluster members.'),
    ]),
    'Caching resolver on the host.',
  ),
  block(
    'imageCache',
    struct('v1alpha1.ImageCacheConfig', [flag('localEnabled', 'Use the image cache of the install medium.')]),
    'Image cache.',
  ),
  field('nodeAddressSortAlgorithm', str, 'Order of node addresses.', { default: 'v1', values: ['v1', 'v2'] }),
]);

const logging: StructSpec = struct('v1alpha1.LoggingConfig', [
  field(
    'destinations',
    list(
      structType(
        struct('v1alpha1.LoggingDestination', [
          field('endpoint', text(endpointCodec), 'tcp:// or udp:// URL.', { pointer: true, print: 'always' }),
          field('format', str, 'Format.', { print: 'always', values: ['json_lines'] }),
          field('extraTags', stringMap, 'Tags added to each message.'),
        ]),
      ),
    ),
    'Where logs are sent.',
    { print: 'always' },
  ),
]);

const kernel: StructSpec = struct('v1alpha1.KernelConfig', [
  field(
    'modules',
    list(
      structType(
        struct('v1alpha1.KernelModuleConfig', [
          field('name', str, 'Module.', { print: 'always' }),
          field('parameters', strings, 'Parameters.'),
        ]),
      ),
      { elementPointer: true },
    ),
    'Modules to load.',
  ),
]);

const seccompProfile: StructSpec = struct('v1alpha1.MachineSeccompProfile', [
  field('name', str, 'File name of the profile.', { print: 'always' }),
  field('value', object, 'The profile.', { print: 'always' }),
]);

/** `machine`. */
export const machineConfig: StructSpec = struct('v1alpha1.MachineConfig', [
  field('type', str, 'Role of the machine.', { print: 'always', values: ['controlplane', 'worker', 'init'] }),
  field('token', str, 'Token to join the Talos PKI.', { print: 'always', secret: true }),
  block('ca', certificateAndKey, 'CA of the Talos API; the key only on control planes.'),
  field('acceptedCAs', list(structType(certificate), { elementPointer: true }), 'Further trusted CAs.'),
  field('certSANs', strings, 'Extra names in the Talos API certificate.', { print: 'always' }),
  block('controlPlane', machineControlPlane, 'Switches of control-plane components on this machine.'),
  block('kubelet', kubeletConfig, 'Kubelet.', { deprecated: 'KubeletConfig' }),
  field('pods', list(object, { goType: '[]meta.Unstructured' }), 'Static pods.'),
  block('network', networkConfig, 'Network.'),
  field('disks', list(structType(machineDisk), { elementPointer: true }), 'Extra disks.', {
    deprecated: 'UserVolumeConfig',
  }),
  block('install', installConfig, 'Installation.'),
  field('files', list(structType(machineFile), { elementPointer: true }), 'Files to write at boot.'),
  field('env', stringMap, 'Environment of PID 1 and the services.'),
  block('time', time, 'Clock.', { deprecated: 'TimeSyncConfig' }),
  field('sysctls', stringMap, 'Kernel parameters.'),
  field('sysfs', stringMap, 'Values below /sys.'),
  field('registries', structType(registriesConfig), 'Image registries.', { deprecated: 'Registry*Config' }),
  block('systemDiskEncryption', systemDiskEncryption, 'Encryption of system partitions.', {
    deprecated: 'VolumeConfig',
  }),
  block('features', features, 'Feature switches.'),
  block('udev', struct('v1alpha1.UdevConfig', [field('rules', strings, 'Rules.')]), 'udev rules.'),
  block('logging', logging, 'Log shipping.'),
  block('kernel', kernel, 'Kernel modules.'),
  field('seccompProfiles', list(structType(seccompProfile), { elementPointer: true }), 'Seccomp profiles.', {
    print: 'unless-nil',
  }),
  field('baseRuntimeSpecOverrides', object, 'Overrides of the OCI runtime spec of pods.'),
  field('nodeLabels', stringMap, 'Labels of the Node object.'),
  field('nodeAnnotations', stringMap, 'Annotations of the Node object.'),
  field('nodeTaints', stringMap, 'Taints of the Node object: `[value:]effect` by key.'),
]);
