/** What expressions may name: variables with their fields, units, functions. */

/** Type of an expression; `error` of a part is reported once and then agrees with everything. */
export type CelType = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'null' | 'list(string)' | 'list(dyn)' | 'dyn';

/** A message type: its full name and the types of its fields. */
export interface CelMessage {
  readonly name: string;
  readonly fields: Readonly<Record<string, CelType>>;
}

export interface CelEnv {
  readonly variables: Readonly<Record<string, CelType | CelMessage>>;
}

const disk: CelMessage = Object.freeze({
  name: 'talos.resource.definitions.block.DiskSpec',
  fields: Object.freeze({
    size: 'uint',
    io_size: 'uint',
    sector_size: 'uint',
    readonly: 'bool',
    model: 'string',
    serial: 'string',
    modalias: 'string',
    wwid: 'string',
    bus_path: 'string',
    sub_system: 'string',
    transport: 'string',
    rotational: 'bool',
    cdrom: 'bool',
    dev_path: 'string',
    pretty_size: 'string',
    secondary_disks: 'list(string)',
    uuid: 'string',
    symlinks: 'list(string)',
  }),
});

const volume: CelMessage = Object.freeze({
  name: 'talos.resource.definitions.block.DiscoveredVolumeSpec',
  fields: Object.freeze({
    size: 'uint',
    sector_size: 'uint',
    io_size: 'uint',
    name: 'string',
    uuid: 'string',
    label: 'string',
    block_size: 'uint',
    filesystem_block_size: 'uint',
    probed_size: 'uint',
    partition_uuid: 'string',
    partition_type: 'string',
    partition_label: 'string',
    partition_index: 'uint',
    type: 'string',
    device_path: 'string',
    parent: 'string',
    dev_path: 'string',
    parent_dev_path: 'string',
    pretty_size: 'string',
  }),
});

/** Names for expressions that select a disk. */
export const diskEnv: CelEnv = Object.freeze({ variables: Object.freeze({ disk, system_disk: 'bool' as const }) });

/** Names for expressions that select a volume. */
export const volumeEnv: CelEnv = Object.freeze({ variables: Object.freeze({ volume, disk }) });

/** Names for expressions that select what a RAID array or a volume group is made of. */
export const memberEnv: CelEnv = Object.freeze({
  variables: Object.freeze({ volume, disk, volume_id: 'string' as const }),
});

/** Size units, all of type uint. */
export const CEL_UNITS: Readonly<Record<string, bigint>> = Object.freeze({
  B: 1n,
  kB: 1_000n,
  MB: 1_000_000n,
  GB: 1_000_000_000n,
  TB: 1_000_000_000_000n,
  PB: 1_000_000_000_000_000n,
  EB: 1_000_000_000_000_000_000n,
  KiB: 1_024n,
  MiB: 1_048_576n,
  GiB: 1_073_741_824n,
  TiB: 1_099_511_627_776n,
  PiB: 1_125_899_906_842_624n,
  EiB: 1_152_921_504_606_846_976n,
});
