import { eventKind } from '../platform/log.ts';

/** Stage and readiness of the machine as MachineStatus has them. */
export const machineStatus = eventKind<{
  readonly stage: string;
  readonly ready: boolean;
  /** `name: reason` of what keeps it from being ready. */
  readonly unmet: readonly string[];
}>('node.machine.status');

/** The machine's name became known or changed. */
export const hostnameSet = eventKind<{ readonly hostname: string }>('node.hostname');

/** machined runs: once for each boot. */
export const booted = eventKind<{
  readonly version: string;
  readonly slot: string;
  /** State of the system disk: `blank`, `installed`. */
  readonly disk: string;
}>('node.boot');

export const sequenceEvent = eventKind<{
  readonly sequence: string;
  readonly action: 'START' | 'STOP' | 'NOOP';
  /** Why it failed; empty otherwise. */
  readonly error: string;
}>('node.sequence');

export const phaseEvent = eventKind<{
  readonly sequence: string;
  readonly phase: string;
  readonly action: 'START' | 'STOP';
}>('node.phase');

/** One line of the kernel log. */
export const kernelLog = eventKind<{ readonly line: string }>('node.kmsg');

/** Talos is on the disk; the machine reboots into it next. */
export const installed = eventKind<{
  readonly disk: string;
  readonly image: string;
  readonly slot: string;
}>('node.installed');

/** A machine config became active. */
export const configApplied = eventKind<{
  /** `maintenance`, `disk`, or the mode of the call. */
  readonly source: string;
  readonly machineType: string;
}>('node.config.applied');

/** A service changed its state, or its health flipped. */
export const serviceState = eventKind<{
  readonly service: string;
  readonly state: string;
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  readonly message: string;
}>('node.service');

/** What this machine's etcd membership is doing. */
export const etcdPhase = eventKind<{
  readonly phase:
    | 'waiting-to-join'
    | 'bootstrap-requested'
    | 'learner-added'
    | 'promoted'
    | 'promotion-given-up'
    | 'join-given-up'
    | 'left';
  /** 16 hexadecimal digits, empty when unknown. */
  readonly memberId: string;
}>('node.etcd.phase');

/** The local etcd answered a linearizable read: who it is. */
export const etcdMember = eventKind<{ readonly memberId: string }>('node.etcd.member');

export const vipAcquired = eventKind<{ readonly address: string; readonly link: string }>('node.vip.acquired');
export const vipReleased = eventKind<{ readonly address: string; readonly link: string; readonly why: string }>(
  'node.vip.released',
);

/** KubePrism started or stopped using an upstream. */
export const kubePrismUpstream = eventKind<{ readonly upstream: string; readonly usable: boolean }>(
  'node.kubeprism.upstream',
);
/** KubePrism has an upstream to offer, or none any more. */
export const kubePrismHealth = eventKind<{ readonly healthy: boolean }>('node.kubeprism.health');

/** What the kubelet is served as static pods changed. */
export const staticPods = eventKind<{ readonly pods: readonly string[] }>('node.static-pods');

/** KubeSpan sees another machine differently: `unknown`, `up` or `down`, before also empty; `endpoint` is where it is reached, or tried. */
export const kubeSpanPeer = eventKind<{
  readonly peer: string;
  readonly state: string;
  readonly before: string;
  readonly endpoint: string;
}>('node.kubespan.peer');

/** Members that discovery knows, by node name. */
export const membersChanged = eventKind<{ readonly members: readonly string[] }>('node.discovery.members');

export const timeSynced = eventKind<{ readonly synced: boolean }>('node.time.synced');

/** All bootstrap manifests exist in the cluster as this node sees it. */
export const manifestsApplied = eventKind<{ readonly created: number }>('node.manifests.applied');

/** The Node object of this machine, as the machine sees it. */
export const nodeStatus = eventKind<{ readonly node: string; readonly ready: boolean }>('node.kubernetes.node');
