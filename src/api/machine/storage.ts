import { repeated } from '../../rpc/composite-fields.ts';
import { bool, int32, nested, string, uint64 } from '../../rpc/fields.ts';
import { message } from '../../rpc/message.ts';
import { envelope, Metadata } from './common.ts';

/** Disks of a machine (reference/lifecycle-api-cli.md E.3). */
export const DiskType = { Unknown: 0, Ssd: 1, Hdd: 2, Nvme: 3, Sd: 4, Cd: 5 } as const;
export const Disk = message('storage.Disk', {
  size: uint64(1),
  model: string(2),
  deviceName: string(3),
  name: string(4),
  serial: string(5),
  modalias: string(6),
  uuid: string(7),
  wwid: string(8),
  type: int32(9),
  busPath: string(10),
  systemDisk: bool(11),
  subsystem: string(12),
  readonly: bool(13),
});
export const Disks = message('storage.Disks', { metadata: nested(1, Metadata), disks: repeated(nested(2, Disk)) });
export const DisksResponse = envelope('storage.DisksResponse', Disks);

export const BlockDeviceWipeDescriptor = message('storage.BlockDeviceWipeDescriptor', {
  device: string(1),
  method: int32(2),
  skipVolumeCheck: bool(3),
  dropPartition: bool(4),
});
export const BlockDeviceWipeRequest = message('storage.BlockDeviceWipeRequest', {
  devices: repeated(nested(1, BlockDeviceWipeDescriptor)),
});
export const BlockDeviceWipe = message('storage.BlockDeviceWipe', { metadata: nested(1, Metadata) });
export const BlockDeviceWipeResponse = envelope('storage.BlockDeviceWipeResponse', BlockDeviceWipe);
