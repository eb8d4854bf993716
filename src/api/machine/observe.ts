import { repeated } from '../../rpc/composite-fields.ts';
import { bool, bytes, double, int32, int64, nested, string, uint32, uint64 } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { Any } from '../../rpc/well-known.ts';
import { envelope, Metadata } from './common.ts';

/** Logs, events, containers and numbers of a machine (reference/lifecycle-api-cli.md E.3, package machine). */

export const LogsRequest = message('machine.LogsRequest', {
  namespace: string(1),
  id: string(2),
  driver: int32(3),
  follow: bool(4),
  tailLines: int32(5),
});
export type LogsRequest = MessageOf<typeof LogsRequest>;
export const LogsContainer = message('machine.LogsContainer', {
  metadata: nested(1, Metadata),
  ids: repeated(string(2)),
});
export const LogsContainersResponse = envelope('machine.LogsContainersResponse', LogsContainer);
export const DmesgRequest = message('machine.DmesgRequest', { follow: bool(1), tail: bool(2) });
export type DmesgRequest = MessageOf<typeof DmesgRequest>;
export const ReadRequest = message('machine.ReadRequest', { path: string(1) });

export const EventsRequest = message('machine.EventsRequest', {
  tailEvents: int32(1),
  tailId: string(2),
  tailSeconds: int32(3),
  withActorId: string(4),
});
export type EventsRequest = MessageOf<typeof EventsRequest>;
export const Event = message('machine.Event', {
  metadata: nested(1, Metadata),
  data: nested(2, Any),
  id: string(3),
  actorId: string(4),
});
export type Event = MessageOf<typeof Event>;

export const ApiError = message('common.Error', {
  code: int32(1),
  message: string(2),
  details: repeated(nested(3, Any)),
});
export const SequenceAction = { Noop: 0, Start: 1, Stop: 2 } as const;
export const SequenceEvent = message('machine.SequenceEvent', {
  sequence: string(1),
  action: int32(2),
  error: nested(3, ApiError),
});
export const PhaseAction = { Start: 0, Stop: 1 } as const;
export const PhaseEvent = message('machine.PhaseEvent', { phase: string(1), action: int32(2) });
export const TaskEvent = message('machine.TaskEvent', { task: string(1), action: int32(2) });
export const ServiceAction = {
  Initialized: 0,
  Preparing: 1,
  Waiting: 2,
  Running: 3,
  Stopping: 4,
  Finished: 5,
  Failed: 6,
  Skipped: 7,
  Starting: 8,
} as const;
export const EventServiceHealth = message('machine.ServiceHealth', {
  unknown: bool(1),
  healthy: bool(2),
  lastMessage: string(3),
});
export const ServiceStateEvent = message('machine.ServiceStateEvent', {
  service: string(1),
  action: int32(2),
  message: string(3),
  health: nested(4, EventServiceHealth),
});
export const RestartEvent = message('machine.RestartEvent', { cmd: int64(1) });
export const ConfigLoadErrorEvent = message('machine.ConfigLoadErrorEvent', { error: string(1) });
export const AddressEvent = message('machine.AddressEvent', { hostname: string(1), addresses: repeated(string(2)) });
export const MachineStage = {
  Unknown: 0,
  Booting: 1,
  Installing: 2,
  Maintenance: 3,
  Running: 4,
  Rebooting: 5,
  ShuttingDown: 6,
  Resetting: 7,
  Upgrading: 8,
} as const;
export const UnmetCondition = message('machine.MachineStatusEvent.MachineStatus.UnmetCondition', {
  name: string(1),
  reason: string(2),
});
export const MachineStatus = message('machine.MachineStatusEvent.MachineStatus', {
  ready: bool(1),
  unmetConditions: repeated(nested(2, UnmetCondition)),
});
export const MachineStatusEvent = message('machine.MachineStatusEvent', {
  stage: int32(1),
  status: nested(2, MachineStatus),
});

export const ContainersRequest = message('machine.ContainersRequest', { namespace: string(1), driver: int32(2) });
export const ContainerInfo = message('machine.ContainerInfo', {
  namespace: string(1),
  id: string(2),
  image: string(3),
  pid: uint32(4),
  status: string(5),
  podId: string(6),
  name: string(7),
  networkNamespace: string(8),
  internalId: string(9),
  uid: string(10),
});
export const Container = message('machine.Container', {
  metadata: nested(1, Metadata),
  containers: repeated(nested(2, ContainerInfo)),
});
export const ContainersResponse = envelope('machine.ContainersResponse', Container);
export const RestartRequest = message('machine.RestartRequest', {
  namespace: string(1),
  id: string(2),
  driver: int32(3),
});
export const Restart = message('machine.Restart', { metadata: nested(1, Metadata) });
export const RestartResponse = envelope('machine.RestartResponse', Restart);

/** The first seven of forty-eight counters: those that the simulation has a value for. */
export const MemInfo = message('machine.MemInfo', {
  memtotal: uint64(1),
  memfree: uint64(2),
  memavailable: uint64(3),
  buffers: uint64(4),
  cached: uint64(5),
  shmem: uint64(21),
});
export const Memory = message('machine.Memory', { metadata: nested(1, Metadata), meminfo: nested(2, MemInfo) });
export const MemoryResponse = envelope('machine.MemoryResponse', Memory);

export const LoadAvg = message('machine.LoadAvg', {
  metadata: nested(1, Metadata),
  load1: double(2),
  load5: double(3),
  load15: double(4),
});
export const LoadAvgResponse = envelope('machine.LoadAvgResponse', LoadAvg);

export const FileInfo = message('machine.FileInfo', {
  metadata: nested(1, Metadata),
  name: string(2),
  size: int64(3),
  mode: uint32(4),
  modified: int64(5),
  isDir: bool(6),
  error: string(7),
  link: string(8),
  relativeName: string(9),
  uid: uint32(10),
  gid: uint32(11),
});
/** Values of `ListRequest.types`. */
export const FileType = Object.freeze({ Regular: 0, Directory: 1, Symlink: 2 });

export const ListRequest = message('machine.ListRequest', {
  root: string(1),
  recurse: bool(2),
  recursionDepth: int32(3),
  types: repeated(int32(4)),
  reportXattrs: bool(5),
});

export const MetaWriteRequest = message('machine.MetaWriteRequest', { key: uint32(1), value: bytes(2) });
export const MetaWrite = message('machine.MetaWrite', { metadata: nested(1, Metadata) });
export const MetaWriteResponse = envelope('machine.MetaWriteResponse', MetaWrite);
export const MetaDeleteRequest = message('machine.MetaDeleteRequest', { key: uint32(1) });
export const MetaDelete = message('machine.MetaDelete', { metadata: nested(1, Metadata) });
export const MetaDeleteResponse = envelope('machine.MetaDeleteResponse', MetaDelete);

export const ImagePullRequest = message('machine.ImagePullRequest', { namespace: int32(1), reference: string(2) });
export const ImagePull = message('machine.ImagePull', { metadata: nested(1, Metadata) });
export const ImagePullResponse = envelope('machine.ImagePullResponse', ImagePull);
