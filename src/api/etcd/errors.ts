import { RpcError, type StatusName } from '../../platform/rpc.ts';

/** An error that etcd's server answers with: its gRPC status and its exact text (reference/etcd.md A7.1). */
export interface EtcdErrorKind {
  readonly status: StatusName;
  readonly message: string;
}

function kind(status: StatusName, message: string): EtcdErrorKind {
  return Object.freeze({ status, message });
}

/**
 * Clients recognise errors by text, so the texts are part of the protocol. `MemberNotEnoughStarted` and
 * `TooManyRequests` travel as Unknown: the real server's table maps them to an object that is no gRPC status.
 */
export const EtcdError = Object.freeze({
  EmptyKey: kind('InvalidArgument', 'etcdserver: key is not provided'),
  KeyNotFound: kind('InvalidArgument', 'etcdserver: key not found'),
  ValueProvided: kind('InvalidArgument', 'etcdserver: value is provided'),
  LeaseProvided: kind('InvalidArgument', 'etcdserver: lease is provided'),
  TooManyOps: kind('InvalidArgument', 'etcdserver: too many operations in txn request'),
  DuplicateKey: kind('InvalidArgument', 'etcdserver: duplicate key given in txn request'),
  InvalidClientApiVersion: kind('InvalidArgument', 'etcdserver: invalid client api version'),
  InvalidSortOption: kind('InvalidArgument', 'etcdserver: invalid sort option'),
  Compacted: kind('OutOfRange', 'etcdserver: mvcc: required revision has been compacted'),
  FutureRev: kind('OutOfRange', 'etcdserver: mvcc: required revision is a future revision'),
  NoSpace: kind('ResourceExhausted', 'etcdserver: mvcc: database space exceeded'),
  LeaseNotFound: kind('NotFound', 'etcdserver: requested lease not found'),
  LeaseExist: kind('FailedPrecondition', 'etcdserver: lease already exists'),
  LeaseTtlTooLarge: kind('OutOfRange', 'etcdserver: too large lease TTL'),
  WatchCanceled: kind('Canceled', 'etcdserver: watch canceled'),
  MemberExist: kind('FailedPrecondition', 'etcdserver: member ID already exist'),
  PeerUrlExist: kind('FailedPrecondition', 'etcdserver: Peer URLs already exists'),
  MemberNotEnoughStarted: kind('Unknown', 'etcdserver: re-configuration failed due to not enough started members'),
  MemberBadUrls: kind('InvalidArgument', 'etcdserver: given member URLs are invalid'),
  MemberNotFound: kind('NotFound', 'etcdserver: member not found'),
  MemberNotLearner: kind('FailedPrecondition', 'etcdserver: can only promote a learner member'),
  LearnerNotReady: kind(
    'FailedPrecondition',
    'etcdserver: can only promote a learner member which is in sync with leader',
  ),
  TooManyLearners: kind('FailedPrecondition', 'etcdserver: too many learner members in cluster'),
  ClusterIdMismatch: kind('FailedPrecondition', 'etcdserver: cluster ID mismatch'),
  RequestTooLarge: kind('InvalidArgument', 'etcdserver: request is too large'),
  TooManyRequests: kind('Unknown', 'etcdserver: too many requests'),
  AuthNotEnabled: kind('FailedPrecondition', 'etcdserver: authentication is not enabled'),
  NoLeader: kind('Unavailable', 'etcdserver: no leader'),
  NotLeader: kind('FailedPrecondition', 'etcdserver: not leader'),
  LeaderChanged: kind('Unavailable', 'etcdserver: leader changed'),
  NotCapable: kind('FailedPrecondition', 'etcdserver: not capable'),
  Stopped: kind('Unavailable', 'etcdserver: server stopped'),
  Timeout: kind('Unavailable', 'etcdserver: request timed out'),
  TimeoutDueToLeaderFail: kind('Unavailable', 'etcdserver: request timed out, possibly due to previous leader failure'),
  TimeoutDueToConnectionLost: kind('Unavailable', 'etcdserver: request timed out, possibly due to connection lost'),
  TimeoutWaitAppliedIndex: kind(
    'Unavailable',
    'etcdserver: request timed out, waiting for the applied index took too long',
  ),
  Unhealthy: kind('Unavailable', 'etcdserver: unhealthy cluster'),
  Corrupt: kind('DataLoss', 'etcdserver: corrupt cluster'),
  NotSupportedForLearner: kind('FailedPrecondition', 'etcdserver: rpc not supported for learner'),
  BadLeaderTransferee: kind('FailedPrecondition', 'etcdserver: bad leader transferee'),
  WrongDowngradeVersionFormat: kind('InvalidArgument', 'etcdserver: wrong downgrade target version format'),
  InvalidDowngradeTargetVersion: kind('InvalidArgument', 'etcdserver: invalid downgrade target version'),
  ClusterVersionUnavailable: kind('FailedPrecondition', 'etcdserver: cluster version not found during downgrade'),
  DowngradeInProcess: kind('FailedPrecondition', 'etcdserver: cluster has a downgrade job in progress'),
  NoInflightDowngrade: kind('FailedPrecondition', 'etcdserver: no inflight downgrade job'),
  Canceled: kind('Canceled', 'etcdserver: request canceled'),
  DeadlineExceeded: kind('DeadlineExceeded', 'etcdserver: context deadline exceeded'),
  /** Outside the server's table, hence Unknown. */
  TimeoutLeaderTransfer: kind('Unknown', 'etcdserver: request timed out, leader transfer took too long'),
  NotPrimary: kind('Unknown', 'not a primary lessor'),
});

/** The error as it travels. */
export function rpcError(error: EtcdErrorKind): RpcError {
  return new RpcError(error.status, error.message);
}

/** Whether an error that a call ended with is this one; by text, as etcd's own clients tell. */
export function isEtcdError(error: unknown, wanted: EtcdErrorKind): boolean {
  return error instanceof RpcError && error.message === wanted.message;
}
