import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { KubeClient } from '../client/client.ts';
import { isTransient } from '../client/client.ts';
import { kubeletRegistered } from '../events.ts';
import { type Condition, conditionOf, conditionsOf, withCondition } from '../objects/conditions.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import { rfc3339 } from '../objects/time.ts';
import type { KubeletSettings } from './settings.ts';

const NODES = findResource('v1', 'nodes')!;
const LEASES = findResource('coordination.k8s.io/v1', 'leases')!;
const VERSION = 'v1.34.1';
/** nodeStatusUpdateFrequency, nodeStatusReportFrequency, and the period and length of the node lease. */
const STATUS_PERIOD_US = 10_000_000;
const REPORT_PERIOD_US = 300_000_000;
const LEASE_PERIOD_US = 10_000_000;
const LEASE_SECONDS = 40;
const REGISTER_FIRST_US = 100_000;
const REGISTER_MAX_US = 7_000_000;

const CNI_MISSING =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

/** The kubelet's own Node object: registration, status, lease. */
export class NodeAgent {
  readonly #platform: Platform;
  readonly #client: KubeClient;
  readonly #settings: KubeletSettings;
  /** True once a CNI configuration is there. */
  readonly #networkReady: () => boolean;
  #podCidr = '';

  constructor(platform: Platform, client: KubeClient, settings: KubeletSettings, networkReady: () => boolean) {
    this.#platform = platform;
    this.#client = client;
    this.#settings = settings;
    this.#networkReady = networkReady;
  }

  /** The node's part of the pod network, empty until it is assigned. */
  get podCidr(): string {
    return this.#podCidr;
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
        if (!isTransient(error)) throw error;
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
    };
    const node: KubeObject = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: nodeName, labels },
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
    const { clock } = this.#platform;
    let postedAtUs = Number.NEGATIVE_INFINITY;
    for (;;) {
      try {
        const node = yield* this.#client.get(NODES, undefined, this.#settings.nodeName);
        this.#podCidr = (node.spec as { podCIDR?: string } | undefined)?.podCIDR ?? '';
        const status = this.#status(node);
        const ready = conditionOf({ ...node, status }, 'Ready')!;
        const before = conditionOf(node, 'Ready');
        if (
          before?.status !== ready.status ||
          before.reason !== ready.reason ||
          clock.monotonicUs() - postedAtUs > REPORT_PERIOD_US
        ) {
          yield* this.#client.update(NODES, { ...node, status }, 'status');
          postedAtUs = clock.monotonicUs();
        }
      } catch (error) {
        if (error instanceof KubeError && error.reason === 'NotFound') yield* this.register();
        else if (!isTransient(error)) throw error;
      }
      yield* changed();
    }
  }

  #status(node: KubeObject | undefined): Readonly<Record<string, unknown>> {
    const { clock } = this.#platform;
    const now = rfc3339(clock.nowUs());
    const up = this.#networkReady();
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
        kubeletVersion: VERSION,
        osImage: 'Talos (v1.11.3)',
        kernelVersion: '6.12.52-talos',
        containerRuntimeVersion: 'containerd://2.1.4',
        architecture: 'amd64',
        operatingSystem: 'linux',
      },
    };
  }

  /** Renews the node's lease every ten seconds. */
  *renewLease(): Task<never> {
    const { clock } = this.#platform;
    for (;;) {
      try {
        yield* this.#renew();
      } catch (error) {
        if (!isTransient(error) && !(error instanceof KubeError)) throw error;
      }
      yield* clock.sleep(LEASE_PERIOD_US);
    }
  }

  *#renew(): Task<void> {
    const { nodeName } = this.#settings;
    const spec = {
      holderIdentity: nodeName,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: rfc3339(this.#platform.clock.nowUs(), true),
    };
    const current = yield* this.#client.find(LEASES, 'kube-node-lease', nodeName);
    if (current !== undefined) {
      yield* this.#client.update(LEASES, { ...current, spec });
      return;
    }
    const lease: KubeObject = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: nodeName, namespace: 'kube-node-lease' },
      spec,
    };
    yield* this.#client.create(LEASES, 'kube-node-lease', lease);
  }

  /** One period of the status loop. */
  statusPeriod(): Task<void> {
    return this.#platform.clock.sleep(STATUS_PERIOD_US);
  }
}
