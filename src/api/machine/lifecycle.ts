import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, int32, nested, string } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { Duration, Timestamp } from '../../rpc/well-known.ts';
import { envelope, Metadata } from './common.ts';

/** Configuration, boot, power and services (reference/lifecycle-api-cli.md E.3, package machine). */

export const ApplyMode = { Reboot: 0, Auto: 1, NoReboot: 2, Staged: 3, Try: 4 } as const;
export const ApplyConfigurationRequest = message('machine.ApplyConfigurationRequest', {
  data: bytes(1),
  mode: int32(4),
  dryRun: bool(5),
  tryModeTimeout: nested(6, Duration),
});
export type ApplyConfigurationRequest = MessageOf<typeof ApplyConfigurationRequest>;
export const ApplyConfiguration = message('machine.ApplyConfiguration', {
  metadata: nested(1, Metadata),
  warnings: repeated(string(2)),
  mode: int32(3),
  modeDetails: string(4),
});
export type ApplyConfiguration = MessageOf<typeof ApplyConfiguration>;
export const ApplyConfigurationResponse = envelope('machine.ApplyConfigurationResponse', ApplyConfiguration);

export const BootstrapRequest = message('machine.BootstrapRequest', {
  recoverEtcd: bool(1),
  recoverSkipHashCheck: bool(2),
});
export type BootstrapRequest = MessageOf<typeof BootstrapRequest>;
export const Bootstrap = message('machine.Bootstrap', { metadata: nested(1, Metadata) });
export const BootstrapResponse = envelope('machine.BootstrapResponse', Bootstrap);

export const RebootMode = { Default: 0, PowerCycle: 1, Force: 2 } as const;
export const RebootRequest = message('machine.RebootRequest', { mode: int32(1) });
export const Reboot = message('machine.Reboot', { metadata: nested(1, Metadata), actorId: string(2) });
export const RebootResponse = envelope('machine.RebootResponse', Reboot);

export const ShutdownRequest = message('machine.ShutdownRequest', { force: bool(1) });
export const Shutdown = message('machine.Shutdown', { metadata: nested(1, Metadata), actorId: string(2) });
export const ShutdownResponse = envelope('machine.ShutdownResponse', Shutdown);

export const WipeMode = { All: 0, SystemDisk: 1, UserDisks: 2 } as const;
export const ResetPartitionSpec = message('machine.ResetPartitionSpec', { label: string(1), wipe: bool(2) });
export const ResetRequest = message('machine.ResetRequest', {
  graceful: bool(1),
  reboot: bool(2),
  systemPartitionsToWipe: repeated(nested(3, ResetPartitionSpec)),
  userDisksToWipe: repeated(string(4)),
  mode: int32(5),
});
export type ResetRequest = MessageOf<typeof ResetRequest>;
export const Reset = message('machine.Reset', { metadata: nested(1, Metadata), actorId: string(2) });
export const ResetResponse = envelope('machine.ResetResponse', Reset);

export const UpgradeRequest = message('machine.UpgradeRequest', {
  image: string(1),
  preserve: bool(2),
  stage: bool(3),
  force: bool(4),
  rebootMode: int32(5),
});
export type UpgradeRequest = MessageOf<typeof UpgradeRequest>;
export const Upgrade = message('machine.Upgrade', {
  metadata: nested(1, Metadata),
  ack: string(2),
  actorId: string(3),
});
export const UpgradeResponse = envelope('machine.UpgradeResponse', Upgrade);

export const RollbackRequest = message('machine.RollbackRequest', {});
export const Rollback = message('machine.Rollback', { metadata: nested(1, Metadata) });
export const RollbackResponse = envelope('machine.RollbackResponse', Rollback);

export const ServiceEvent = message('machine.ServiceEvent', {
  msg: string(1),
  state: string(2),
  ts: nested(3, Timestamp),
});
export type ServiceEvent = MessageOf<typeof ServiceEvent>;
export const ServiceEvents = message('machine.ServiceEvents', { events: repeated(nested(1, ServiceEvent)) });
export const ServiceHealth = message('machine.ServiceHealth', {
  unknown: bool(1),
  healthy: bool(2),
  lastMessage: string(3),
  lastChange: nested(4, Timestamp),
});
export type ServiceHealth = MessageOf<typeof ServiceHealth>;
export const ServiceInfo = message('machine.ServiceInfo', {
  id: string(1),
  state: string(2),
  events: nested(3, ServiceEvents),
  health: nested(4, ServiceHealth),
});
export type ServiceInfo = MessageOf<typeof ServiceInfo>;
export const ServiceList = message('machine.ServiceList', {
  metadata: nested(1, Metadata),
  services: repeated(nested(2, ServiceInfo)),
});
export const ServiceListResponse = envelope('machine.ServiceListResponse', ServiceList);

export const ServiceStartRequest = message('machine.ServiceStartRequest', { id: string(1) });
export const ServiceStart = message('machine.ServiceStart', { metadata: nested(1, Metadata), resp: string(2) });
export const ServiceStartResponse = envelope('machine.ServiceStartResponse', ServiceStart);
export const ServiceStopRequest = message('machine.ServiceStopRequest', { id: string(1) });
export const ServiceStop = message('machine.ServiceStop', { metadata: nested(1, Metadata), resp: string(2) });
export const ServiceStopResponse = envelope('machine.ServiceStopResponse', ServiceStop);
export const ServiceRestartRequest = message('machine.ServiceRestartRequest', { id: string(1) });
export const ServiceRestart = message('machine.ServiceRestart', { metadata: nested(1, Metadata), resp: string(2) });
export const ServiceRestartResponse = envelope('machine.ServiceRestartResponse', ServiceRestart);

export const VersionInfo = message('machine.VersionInfo', {
  tag: string(1),
  sha: string(2),
  built: string(3),
  goVersion: string(4),
  os: string(5),
  arch: string(6),
});
export const PlatformInfo = message('machine.PlatformInfo', { name: string(1), mode: string(2) });
export const FeaturesInfo = message('machine.FeaturesInfo', { rbac: bool(1) });
export const Version = message('machine.Version', {
  metadata: nested(1, Metadata),
  version: nested(2, VersionInfo),
  platform: nested(3, PlatformInfo),
  features: nested(4, FeaturesInfo),
});
export type Version = MessageOf<typeof Version>;
export const VersionResponse = envelope('machine.VersionResponse', Version);

export const Hostname = message('machine.Hostname', { metadata: nested(1, Metadata), hostname: string(2) });
export const HostnameResponse = envelope('machine.HostnameResponse', Hostname);

export const GenerateClientConfigurationRequest = message('machine.GenerateClientConfigurationRequest', {
  roles: repeated(string(1)),
  crtTtl: nested(2, Duration),
});
export const GenerateClientConfiguration = message('machine.GenerateClientConfiguration', {
  metadata: nested(1, Metadata),
  ca: bytes(2),
  crt: bytes(3),
  key: bytes(4),
  talosconfig: bytes(5),
});
export const GenerateClientConfigurationResponse = envelope(
  'machine.GenerateClientConfigurationResponse',
  GenerateClientConfiguration,
);
