import { resourceKind } from '../../cosi/index.ts';

export interface ServiceSpec {
  readonly running: boolean;
  readonly healthy: boolean;
  readonly unknown: boolean;
}

/** Exists only while a service is Running (reference/controllers.md A.11). */
export const Services = resourceKind<ServiceSpec>('runtime', 'Services.v1alpha1.talos.dev', {
  aliases: ['svc'],
  columns: [
    { name: 'Running', jsonPath: '{.running}' },
    { name: 'Healthy', jsonPath: '{.healthy}' },
    { name: 'Health Unknown', jsonPath: '{.unknown}' },
  ],
});

export interface TimeStatusSpec {
  readonly synced: boolean;
  readonly epoch: number;
  readonly syncDisabled: boolean;
}

/** Id `node`. */
export const TimeStatuses = resourceKind<TimeStatusSpec>('runtime', 'TimeStatuses.v1alpha1.talos.dev', {
  columns: [{ name: 'Synced', jsonPath: '{.synced}' }],
});

export type MachineStage =
  | 'unknown'
  | 'booting'
  | 'installing'
  | 'maintenance'
  | 'running'
  | 'rebooting'
  | 'shutting down'
  | 'resetting'
  | 'upgrading';

export interface MachineStatusSpec {
  readonly stage: MachineStage;
  readonly status: {
    readonly ready: boolean;
    readonly unmetConditions: readonly { readonly name: string; readonly reason: string }[];
  };
}

/** Id `machine`. */
export const MachineStatuses = resourceKind<MachineStatusSpec>('runtime', 'MachineStatuses.runtime.talos.dev', {
  columns: [
    { name: 'Stage', jsonPath: '{.stage}' },
    { name: 'Ready', jsonPath: '{.status.ready}' },
  ],
});

export interface MountStatusSpec {
  readonly source: string;
  readonly target: string;
  readonly filesystemType: string;
}

/** Ids are volume names: `STATE`, `EPHEMERAL`. */
export const MountStatuses = resourceKind<MountStatusSpec>('runtime', 'MountStatuses.runtime.talos.dev', {
  aliases: ['mounts'],
  columns: [
    { name: 'Source', jsonPath: '{.source}' },
    { name: 'Target', jsonPath: '{.target}' },
    { name: 'Filesystem Type', jsonPath: '{.filesystemType}' },
  ],
});

export interface MetaKeySpec {
  readonly value: string;
}

/** Ids are tags in hex: `0x06`. */
export const MetaKeys = resourceKind<MetaKeySpec>('runtime', 'MetaKeys.runtime.talos.dev', {
  aliases: ['meta'],
  columns: [{ name: 'Value', jsonPath: '{.value}' }],
});

export interface VersionSpec {
  readonly version: string;
}

/** Id `version`. */
export const Versions = resourceKind<VersionSpec>('runtime', 'Versions.runtime.talos.dev', {
  columns: [{ name: 'Version', jsonPath: '{.version}' }],
});

export interface ExtensionStatusSpec {
  readonly metadata: { readonly name: string; readonly version: string; readonly author: string };
}

/** What the booted image holds beside Talos itself; ids count from 0. */
export const ExtensionStatuses = resourceKind<ExtensionStatusSpec>('runtime', 'ExtensionStatuses.runtime.talos.dev', {
  aliases: ['extensions'],
  columns: [
    { name: 'Name', jsonPath: '{.metadata.name}' },
    { name: 'Version', jsonPath: '{.metadata.version}' },
  ],
});

export interface DiagnosticSpec {
  readonly message: string;
  readonly details: readonly string[];
}

/** Ids are names of checks: `address-overlap`. */
export const Diagnostics = resourceKind<DiagnosticSpec>('runtime', 'Diagnostics.runtime.talos.dev', {
  columns: [
    { name: 'Message', jsonPath: '{.message}' },
    { name: 'Details', jsonPath: '{.details}' },
  ],
});

export interface MachineResetSignalSpec {
  readonly requested: boolean;
}

/** Id `machine`: a reset is on its way. */
export const MachineResetSignals = resourceKind<MachineResetSignalSpec>(
  'runtime',
  'MachineResetSignals.runtime.talos.dev',
);

export interface DiskSpec {
  readonly dev_path: string;
  readonly size: number;
  readonly pretty_size: string;
  readonly readonly: boolean;
  readonly transport: string;
  readonly rotational: boolean;
  readonly wwid: string;
  readonly model: string;
  readonly serial: string;
}

/** Ids are kernel names: `sda`. */
export const Disks = resourceKind<DiskSpec>('runtime', 'Disks.block.talos.dev', {
  columns: [
    { name: 'Size', jsonPath: '{.pretty_size}' },
    { name: 'Read Only', jsonPath: '{.readonly}' },
    { name: 'Transport', jsonPath: '{.transport}' },
    { name: 'Rotational', jsonPath: '{.rotational}' },
    { name: 'WWID', jsonPath: '{.wwid}' },
    { name: 'Model', jsonPath: '{.model}' },
    { name: 'Serial', jsonPath: '{.serial}' },
  ],
});

export interface DiscoveredVolumeSpec {
  readonly size: number;
  /** What was found on it: `gpt`, `xfs`, `vfat`, `talosmeta`; empty when nothing was. */
  readonly name: string;
  readonly label: string;
  readonly partition_label: string;
  readonly partition_index: number;
  readonly type: 'disk' | 'partition';
  readonly dev_path: string;
  readonly parent: string;
  readonly pretty_size: string;
}

/** Ids are kernel names of disks and partitions: `sda`, `sda1`. */
export const DiscoveredVolumes = resourceKind<DiscoveredVolumeSpec>('runtime', 'DiscoveredVolumes.block.talos.dev', {
  columns: [
    { name: 'Type', jsonPath: '{.type}' },
    { name: 'Size', jsonPath: '{.pretty_size}' },
    { name: 'Discovered', jsonPath: '{.name}' },
    { name: 'Label', jsonPath: '{.label}' },
    { name: 'PartitionLabel', jsonPath: '{.partition_label}' },
  ],
});

export interface SystemDiskSpec {
  readonly diskID: string;
  readonly devPath: string;
}

/** Id `system-disk`. */
export const SystemDisks = resourceKind<SystemDiskSpec>('runtime', 'SystemDisks.block.talos.dev', {
  columns: [{ name: 'Disk', jsonPath: '{.diskID}' }],
});

export interface VolumeStatusSpec {
  readonly phase: 'waiting' | 'failed' | 'missing' | 'located' | 'provisioned' | 'prepared' | 'ready' | 'closed';
  readonly type: 'partition' | 'directory';
  readonly location: string;
  readonly size: number;
  readonly prettySize: string;
}

export const VolumeStatuses = resourceKind<VolumeStatusSpec>('runtime', 'VolumeStatuses.block.talos.dev', {
  columns: [
    { name: 'Type', jsonPath: '{.type}' },
    { name: 'Phase', jsonPath: '{.phase}' },
    { name: 'Location', jsonPath: '{.location}' },
    { name: 'Size', jsonPath: '{.prettySize}' },
  ],
});

export interface EtcFileStatusSpec {
  readonly specVersion: string;
}

/** Ids are paths below /etc: `hosts`, `resolv.conf`, `machine-id`. */
export const EtcFileStatuses = resourceKind<EtcFileStatusSpec>('files', 'EtcFileStatuses.files.talos.dev');

export interface SystemInformationSpec {
  readonly manufacturer: string;
  readonly productName: string;
  readonly version: string;
  readonly serialnumber: string;
  readonly uuid: string;
  readonly wakeUpType: string;
  readonly skuNumber: string;
}

/** Id `systeminformation`. */
export const SystemInformations = resourceKind<SystemInformationSpec>(
  'hardware',
  'SystemInformations.hardware.talos.dev',
  {
    aliases: ['systeminformation'],
    columns: [
      { name: 'Manufacturer', jsonPath: '{.manufacturer}' },
      { name: 'ProductName', jsonPath: '{.productName}' },
      { name: 'Version', jsonPath: '{.version}' },
      { name: 'SerialNumber', jsonPath: '{.serialnumber}' },
      { name: 'UUID', jsonPath: '{.uuid}' },
      { name: 'WakeUpType', jsonPath: '{.wakeUpType}' },
      { name: 'SKUNumber', jsonPath: '{.skuNumber}' },
    ],
  },
);
