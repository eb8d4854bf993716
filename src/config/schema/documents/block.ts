/** Volumes, swap and zswap (reference/network-config.md E.4; v1.11.3.md 11.1). */
import { block, field, flag, int, list, str, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec, StructSpec } from '../types.ts';
import { enumCodec, sizeCodec } from './codecs.ts';
import { byteSize, documentKind, expression, header, named } from './meta.ts';

const diskSelector: StructSpec = struct('block.DiskSelector', [
  expression('match', 'Expression that selects the disk.'),
]);

const provisioning: StructSpec = struct('block.ProvisioningSpec', [
  field('diskSelector', structType(diskSelector), 'Which disk.'),
  flag('grow', 'Grow to the size of the disk.'),
  byteSize('minSize', 'Smallest size.'),
  field('maxSize', text(sizeCodec), 'Largest size.'),
]);

const encryptionKey: StructSpec = struct('block.EncryptionKey', [
  field('slot', int('int'), 'LUKS key slot.', { print: 'always' }),
  block(
    'static',
    struct('block.EncryptionKeyStatic', [field('passphrase', str, 'Passphrase.', { secret: true })]),
    'Passphrase in the config.',
  ),
  block('nodeID', struct('block.EncryptionKeyNodeID', []), 'Key derived from node UUID and partition label.'),
  block(
    'kms',
    struct('block.EncryptionKeyKMS', [field('endpoint', str, 'KMS endpoint.', { print: 'always' })]),
    'Key sealed by a KMS server.',
  ),
  block(
    'tpm',
    struct('block.EncryptionKeyTPM', [
      block(
        'options',
        struct('block.EncryptionKeyTPMOptions', [field('pcrs', list(int('int')), 'Registers to bind the key to.')]),
        'TPM options.',
        { since: 12 },
      ),
      flag('checkSecurebootStatusOnEnroll', 'Refuse to enrol while Secure Boot is off.'),
    ]),
    'Key sealed by the TPM.',
  ),
  flag('lockToState', 'Bind the key to a salt on the STATE partition.'),
]);

/** Encryption section shared by all volume kinds. */
const encryption: StructSpec = struct('block.EncryptionSpec', [
  field('provider', text(enumCodec('block.EncryptionProviderType', ['none', 'luks2'], 'none')), 'Provider.', {
    print: 'always',
  }),
  field('keys', list(structType(encryptionKey)), 'Keys.', { print: 'always' }),
  field('cipher', str, 'Cipher.'),
  field('keySize', int('uint'), 'Key length in bits.'),
  field('blockSize', int('uint64'), 'Sector size in bytes.'),
  field('options', strings, 'Extra LUKS performance options.'),
  flag('allowDiscards', 'Pass discards through to the disk.', { since: 14 }),
]);

const interval = (name: string, goType: string, doc: string) =>
  block(name, struct(goType, [flag('enabled', 'Run it.'), field('interval', text(durationCodec), 'How often.')]), doc, {
    since: 14,
  });

const trim = interval('trim', 'block.TrimConfig', 'Periodic trim.');
const scrub = interval('scrub', 'block.ScrubConfig', 'Periodic scrub.');

const xfs = block(
  'xfs',
  struct('block.XFSSpec', [byteSize('minAllocationGroupSize', 'Smallest allocation group.')]),
  'XFS options.',
  { since: 14 },
);

const systemMount: StructSpec = struct('block.MountSpec', [
  flag('secure', 'Mount without setuid and device files.', { since: 13 }),
  flag('disableAccessTime', 'No access times.', { since: 14 }),
]);

const volume: StructSpec = struct('block.VolumeConfigV1Alpha1', [
  ...named('System volume.'),
  field('provisioning', structType(provisioning), 'Where and how large.'),
  field('filesystem', structType(struct('block.SystemVolumeFilesystemSpec', [xfs])), 'Filesystem.', { since: 14 }),
  field('encryption', structType(encryption), 'Encryption.'),
  field('mount', structType(systemMount), 'Mount options.', { since: 13 }),
  trim,
  scrub,
]);

const filesystem: StructSpec = struct('block.FilesystemSpec', [
  field(
    'type',
    text(enumCodec('block.FilesystemType', ['none', 'xfs', 'vfat', 'ext4', 'iso9660', 'swap', 'btrfs'], 'none')),
    'Filesystem.',
    {
      default: 'xfs',
      values: ['xfs', 'ext4'],
    },
  ),
  flag('projectQuotaSupport', 'XFS project quota.'),
  xfs,
]);

const userMount: StructSpec = struct('block.UserMountSpec', [
  flag('disableAccessTime', 'No access times.'),
  flag('secure', 'Mount without setuid, device files and programs.'),
]);

const userVolume: StructSpec = struct('block.UserVolumeConfigV1Alpha1', [
  ...named('Volume; mounted at /var/mnt/<name>.'),
  field('volumeType', str, 'Kind of volume.', {
    pointer: true,
    since: 12,
    default: 'partition',
    values: ['partition', 'disk', 'directory'],
  }),
  field('provisioning', structType(provisioning), 'Where and how large.'),
  field('filesystem', structType(filesystem), 'Filesystem.'),
  field('encryption', structType(encryption), 'Encryption.'),
  field('mount', structType(userMount), 'Mount options.', { since: 13 }),
  trim,
  scrub,
]);

function partition(goType: string): StructSpec {
  return struct(goType, [
    ...named('Volume.'),
    field('provisioning', structType(provisioning), 'Where and how large.'),
    field('encryption', structType(encryption), 'Encryption.'),
  ]);
}

const existingMount: StructSpec = struct('block.ExistingMountSpec', [
  flag('readOnly', 'Mount read-only.'),
  flag('disableAccessTime', 'No access times.', { since: 13 }),
  flag('secure', 'Mount without setuid and device files.', { since: 13 }),
]);

const existingVolume: StructSpec = struct('block.ExistingVolumeConfigV1Alpha1', [
  ...named('Volume; mounted at /var/mnt/<name>.'),
  field(
    'discovery',
    structType(
      struct('block.VolumeDiscoverySpec', [
        field(
          'volumeSelector',
          structType(struct('block.VolumeSelector', [expression('match', 'Expression that selects the volume.')])),
          'Which volume.',
        ),
      ]),
    ),
    'How it is found.',
  ),
  field('mount', structType(existingMount), 'Mount options.'),
  trim,
  scrub,
]);

const zswap: StructSpec = struct('block.ZswapConfigV1Alpha1', [
  ...header,
  field('maxPoolPercent', int('int'), 'Most memory that it may use, in percent.', { pointer: true, default: '20' }),
  flag('shrinkerEnabled', 'Let cold pages go to the swap device.', { default: 'false' }),
]);

export const blockDocuments: readonly DocumentSpec[] = Object.freeze([
  documentKind('VolumeConfig', 'block', volume, 'A system volume.'),
  documentKind('UserVolumeConfig', 'block', userVolume, 'A volume for workloads.', {
    conflictsWith: ['ExistingVolumeConfig'],
  }),
  documentKind('RawVolumeConfig', 'block', partition('block.RawVolumeConfigV1Alpha1'), 'A partition left unformatted.'),
  documentKind('ExistingVolumeConfig', 'block', existingVolume, 'A volume that Talos did not create.', {
    conflictsWith: ['UserVolumeConfig'],
  }),
  documentKind('SwapVolumeConfig', 'block', partition('block.SwapVolumeConfigV1Alpha1'), 'A swap partition.'),
  documentKind('ZswapConfig', 'block', zswap, 'Compressed swap in memory.'),
]);
