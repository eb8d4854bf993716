/** What expressions may name: variables with their fields, units, functions. */

/** Type of an expression: `bool`, `int`, `list(string)`, `map(string, int)`, the full name of a message, … */
export type CelType = string;

type Fields = Readonly<Record<string, CelType>>;

export interface CelEnv {
  readonly variables: Fields;
  /** Fields of the messages that variables may be, by full name. */
  readonly messages: Readonly<Record<string, Fields>>;
  /** Which of Talos' own functions there are. */
  readonly functions: readonly ('glob' | 'mac')[];
  /** Whether `GiB` and the like are known. */
  readonly hasUnits: boolean;
}

const DISK = 'talos.resource.definitions.block.DiskSpec';
const VOLUME = 'talos.resource.definitions.block.DiscoveredVolumeSpec';
const LINK = 'talos.resource.definitions.network.LinkStatusSpec';

const MESSAGES: Readonly<Record<string, Fields>> = Object.freeze({
  [DISK]: Object.freeze({
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
  [VOLUME]: Object.freeze({
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
  /** Enumerations are numbers here; parts that are messages themselves take any field. */
  [LINK]: Object.freeze({
    index: 'uint',
    type: 'int',
    link_index: 'uint',
    flags: 'uint',
    hardware_addr: 'bytes',
    broadcast_addr: 'bytes',
    mtu: 'uint',
    queue_disc: 'string',
    master_index: 'uint',
    operational_state: 'int',
    kind: 'string',
    slave_kind: 'string',
    bus_path: 'string',
    pciid: 'string',
    driver: 'string',
    driver_version: 'string',
    firmware_version: 'string',
    product_id: 'string',
    vendor_id: 'string',
    product: 'string',
    vendor: 'string',
    link_state: 'bool',
    speed_megabits: 'int',
    port: 'int',
    duplex: 'int',
    vlan: 'dyn',
    bridge_master: 'dyn',
    bond_master: 'dyn',
    wireguard: 'dyn',
    permanent_addr: 'bytes',
    alias: 'string',
    alt_names: 'list(string)',
    vrf_master: 'dyn',
  }),
});

/** Names for expressions that select a disk. */
export const diskEnv: CelEnv = Object.freeze({
  variables: Object.freeze({ disk: DISK, system_disk: 'bool' }),
  messages: MESSAGES,
  functions: Object.freeze(['glob' as const]),
  hasUnits: true,
});

/** Names for expressions that select a volume. */
export const volumeEnv: CelEnv = Object.freeze({
  variables: Object.freeze({ volume: VOLUME, disk: DISK }),
  messages: MESSAGES,
  functions: Object.freeze([]),
  hasUnits: true,
});

/** Names for expressions that select what a RAID array or a volume group is made of. */
export const memberEnv: CelEnv = Object.freeze({
  variables: Object.freeze({ volume: VOLUME, disk: DISK, volume_id: 'string' }),
  messages: MESSAGES,
  functions: Object.freeze(['glob' as const]),
  hasUnits: true,
});

/** Names for expressions that select a network link. */
export const linkEnv: CelEnv = Object.freeze({
  variables: Object.freeze({ link: LINK }),
  messages: MESSAGES,
  functions: Object.freeze(['glob' as const, 'mac' as const]),
  hasUnits: false,
});

/** Size units, all of type uint. */
export const CEL_UNITS: Readonly<Record<string, bigint>> = Object.freeze({
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
