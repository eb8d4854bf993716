import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterService, MachineService } from '../../src/api/machine/services.ts';
import {
  booted,
  configApplied,
  etcdMember,
  etcdPhase,
  installed,
  kubePrismHealth,
  machineStatus,
  manifestsApplied,
  sequenceEvent,
  serviceState,
  staticPods,
  vipAcquired,
} from '../../src/nodes/events.ts';
import { Members } from '../../src/nodes/resources/cluster.ts';
import { StaticPodStatuses, StaticPods } from '../../src/nodes/resources/k8s.ts';
import { MachineStatuses } from '../../src/nodes/resources/runtime.ts';
import { MINUTE_US, refusal, SECOND_US, TestCluster } from './cluster.ts';

/** reference/corrections.md, part 2: timelines (a) to (c), with everything that belongs to a cluster running. */
describe('three control planes and two workers, from blank disks to a cluster', () => {
  let cluster: TestCluster;
  /** When the Bootstrap call was answered. */
  let startUs: number;
  const seconds = (us: number): number => us / SECOND_US;

  beforeAll(() => {
    cluster = new TestCluster({ workers: 2, kubernetes: true });
    cluster.powerOn();
    cluster.install();
    cluster.advance(50 * SECOND_US);
  });

  afterAll(() => cluster.close());

  it('installs and reboots once', () => {
    for (const { name, role } of cluster.machines) {
      expect(cluster.matching(installed, { disk: '/dev/sda', slot: 'A' }, name)).toHaveLength(1);
      expect(cluster.seen(booted.name, name).map(({ fields }) => [fields.disk, fields.slot])).toEqual([
        ['blank', ''],
        ['installed', 'A'],
      ]);
      const applied = cluster.seen(configApplied.name, name).map(({ fields }) => [fields.source, fields.machineType]);
      expect(applied).toEqual([
        ['maintenance', role],
        ['disk', role],
      ]);
    }
  });

  it('runs its sequences to the end in order', () => {
    const sequences = cluster
      .seen(sequenceEvent.name, 'worker-1')
      .map(({ fields }) => `${fields.sequence} ${fields.action}`);
    expect(sequences).toEqual([
      'initialize START',
      'initialize STOP',
      'install START',
      'initialize START',
      'initialize STOP',
      'install START',
      'install STOP',
      'boot START',
      'boot STOP',
    ]);
  });

  it('waits for bootstrap: etcd in its pre state, everything else up, not ready', () => {
    const { messages } = cluster.api('10.0.0.10', MachineService.ServiceList, {});
    const states = Object.fromEntries(
      messages[0]!.services.map(({ id, state, health }) => [id, [state, health!.healthy]]),
    );
    expect(states.etcd).toEqual(['Preparing', false]);
    for (const id of ['apid', 'containerd', 'cri', 'kubelet', 'machined', 'trustd']) {
      expect([id, ...states[id]!]).toEqual([id, 'Running', true]);
    }
    const status = cluster.resource('cp-1', MachineStatuses, 'machine')!;
    expect(status.stage).toBe('booting');
    expect(status.status.ready).toBe(false);
    expect(status.status.unmetConditions.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'services: etcd not running',
      'nodeReady: node "cp-1" status is not available yet',
    ]);
    expect(cluster.resource('worker-1', MachineStatuses, 'machine')?.stage).toBe('running');
    expect(cluster.seen(vipAcquired.name)).toHaveLength(0);
    expect(cluster.seen(staticPods.name)).toHaveLength(0);
  });

  it('knows all five members through discovery before there is a cluster', () => {
    for (const { name } of cluster.machines) {
      const members = cluster.resources(name, Members);
      expect(members.map(({ id }) => id)).toEqual(['cp-1', 'cp-2', 'cp-3', 'worker-1', 'worker-2']);
      expect(members.map(({ spec }) => spec.addresses)).toEqual([
        ['10.0.0.10'],
        ['10.0.0.11'],
        ['10.0.0.12'],
        ['10.0.0.21'],
        ['10.0.0.22'],
      ]);
    }
  });

  it('has no API server behind KubePrism within a minute', () => {
    for (const { name } of cluster.machines) {
      expect([name, cluster.seen(kubePrismHealth.name, name).at(-1)?.fields.healthy]).toEqual([name, false]);
    }
  });

  it('bootstraps: etcd healthy 5 s after it started, at once static pods and the shared address', () => {
    startUs = cluster.bootstrap('cp-1');
    const messages = (): readonly unknown[] =>
      cluster.matching(serviceState, { service: 'etcd' }, 'cp-1').filter(({ timeUs }) => timeUs >= startUs - SECOND_US);
    cluster.until(() => messages().length >= 8, 30 * SECOND_US, 'etcd');
    const states = cluster
      .matching(serviceState, { service: 'etcd' }, 'cp-1')
      .filter(({ timeUs }) => timeUs >= startUs - SECOND_US)
      .map(({ fields }) => `${fields.state}: ${fields.message}`);
    expect(states[0]).toBe('Failed: Failed to run pre stage: context canceled');
    expect(states[1]).toBe('Finished: Bootstrap requested');
    expect(states[2]).toBe('Starting: Starting service');
    expect(states[3]).toMatch(/^Waiting: Waiting for /);
    expect(states.slice(4, 6)).toEqual(['Preparing: Running pre state', 'Preparing: Creating service runner']);
    expect(states[6]).toMatch(/^Running: Started task etcd \(PID \d+\) for container etcd$/);
    expect(states[7]).toBe('Running: Health check successful');

    const runningUs = cluster.awaitEvent(serviceState, { service: 'etcd', state: 'Running' }, 'cp-1', 0, startUs);
    const healthyUs = cluster.awaitEvent(serviceState, { service: 'etcd', health: 'healthy' }, 'cp-1', 0, startUs);
    expect(seconds(healthyUs - runningUs)).toBeCloseTo(5, 1);
    const vipUs = cluster.awaitEvent(vipAcquired, { address: '10.0.0.5' }, 'cp-1', SECOND_US);
    const podsUs = cluster.awaitEvent(staticPods, {}, 'cp-1', SECOND_US);
    cluster.awaitEvent(etcdMember, {}, 'cp-1', SECOND_US);
    expect(seconds(vipUs - healthyUs)).toBeLessThan(1);
    expect(seconds(podsUs - healthyUs)).toBeLessThan(1);
  });

  it('ends the boot of the bootstrapped machine at the call, before its etcd runs', () => {
    const bootUs = cluster.awaitEvent(sequenceEvent, { sequence: 'boot', action: 'STOP' }, 'cp-1', 0);
    expect(Math.abs(seconds(bootUs - startUs))).toBeLessThan(0.1);
  });

  it('lets the other control planes join as learners and promotes them', () => {
    for (const name of ['cp-2', 'cp-3']) {
      const learnerUs = cluster.awaitEvent(etcdPhase, { phase: 'learner-added' }, name, 2 * MINUTE_US);
      const promotedUs = cluster.awaitEvent(etcdPhase, { phase: 'promoted' }, name, 2 * MINUTE_US);
      expect(promotedUs).toBeGreaterThan(learnerUs);
      cluster.awaitService('etcd', name, MINUTE_US);
    }
    const [answer] = cluster.api('10.0.0.10', MachineService.EtcdMemberList, { queryLocal: true }).messages;
    expect(answer!.members.map(({ hostname, isLearner }) => [hostname, isLearner]).sort()).toEqual([
      ['cp-1', false],
      ['cp-2', false],
      ['cp-3', false],
    ]);
  });

  it('opens KubePrism 40 to 60 s after the first API server listens, and applies the manifests then', () => {
    const usableUs = cluster.awaitEvent(kubePrismHealth, { healthy: true }, 'cp-1', 3 * MINUTE_US, startUs);
    expect(seconds(usableUs - startUs)).toBeGreaterThan(45);
    expect(seconds(usableUs - startUs)).toBeLessThan(110);
    const appliedUs = cluster.awaitEvent(manifestsApplied, {}, 'cp-1', MINUTE_US);
    expect(seconds(appliedUs - usableUs)).toBeGreaterThan(-20);
    expect(seconds(appliedUs - usableUs)).toBeLessThan(65);
  });

  it('is running and ready everywhere within five minutes', () => {
    for (const { name } of cluster.machines) {
      cluster.awaitEvent(machineStatus, { stage: 'running', ready: true }, name, 5 * MINUTE_US, startUs);
    }
    expect(seconds(cluster.nowUs - startUs)).toBeLessThan(300);
  });

  it('renders three static pods on control planes, and none on workers', () => {
    const wanted = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
    expect(cluster.resources('cp-2', StaticPods).map(({ id }) => id)).toEqual(wanted);
    expect(cluster.resources('cp-2', StaticPodStatuses).map(({ id }) => id)).toEqual(
      wanted.map((name) => `kube-system/${name}-cp-2`),
    );
    expect(cluster.resources('worker-1', StaticPods)).toEqual([]);
  });

  it('lists the shared address first among the addresses of its holder', () => {
    const members = cluster.resources('worker-2', Members);
    expect(members.find(({ id }) => id === 'cp-1')?.spec.addresses).toEqual(['10.0.0.5', '10.0.0.10']);
    expect(members.find(({ id }) => id === 'cp-2')?.spec.addresses).toEqual(['10.0.0.11']);
  });

  it('is healthy, by its own account', () => {
    const request = { waitTimeout: null, clusterInfo: null };
    const settings = { limitUs: 21 * MINUTE_US };
    const lines = cluster
      .stream('10.0.0.11', ClusterService.HealthCheck, request, undefined, settings)
      .map(({ message }) => message);
    // The holder of the shared address is called by it: the first address of its member (1a-22).
    expect(lines[0]).toBe('discovered nodes: ["10.0.0.5" "10.0.0.11" "10.0.0.12" "10.0.0.21" "10.0.0.22"]');
    const passed = lines.filter((line) => line.endsWith(': OK')).map((line) => line.slice('waiting for '.length, -4));
    expect(passed).toEqual([
      'etcd to be healthy',
      'etcd members to be consistent across nodes',
      'etcd members to be control plane nodes',
      'apid to be ready',
      'all nodes memory sizes',
      'all nodes disk sizes',
      'no diagnostics',
      'kubelet to be healthy',
      'all nodes to finish boot sequence',
      'all k8s nodes to report',
      'all control plane static pods to be running',
      'all control plane components to be ready',
      'all k8s nodes to report ready',
      'kube-proxy to report ready',
      'coredns to report ready',
      'all k8s nodes to report schedulable',
    ]);
  });

  it('names the node that does not answer, and gives up on a check after five minutes', () => {
    const clusterInfo = {
      controlPlaneNodes: ['10.0.0.10', '10.0.0.11', '10.0.0.12'],
      workerNodes: ['10.0.0.77'],
      forceEndpoint: '',
    };
    const fromUs = cluster.nowUs;
    const lines: string[] = [];
    const error = refusal(() =>
      cluster.stream('10.0.0.10', ClusterService.HealthCheck, { waitTimeout: null, clusterInfo }, undefined, {
        limitUs: 21 * MINUTE_US,
        onMessage: ({ message }) => lines.push(message),
      }),
    );
    expect([error.status, error.message]).toEqual(['DeadlineExceeded', 'context deadline exceeded']);
    expect(seconds(cluster.nowUs - fromUs)).toBeGreaterThan(299);
    expect(seconds(cluster.nowUs - fromUs)).toBeLessThan(330);
    expect(lines.at(-1)).toMatch(
      /^waiting for apid to be ready: (context deadline exceeded|1 error occurred:\n\t\* 10\.0\.0\.77: )/,
    );
  });
});
