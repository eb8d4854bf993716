/** Trim, scrub, RAID, LVM and volumes of the hypervisor, from v1.13 on (reference E.4). */
import { block, field, flag, str, struct, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec } from '../types.ts';
import { enumCodec, sizeCodec } from './codecs.ts';
import { byteSize, count, expression, type KindRow, kindOf, plain } from './meta.ts';

const match = expression('match', 'Expression that selects.');
const volumeSelector = plain(
  'provisioning',
  'storage.ProvisioningSpec',
  [plain('volumeSelector', 'storage.VolumeSelectorSpec', [match], 'Which volumes.', { print: 'always' })],
  'What it is made of.',
  { print: 'always' },
);
const interval = field('interval', text(durationCodec), 'How often.');

const LAYOUTS: readonly string[] = Object.freeze(['linear', 'raid0', 'raid1', 'raid10']);

const storageKinds: readonly KindRow[] = Object.freeze([
  {
    kind: 'ExternalVolumeConfig',
    group: 'block',
    since: 13,
    doc: 'A volume of the hypervisor.',
    name: 'Volume; mounted at /var/mnt/<name>.',
    fields: [
      field('filesystemType', str, 'Filesystem.', { print: 'always', values: ['virtiofs'] }),
      plain(
        'mount',
        'block.ExternalMountSpec',
        [
          flag('readOnly', 'Mount read-only.'),
          flag('disableAccessTime', 'No access times.'),
          flag('secure', 'Mount without setuid and device files.'),
          block(
            'virtiofs',
            struct('block.VirtiofsMountSpec', [field('tag', str, 'Tag.', { print: 'always' })]),
            'virtiofs.',
          ),
        ],
        'Mount options.',
      ),
    ],
  },
  { kind: 'FilesystemTrimConfig', group: 'block', since: 14, doc: 'Periodic trim.', fields: [interval] },
  { kind: 'FilesystemScrubConfig', group: 'block', since: 14, doc: 'Periodic scrub.', fields: [interval] },
  {
    kind: 'RAIDArrayConfig',
    group: 'block',
    since: 14,
    doc: 'A RAID array.',
    name: 'Array.',
    fields: [
      field('level', text(enumCodec('storage.MDLevel', ['raid1'], undefined)), 'Level.', {
        print: 'always',
        values: ['raid1'],
      }),
      field('metadata', text(enumCodec('storage.MDMetadata', ['1.0', '1.2'], '1.0')), 'Format.', {
        default: '1.0',
        values: ['1.0', '1.2'],
      }),
      volumeSelector,
    ],
  },
  {
    kind: 'LVMVolumeGroupConfig',
    group: 'block',
    since: 14,
    doc: 'An LVM volume group.',
    name: 'Group.',
    fields: [volumeSelector],
  },
  {
    kind: 'LVMLogicalVolumeConfig',
    group: 'block',
    since: 14,
    doc: 'An LVM volume.',
    name: 'Volume.',
    fields: [
      field('type', text(enumCodec('storage.LVMLogicalVolumeType', LAYOUTS, 'linear')), 'Layout.', {
        print: 'always',
        values: LAYOUTS,
      }),
      count('mirrors', 'Copies.'),
      count('stripes', 'Stripes.'),
      plain(
        'provisioning',
        'storage.LVMLogicalVolumeProvisioningSpec',
        [
          field('volumeGroup', str, 'Group.', { print: 'always' }),
          byteSize('minSize', 'Smallest size.'),
          field('maxSize', text(sizeCodec), 'Largest size.'),
        ],
        'Where and how large.',
        { print: 'always' },
      ),
    ],
  },
]);

export const poolDocuments: readonly DocumentSpec[] = Object.freeze(storageKinds.map(kindOf));
