import type { Platform } from '../../platform/platform.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import { isTransient } from '../client/client.ts';
import { kubeletRegistered } from '../events.ts';
import { type Condition, conditionOf, conditionsOf, withCondition } from '../objects/conditions.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import type { PodNetwork } from './pod-network.ts';
import type { KubeletSettings } from './settings.ts';

const NODES = findResource('v1', 'nodes')!;
/** nodeStatusUpdateFrequency and nodeStatusReportFrequency. */
const STATUS_PERIOD_US = 10_000_000;
const REPORT_PERIOD_US = 300_000_000;
const STATUS_ATTEMPTS = 5;
const REGISTER_FIRST_US = 100_000;
const REGISTER_MAX_US = 7_000_000;

const CNI_MISSING =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

/** The kubelet's own Node object: registration, status, lease. */
export class NodeAgent {
  readonly #platform: Platform;
  readonly #client: KubeClient;
  readonly #settings: KubeletSettings;
  readonly #release: string;
  readonly #network: PodNetwork;
  readonly #onRepeatedFailure: () => void;
  #nodeUid: string | undefined;
  #postedAtUs = Number.NEGATIVE_INFINITY;

  constructor(
    platform: Platform,
    client: KubeClient,
    settings: KubeletSettings,
    release: string,
    network: PodNetwork,
    onRepeatedFailure: () => void,
  ) {
    this.#platform = platform;
    this.#client = client;
    this.#settings = settings;
    this.#release = release;
    this.#network = network;
    this.#onRepeatedFailure = onRepeatedFailure;
  }

  /** Uid of the Node once it was seen. */
  get nodeUid(): string | undefined {
    return this.#nodeUid;
  }

  /** Tries until the Node exists. */
  *register(): Task<void> {
    const { clock, log } = this.#platform;
    let pauseUs = REGISTER_FIRST_US;
    for (;;) {
      try {
        yield* this.#create();
        log.event(kubeletRegistered, { node: this.#settings.nodeName });
        return;
      } catch (error) {
        if (!(error instanceof KubeError) && !isTransient(error)) throw error;
      }
      yield* clock.sleep(pauseUs);
      pauseUs = Math.min(REGISTER_MAX_US, pauseUs * 2);
    }
  }

  *#create(): Task<void> {
    const { nodeName, taints } = this.#settings;
    const labels = {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': nodeName,
      'kubernetes.io/os': 'linux',
      ...this.#settings.labels,
    };
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
    const node: KubeObject = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: nodeName, labels, annotations },
      spec: { taints: [...taints, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      status: this.#status(undefined),
    };
    try {
      yield* this.#client.create(NODES, undefined, node);
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    }
  }

  /** Posts the status when it changed, and every five minutes. */
  *reportStatus(changed: () => Task<void>): Task<never> {
    for (;;) {
      yield* this.#tryReport();
      yield* changed();
    }
  }

  /** Up to five attempts; from the second one in a row that fails, connections are taken for dead. */
  *#tryReport(): Task<void> {
    for (let attempt = 0; attempt < STATUS_ATTEMPTS; attempt++) {
      try {
        yield* this.#report();
        return;
      } catch (error) {
        if (error instanceof KubeError && error.reason === 'NotFound') yield* this.register();
        else if (!(error instanceof KubeError) && !isTransient(error)) throw error;
        if (attempt > 0) this.#onRepeatedFailure();
      }
    }
  }

  *#report(): Task<void> {
    const { clock } = this.#platform;
    const node = yield* this.#client.get(NODES, undefined, this.#settings.nodeName);
    this.#nodeUid = node.metadata.uid;
    this.#network.cidr = (node.spec as { podCIDR?: string } | undefined)?.podCIDR ?? '';
    const status = this.#status(node);
    const ready = conditionOf({ ...node, status }, 'Ready')!;
    const before = conditionOf(node, 'Ready');
    const same = before?.status === ready.status && before.reason === ready.reason;
    if (same && clock.monotonicUs() - this.#postedAtUs <= REPORT_PERIOD_US) return;
    yield* this.#client.update(NODES, { ...node, status }, 'status');
    this.#postedAtUs = clock.monotonicUs();
  }

  #status(node: KubeObject | undefined): Readonly<Record<string, unknown>> {
    const { clock } = this.#platform;
    const now = rfc3339(clock.nowUs());
    const up = this.#network.ready;
    const ready: Condition = {
      type: 'Ready',
      status: up ? 'True' : 'False',
      reason: up ? 'KubeletReady' : 'KubeletNotReady',
      message: up ? 'kubelet is posting ready status' : CNI_MISSING,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    const pressure = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map(
      (type): Condition => ({
        type,
        status: 'False',
        reason: `KubeletHasNo${type}`,
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      }),
    );
    let conditions = node === undefined ? [] : conditionsOf(node);
    for (const condition of [...pressure, ready]) conditions = withCondition(conditions, condition);
    const addresses = [
      ...this.#settings.nodeIps.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: this.#settings.nodeName },
    ];
    return {
      ...((node?.status ?? {}) as object),
      addresses,
      conditions,
      nodeInfo: {
        kubeletVersion: this.#release,
        osImage: 'Talos (v1.11.3)',
        kernelVersion: '6.12.52-talos',
        containerRuntimeVersion: 'containerd://2.1.4',
        architecture: 'amd64',
        operatingSystem: 'linux',
      },
    };
  }

  /** Period of the status loop. */
  statusPeriod(): Task<void> {
    return this.#platform.clock.sleep(STATUS_PERIOD_US);
  }
}
