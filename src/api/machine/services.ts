import { clientStream, serverStream, service, unary } from '../../rpc/service.ts';
import { Empty } from '../../rpc/well-known.ts';
import { HealthCheckProgress, HealthCheckRequest } from './cluster.ts';
import { Data } from './common.ts';
import * as etcd from './etcd.ts';
import { ControllerRuntimeDependenciesResponse } from './inspect.ts';
import * as life from './lifecycle.ts';
import * as observe from './observe.ts';
import { BlockDeviceWipeRequest, BlockDeviceWipeResponse, DisksResponse } from './storage.ts';
import { TimeRequest, TimeResponse } from './time.ts';

/** Services of a Talos machine on port 50000 (reference/lifecycle-api-cli.md E.2). Methods that no simulated tool calls are absent. */
export const MachineService = service('machine.MachineService', {
  ApplyConfiguration: unary(life.ApplyConfigurationRequest, life.ApplyConfigurationResponse),
  Bootstrap: unary(life.BootstrapRequest, life.BootstrapResponse),
  Containers: unary(observe.ContainersRequest, observe.ContainersResponse),
  Dmesg: serverStream(observe.DmesgRequest, Data),
  Events: serverStream(observe.EventsRequest, observe.Event),
  EtcdMemberList: unary(etcd.EtcdMemberListRequest, etcd.EtcdMemberListResponse),
  EtcdRemoveMemberByID: unary(etcd.EtcdRemoveMemberByIdRequest, etcd.EtcdRemoveMemberByIdResponse),
  EtcdLeaveCluster: unary(etcd.EtcdLeaveClusterRequest, etcd.EtcdLeaveClusterResponse),
  EtcdForfeitLeadership: unary(etcd.EtcdForfeitLeadershipRequest, etcd.EtcdForfeitLeadershipResponse),
  EtcdRecover: clientStream(Data, etcd.EtcdRecoverResponse),
  EtcdSnapshot: serverStream(etcd.EtcdSnapshotRequest, Data),
  EtcdAlarmList: unary(Empty, etcd.EtcdAlarmListResponse),
  EtcdAlarmDisarm: unary(Empty, etcd.EtcdAlarmDisarmResponse),
  EtcdDefragment: unary(Empty, etcd.EtcdDefragmentResponse),
  EtcdStatus: unary(Empty, etcd.EtcdStatusResponse),
  GenerateClientConfiguration: unary(life.GenerateClientConfigurationRequest, life.GenerateClientConfigurationResponse),
  Hostname: unary(Empty, life.HostnameResponse),
  ImagePull: unary(observe.ImagePullRequest, observe.ImagePullResponse),
  Kubeconfig: serverStream(Empty, Data),
  List: serverStream(observe.ListRequest, observe.FileInfo),
  LoadAvg: unary(Empty, observe.LoadAvgResponse),
  Logs: serverStream(observe.LogsRequest, Data),
  LogsContainers: unary(Empty, observe.LogsContainersResponse),
  Memory: unary(Empty, observe.MemoryResponse),
  MetaDelete: unary(observe.MetaDeleteRequest, observe.MetaDeleteResponse),
  MetaWrite: unary(observe.MetaWriteRequest, observe.MetaWriteResponse),
  Read: serverStream(observe.ReadRequest, Data),
  Reboot: unary(life.RebootRequest, life.RebootResponse),
  Reset: unary(life.ResetRequest, life.ResetResponse),
  Restart: unary(observe.RestartRequest, observe.RestartResponse),
  Rollback: unary(life.RollbackRequest, life.RollbackResponse),
  ServiceList: unary(Empty, life.ServiceListResponse),
  ServiceRestart: unary(life.ServiceRestartRequest, life.ServiceRestartResponse),
  ServiceStart: unary(life.ServiceStartRequest, life.ServiceStartResponse),
  ServiceStop: unary(life.ServiceStopRequest, life.ServiceStopResponse),
  Shutdown: unary(life.ShutdownRequest, life.ShutdownResponse),
  Upgrade: unary(life.UpgradeRequest, life.UpgradeResponse),
  Version: unary(Empty, life.VersionResponse),
});

export const ClusterService = service('cluster.ClusterService', {
  HealthCheck: serverStream(HealthCheckRequest, HealthCheckProgress),
});

export const InspectService = service('inspect.InspectService', {
  ControllerRuntimeDependencies: unary(Empty, ControllerRuntimeDependenciesResponse),
});

export const TimeService = service('time.TimeService', {
  Time: unary(Empty, TimeResponse),
  TimeCheck: unary(TimeRequest, TimeResponse),
});

export const StorageService = service('storage.StorageService', {
  Disks: unary(Empty, DisksResponse),
  BlockDeviceWipe: unary(BlockDeviceWipeRequest, BlockDeviceWipeResponse),
});
