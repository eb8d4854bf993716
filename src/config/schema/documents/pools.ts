/** Trim, scrub, RAID, LVM and volumes of the hypervisor, from v1.12 on (reference E.4). */
import { block, field, flag, int, str, struct, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec } from '../types.ts';
import { byteSizeCodec, expressionCodec, sizeCodec } from './codecs.ts';
import { type KindRow, kindOf, plain } from './meta.ts';

const match = field('match', text(expressionCodec), 'Expression that selects.', { merge: 'copy' });
const volumeSelector = plain(
  'provisioning',
  'block.VolumeProvisioning',
  [plain('volumeSelector', 'block.VolumeSelector', [match], 'Which volumes.')],
  'What it is made of.',
);
const interval = field('interval', text(durationCodec), 'How often.');

const storageKinds: readonly KindRow[] = Object.freeze([
  {
    kind: 'ExternalVolumeConfig',
    group: 'block',
    since: 12,
    doc: 'A volume of the hypervisor.',
    name: 'Volume; mounted at /var/mnt/<name>.',
    fields: [
      field('filesystemType', str, 'Filesystem.', { values: ['virtiofs'] }),
      plain(
        'mount',
        'block.ExternalMountSpec',
        [
          flag('readOnly', 'Mount read-only.'),
          flag('disableAccessTime', 'No access times.'),
          flag('secure', 'Mount without setuid and device files.'),
          block('virtiofs', struct('block.VirtiofsMountSpec', [field('tag', str, 'Tag.')]), 'virtiofs.'),
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
    fields: [field('level', str, 'Level.'), field('metadata', str, 'Format.'), volumeSelector],
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
      field('type', str, 'Kind.'),
      field('mirrors', int('int'), 'Copies.'),
      field('stripes', int('int'), 'Stripes.'),
      plain(
        'provisioning',
        'block.LogicalVolumeProvisioning',
        [
          field('volumeGroup', str, 'Group.'),
          field('minSize', text(byteSizeCodec), 'Smallest size.', { merge: 'copy' }),
          field('maxSize', text(sizeCodec), 'Largest size.'),
        ],
        'Where and how large.',
      ),
    ],
  },
]);

export const poolDocuments: readonly DocumentSpec[] = Object.freeze(storageKinds.map(kindOf));
