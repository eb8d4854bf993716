import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import { daemonSet, deployment, KubeCluster, SECOND } from './support/cluster.ts';

const COREDNS = 'registry.k8s.io/coredns/coredns:v1.12.4';
const PAUSE = 'registry.k8s.io/pause:3.10';

function status(object: KubeObject | undefined): Record<string, unknown> {
  return (object?.status ?? {}) as Record<string, unknown>;
}

function conditionText(node: KubeObject | undefined, type: string): string {
  const list = status(node).conditions as readonly { type: string; status: string; reason: string }[];
  const found = list.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
}

describe('a control plane and two workers', () => {
  let cluster: KubeCluster;
  beforeAll(() => {
    cluster = new KubeCluster({ workers: 2 });
    cluster.bringUp();
  });
  afterAll(() => cluster.close());

  const pods = (label: string): KubeObject[] =>
    cluster.list('pods').filter((pod) => Object.values(pod.metadata.labels ?? {}).includes(label));
  const ready = (label: string): number =>
    pods(label).filter((pod) => conditionText(pod, 'Ready').startsWith('True')).length;

  it('nodes are certified, registered, ready', () => {
    expect(cluster.seen('kube.kubelet.certified')).toHaveLength(3);
    expect(cluster.seen('kube.kubelet.registered')).toHaveLength(3);
    const nodes = cluster.list('nodes');
    expect(nodes.map((node) => conditionText(node, 'Ready'))).toEqual(Array(3).fill('True KubeletReady'));
    const cidrs = nodes.map((node) => (node.spec as { podCIDR: string }).podCIDR);
    expect(new Set(cidrs).size).toBe(3);
    expect(nodes[0]!.spec).toMatchObject({ taints: [{ key: 'node-role.kubernetes.io/control-plane' }] });
  });

  it('mirror pods show the static pods and belong to the Node', () => {
    cluster.advance(30);
    const mirror = pods('kube-apiserver')[0]!;
    expect(mirror.metadata.name).toBe('kube-apiserver-cp');
    expect(mirror.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', name: 'cp' });
    expect(status(mirror)).toMatchObject({ phase: 'Running', podIP: '10.0.0.10' });
    expect(ready('kube-controller-manager') + ready('kube-scheduler')).toBe(2);
  });

  it('a daemon runs on every node, a deployment on workers with addresses of the pod network', () => {
    cluster.apply(
      daemonSet('proxy', { hostNetwork: true, containers: [{ name: 'proxy', image: PAUSE }] }),
      deployment('dns', 2, {
        containers: [
          {
            name: 'coredns',
            image: COREDNS,
            readinessProbe: { httpGet: { path: '/ready', port: 8181 } },
            livenessProbe: { httpGet: { path: '/health', port: 8080 }, initialDelaySeconds: 60 },
          },
        ],
      }),
    );
    cluster.advance(60);
    expect(ready('proxy')).toBe(3);
    expect(ready('dns')).toBe(2);
    const addresses = pods('dns').map((pod) => status(pod).podIP as string);
    expect(addresses.every((address) => address.startsWith('10.244.'))).toBe(true);
    expect(new Set(pods('dns').map((pod) => (pod.spec as { nodeName: string }).nodeName)).size).toBe(2);
    expect(cluster.kubectl('get deployments').stdout).toMatch(/dns {4}2\/2 {5}2 {12}2 {11}\d+s/);
  });

  it('a killed API server is started again, others wait longer after each crash', () => {
    cluster.container('cp', 'kube-apiserver')!.signal('SIGKILL');
    const firstUs = cluster.until(() => cluster.seen('kube.apiserver.serving').length === 2, 30, 'second start');
    expect(firstUs).toBeLessThan(15 * SECOND);
    cluster.container('cp', 'kube-apiserver')!.signal('SIGKILL');
    const secondUs = cluster.until(() => cluster.seen('kube.apiserver.serving').length === 3, 40, 'third start');
    expect(secondUs).toBeGreaterThan(10 * SECOND);
    cluster.advance(60);
    expect(status(pods('kube-apiserver')[0])).toMatchObject({ containerStatuses: [{ restartCount: 2 }] });
    expect(cluster.readyNodes().size).toBe(3);
  });

  it('a frozen controller-manager fails its liveness probe and is replaced', () => {
    const before = cluster.container('cp', 'kube-controller-manager')!;
    before.signal('SIGSTOP');
    cluster.until(() => before.info.state === 'exited', 140, 'killed');
    cluster.until(
      () => cluster.container('cp', 'kube-controller-manager')?.info.state === 'running',
      30,
      'started again',
    );
    cluster.advance(60);
  });

  it('pods outlive the kubelet, which takes them over', () => {
    const pids = (): (number | undefined)[] =>
      cluster.world
        .machine('worker-1')
        .containers!.list('k8s.io')
        .filter((info) => info.state === 'running')
        .map((info) => info.pid);
    const before = pids();
    expect(before.length).toBeGreaterThanOrEqual(3);
    cluster.container('worker-1', 'kubelet', 'system')!.signal('SIGKILL');
    cluster.advance(60);
    expect(pids()).toEqual(before);
    expect(cluster.readyNodes().size).toBe(3);
    expect(ready('dns')).toBe(2);
    expect(status(pods('dns')[0])).toMatchObject({ containerStatuses: [{ restartCount: 0 }] });
  });

  it('a deleted pod ends in order and its ReplicaSet makes another', () => {
    const [victim] = pods('dns');
    const output = cluster.kubectl(`delete pod ${victim!.metadata.name}`);
    expect(output.stdout).toBe(`pod "${victim!.metadata.name}" deleted from default namespace\n`);
    cluster.advance(40);
    expect(pods('dns').map((pod) => pod.metadata.name)).not.toContain(victim!.metadata.name);
    expect(ready('dns')).toBe(2);
  });

  it('a changed static pod replaces the running one and its mirror', () => {
    const [api, manager, scheduler] = cluster.shared.staticPods as [object, object, { spec: { containers: object[] } }];
    const changed = structuredClone(scheduler) as { spec: { containers: { command: string[] }[] } };
    changed.spec.containers[0]!.command.push('--v=2');
    const before = pods('kube-scheduler')[0]!.metadata.uid;
    cluster.shared.staticPods = [api, manager, changed];
    cluster.advance(90);
    const [mirror] = pods('kube-scheduler');
    expect(mirror!.metadata.uid).not.toBe(before);
    expect((mirror!.spec as { containers: { command: string[] }[] }).containers[0]!.command).toContain('--v=2');
    expect(ready('kube-scheduler')).toBe(1);
    cluster.shared.staticPods = [api, manager];
    cluster.advance(60);
    expect(pods('kube-scheduler')).toHaveLength(0);
    expect(cluster.container('cp', 'kube-scheduler')!.info.state).toBe('exited');
    cluster.shared.staticPods = [api, manager, scheduler];
    cluster.advance(60);
    expect(ready('kube-scheduler')).toBe(1);
  });

  it('a node without power is NotReady after about fifty seconds, its pods move after five minutes', () => {
    cluster.world.machine('worker-2').powerOff();
    const tookUs = cluster.until(() => !cluster.readyNodes().has('worker-2'), 120, 'NotReady');
    expect(tookUs).toBeGreaterThan(39 * SECOND);
    expect(tookUs).toBeLessThan(56 * SECOND);
    cluster.advance(5);
    const node = cluster.list('nodes').find(({ metadata }) => metadata.name === 'worker-2');
    expect(conditionText(node, 'Ready')).toBe('Unknown NodeStatusUnknown');
    expect(node!.spec).toMatchObject({
      taints: [
        { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
      ],
    });
    expect(ready('dns')).toBe(1);
    cluster.advance(330);
    expect(ready('dns')).toBe(2);
    expect(cluster.kubectl('get pods').stdout).toContain('Terminating');
  });

  it('a deleted deployment takes its pods with it', () => {
    expect(cluster.kubectl('delete deployment dns').stdout).toBe(
      'deployment.apps "dns" deleted from default namespace\n',
    );
    cluster.world.machine('worker-2').powerOn();
    cluster.advance(120);
    expect(pods('dns')).toHaveLength(0);
    expect(cluster.readyNodes().size).toBe(3);
  });
});
