/** Volume documents in detail (reference/network-config.md E.4; v1.11.3.md 11.1). */
import { describe, expect, test } from 'vitest';
import { errorsOf, type Section } from '../support.ts';

const of = (kind: string, fields: Section, version = 'v1.11.3'): string[] =>
  errorsOf(JSON.stringify({ apiVersion: 'v1alpha1', kind, ...fields }), { version });

const SELECTOR: Section = { diskSelector: { match: 'system_disk' } };
const user = (fields: Section, version?: string): string[] =>
  of('UserVolumeConfig', { name: 'data', provisioning: { ...SELECTOR, minSize: '1GB' }, ...fields }, version);

describe('system volumes', () => {
  test('the release decides which names exist', () => {
    expect(of('VolumeConfig', { name: 'ETCD' })).toEqual([
      'only ["STATE" "EPHEMERAL" "IMAGECACHE"] volumes are supported',
    ]);
    expect(of('VolumeConfig', { name: 'ETCD' }, 'v1.14.0')).toEqual([]);
  });

  test('the key of STATE cannot be locked to STATE', () => {
    const encryption = { provider: 'luks2', keys: [{ slot: 0, nodeID: {}, lockToState: true }] };
    expect(of('VolumeConfig', { name: 'STATE', encryption })).toEqual([
      'state-locked key is not allowed for the "STATE" volume',
    ]);
    expect(of('VolumeConfig', { name: 'EPHEMERAL', encryption })).toEqual([]);
  });

  test('mount options where there is a partition of its own', () => {
    const mount = { secure: true };
    expect(of('VolumeConfig', { name: 'STATE', mount }, 'v1.14.0')).toEqual([
      'mount config is not allowed for the "STATE" volume',
    ]);
    expect(of('VolumeConfig', { name: 'ETCD', mount }, 'v1.14.0')).toEqual([
      expect.stringContaining('only supported when it is provisioned onto a dedicated partition'),
    ]);
    expect(of('VolumeConfig', { name: 'EPHEMERAL', mount }, 'v1.14.0')).toEqual([]);
  });

  test('no encryption keys, an unknown provider, a slot twice, a key without a method', () => {
    const encrypted = (encryption: Section): string[] => of('VolumeConfig', { name: 'EPHEMERAL', encryption });
    expect(encrypted({ provider: 'luks2', keys: [] })).toEqual(['encryption keys are required']);
    expect(encrypted({ keys: [{ slot: 1, nodeID: {} }] })).toEqual(['unsupported encryption provider: none']);
    expect(
      encrypted({
        provider: 'luks2',
        keys: [
          { slot: 1, nodeID: {} },
          { slot: 1, tpm: {} },
        ],
      }),
    ).toEqual(['duplicate key slot 1']);
    expect(encrypted({ provider: 'luks2', keys: [{ slot: 2 }] })).toEqual([
      'at least one encryption key type must be specified for slot 2',
    ]);
  });
});

describe('user volumes', () => {
  test('filesystems', () => {
    expect(user({ filesystem: { type: 'ext4' } })).toEqual([]);
    expect(user({ filesystem: { type: 'vfat' } })).toEqual(['unsupported filesystem type: vfat']);
    expect(user({ filesystem: { type: 'ext4', projectQuotaSupport: true } })).toEqual([
      'project quota support is only available for xfs filesystem',
    ]);
    expect(user({ filesystem: { type: 'ext4', xfs: {} } }, 'v1.14.0')).toEqual([
      'xfs options are only available for xfs filesystem',
    ]);
  });

  test('sizes', () => {
    const sized = (sizes: Section, version?: string): string[] =>
      user({ provisioning: { ...SELECTOR, ...sizes } }, version);
    expect(sized({ minSize: '2GB', maxSize: '1GB' })).toEqual(['min size is greater than max size']);
    expect(sized({ minSize: '1GB', maxSize: '50%' }, 'v1.12.0')).toEqual([]);
    expect(sized({ minSize: '-1GB' }, 'v1.12.0')).toEqual(['min size cannot be negative']);
  });

  test('a disk is taken as a whole, a directory has none', () => {
    expect(user({ volumeType: 'disk', provisioning: SELECTOR }, 'v1.12.0')).toEqual([]);
    expect(user({ volumeType: 'disk' }, 'v1.12.0')).toEqual(['min size, max size and grow are not supported']);
    expect(of('UserVolumeConfig', { name: 'data', volumeType: 'directory' }, 'v1.12.0')).toEqual([]);
    expect(user({ volumeType: 'directory' }, 'v1.12.0')).toHaveLength(1);
    expect(user({ volumeType: 'cloud' }, 'v1.12.0')).toHaveLength(1);
  });
});

test('an existing volume is found by an expression over volumes', () => {
  const existing = (match: string): string[] =>
    of('ExistingVolumeConfig', { name: 'data', discovery: { volumeSelector: { match } } });
  expect(existing('')).toEqual(['volume selector is required']);
  expect(existing('volume.size')).toEqual([
    'volume selector is invalid: expression output type is uint, expected bool',
  ]);
});
