/** Disks, installation, files, encryption and registries of `machine` (reference E.2). */
import { block, field, flag, int, list, map, namedString, str, strings, struct, structType, text } from '../build.ts';
import { base64Codec, diskSizeCodec, sizeMatcherCodec } from '../codecs.ts';
import type { StructSpec } from '../types.ts';
import { certificateAndKey } from './pem.ts';

const diskSelector: StructSpec = struct('v1alpha1.InstallDiskSelector', [
  field('size', text(sizeMatcherCodec), 'Size condition, e.g. `>= 100GB`.', { pointer: true }),
  field('name', str, 'Device name; refused, since the kernel no longer has it.'),
  field('model', str, 'Model; `*` matches anything.'),
  field('serial', str, 'Serial number; `*` matches anything.'),
  field('modalias', str, 'Modalias; `*` matches anything.'),
  field('uuid', str, 'UUID; `*` matches anything.'),
  field('wwid', str, 'World-wide identifier; `*` matches anything.'),
  field('type', namedString('v1alpha1.InstallDiskType'), 'Kind of disk.', { values: ['ssd', 'hdd', 'nvme', 'sd'] }),
  field('busPath', str, 'Bus path; `*` matches anything.'),
]);

/** `machine.install`. */
export const installConfig: StructSpec = struct('v1alpha1.InstallConfig', [
  field('disk', str, 'Disk to install to.'),
  block('diskSelector', diskSelector, 'Selects the disk by properties; wins over `disk`.'),
  field('extraKernelArgs', strings, 'Extra kernel arguments.', { deprecated: 'a custom installer image' }),
  field('image', str, 'Installer image.'),
  field(
    'extensions',
    list(
      structType(
        struct('v1alpha1.InstallExtensionConfig', [field('image', str, 'Extension image.', { print: 'always' })]),
      ),
    ),
    'System extensions to add.',
    { deprecated: 'boot assets with the extensions inside' },
  ),
  flag('bootloader', 'Never had an effect.', { deprecated: 'nothing' }),
  flag('wipe', 'Wipe the disk at installation.', { print: 'always', default: 'false' }),
  flag('legacyBIOSSupport', 'Mark the MBR partition active.'),
  flag('grubUseUKICmdline', 'GRUB takes the kernel arguments from the UKI.', { since: 12 }),
]);

/** One entry of `machine.disks`. */
export const machineDisk: StructSpec = struct('v1alpha1.MachineDisk', [
  field('device', str, 'Disk.'),
  field(
    'partitions',
    list(
      structType(
        struct('v1alpha1.DiskPartition', [
          field('size', text(diskSizeCodec), 'Size; absent takes the rest of the disk.'),
          field('mountpoint', str, 'Where it is mounted.'),
        ]),
      ),
      { elementPointer: true },
    ),
    'Partitions in order.',
  ),
]);

/** One entry of `machine.files`. */
export const machineFile: StructSpec = struct('v1alpha1.MachineFile', [
  field('content', str, 'Contents.', { print: 'always' }),
  field('permissions', { kind: 'int', goType: 'v1alpha1.FileMode', int: 'uint32', octal: true }, 'Mode, octal.', {
    print: 'always',
  }),
  field('path', str, 'Path, absolute.', { print: 'always' }),
  field('op', str, 'What to do with the path.', { print: 'always', values: ['create', 'append', 'overwrite'] }),
]);

const encryptionKey: StructSpec = struct('v1alpha1.EncryptionKey', [
  block(
    'static',
    struct('v1alpha1.EncryptionKeyStatic', [field('passphrase', str, 'Passphrase.', { secret: true })]),
    'Passphrase in the config.',
  ),
  block('nodeID', struct('v1alpha1.EncryptionKeyNodeID', []), 'Key derived from node UUID and partition label.'),
  block(
    'kms',
    struct('v1alpha1.EncryptionKeyKMS', [field('endpoint', str, 'KMS endpoint.', { print: 'always' })]),
    'Key sealed by a KMS server.',
  ),
  field('slot', int('int'), 'LUKS key slot.', { print: 'always' }),
  block(
    'tpm',
    struct('v1alpha1.EncryptionKeyTPM', [
      flag('checkSecurebootStatusOnEnroll', 'Refuse to enrol while Secure Boot is off.'),
    ]),
    'Key sealed by the TPM.',
  ),
]);

const encryption: StructSpec = struct('v1alpha1.EncryptionConfig', [
  field('provider', str, 'Encryption provider.', { print: 'always', values: ['luks2'] }),
  field('keys', list(structType(encryptionKey), { elementPointer: true }), 'Keys.', { print: 'always' }),
  field('cipher', str, 'Cipher.'),
  field('keySize', int('uint'), 'Key length in bits.'),
  field('blockSize', int('uint64'), 'Sector size in bytes.'),
  field('options', strings, 'Extra LUKS performance options.'),
]);

/** `machine.systemDiskEncryption`. */
export const systemDiskEncryption: StructSpec = struct('v1alpha1.SystemDiskEncryptionConfig', [
  block('state', encryption, 'STATE partition.', { deprecated: 'VolumeConfig' }),
  block('ephemeral', encryption, 'EPHEMERAL partition.', { deprecated: 'VolumeConfig' }),
]);

const registryMirror: StructSpec = struct('v1alpha1.RegistryMirrorConfig', [
  field('endpoints', strings, 'Mirror URLs, tried in order.', { print: 'always' }),
  flag('overridePath', 'Use the path of the URL as it is.'),
  flag('skipFallback', 'Do not fall back to the registry itself.'),
]);

const registryAuth: StructSpec = struct('v1alpha1.RegistryAuthConfig', [
  field('username', str, 'User name.'),
  field('password', str, 'Password.', { secret: true }),
  field('auth', str, 'Ready-made authentication string.', { secret: true }),
  field('identityToken', str, 'Identity token.', { secret: true }),
]);

const registryTls: StructSpec = struct('v1alpha1.RegistryTLSConfig', [
  block('clientIdentity', certificateAndKey, 'Client certificate.'),
  field('ca', text(base64Codec), 'CA certificate: base64 of PEM.'),
  flag('insecureSkipVerify', 'Do not verify the server.'),
]);

/** `machine.registries`. */
export const registriesConfig: StructSpec = struct('v1alpha1.RegistriesConfig', [
  field('mirrors', map(structType(registryMirror), { valuePointer: true }), 'Mirrors by registry.', {
    deprecated: 'RegistryMirrorConfig',
  }),
  field(
    'config',
    map(
      structType(
        struct('v1alpha1.RegistryConfig', [
          block('tls', registryTls, 'TLS.'),
          block('auth', registryAuth, 'Credentials.'),
        ]),
      ),
      { valuePointer: true },
    ),
    'TLS and credentials by registry.',
    { deprecated: 'RegistryTLSConfig, RegistryAuthConfig' },
  ),
]);
