import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseComponentFlags } from '../../src/kube/component/flags.ts';
import { commandLine, environmentOf, expanded } from '../../src/kube/kubelet/pod-spec.ts';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import type { Process, Program } from '../../src/platform/containers.ts';
import { readWhole } from '../../src/platform/disk.ts';
import type { Task } from '../../src/platform/task.ts';
import { KubeCluster, SECOND } from './support/cluster.ts';

const facts = {
  pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [] } },
  nodeName: 'node',
  hostAddress: '10.0.0.21',
  podAddress: '10.244.1.2',
};

describe('environment and command line', () => {
  it('$(NAME) is replaced, $$ escapes, unknown names stay', () => {
    expect(expanded('a=$(A) $$(A) $(B)', { A: '1' })).toBe('a=1 $(A) $(B)');
  });

  it('fields of the pod, and earlier variables', () => {
    const entry = {
      name: 'c',
      image: 'i',
      args: ['--ip=$(IP)', '--url=$(URL)'],
      env: [
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'URL', value: 'http://$(IP)' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ],
    };
    const env = environmentOf(entry, facts);
    expect(env).toEqual({ HOSTNAME: 'p', IP: '10.244.1.2', URL: 'http://10.244.1.2', NODE: 'node' });
    expect(commandLine(entry, env)).toEqual(['c', '--ip=10.244.1.2', '--url=http://10.244.1.2']);
  });

  it('unknown flags are refused', () => {
    expect(parseComponentFlags(['kubelet', '--nope=1'], ['v'])).toBe('Error: unknown flag: --nope');
    expect(parseComponentFlags(['kubelet', '--v=2'], ['v'])).toEqual({ values: { v: '2' } });
  });
});

/** Ends at once with the code that its arguments say; `read` prints a file. */
const tester: Program = function* (process: Process): Task<number> {
  const [, verb, value = '0'] = process.argv;
  if (verb === 'exit') {
    yield* process.platform.clock.sleep(SECOND);
    return Number(value);
  }
  if (verb === 'read') {
    const bytes = yield* readWhole(process.platform.disk, value);
    process.print(bytes === undefined ? 'nothing' : new TextDecoder().decode(bytes));
  }
  yield* process.signals.receive();
  return 0;
};

describe('pods of all kinds', () => {
  let cluster: KubeCluster;
  beforeAll(() => {
    cluster = new KubeCluster({ workers: 1, images: { 'test/tester': () => tester } });
    cluster.bringUp();
  });
  afterAll(() => cluster.close());

  const start = (name: string, spec: object): void =>
    cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' }, spec });
  const container = (...command: string[]): object => ({
    name: 'c',
    image: 'test/tester:1',
    command: ['t', ...command],
  });
  const get = (name: string): KubeObject => JSON.parse(cluster.kubectl(`get pod ${name} -o json`).stdout) as KubeObject;
  const column = (name: string): string => cluster.kubectl(`get pod ${name} --no-headers`).stdout.split(/ {3,}/)[2]!;

  it('a pod that ends well has Succeeded, one that fails has Failed, and stays that', () => {
    start('good', { restartPolicy: 'Never', containers: [container('exit', '0')] });
    start('bad', { restartPolicy: 'Never', containers: [container('exit', '3')] });
    cluster.advance(30);
    expect(get('good').status).toMatchObject({ phase: 'Succeeded' });
    expect(get('bad').status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
    });
    expect([column('good'), column('bad')]).toEqual(['Completed', 'Error']);
  });

  it('a crashing container is started again at once, then after 10, 20, 40 s', () => {
    start('crash', { containers: [container('exit', '1')] });
    cluster.advance(110);
    const starts = cluster.events
      .filter(({ kind, source }) => kind === 'sim.process.started' && source.includes('crash_c'))
      .map(({ timeUs }) => timeUs);
    const restarts = (get('crash').status as { containerStatuses: { restartCount: number }[] }).containerStatuses[0]!;
    expect(restarts.restartCount).toBe(4);
    expect(column('crash')).toBe('CrashLoopBackOff');
    const gaps = starts.slice(1).map((atUs, i) => (atUs - starts[i]!) / SECOND);
    expect(gaps).toHaveLength(4);
    // A second of running and the start of the container come on top.
    [0, 10, 20, 40].forEach((seconds, i) => {
      expect(gaps[i]).toBeGreaterThan(seconds + 1);
      expect(gaps[i]).toBeLessThan(seconds + 5);
    });
  });

  it('a pod waits for its config map, then reads it', () => {
    start('reader', {
      containers: [{ ...container('read', '/etc/it/key'), volumeMounts: [{ name: 'it', mountPath: '/etc/it/' }] }],
      volumes: [{ name: 'it', configMap: { name: 'it' } }],
    });
    cluster.advance(30);
    expect(column('reader')).toBe('ContainerCreating');
    cluster.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'it', namespace: 'default' },
      data: { key: 'hello' },
    });
    cluster.advance(60);
    expect(column('reader')).toBe('Running');
    expect(cluster.container('worker-1', 'reader_c')!.logTail(1)).toEqual(['hello']);
  });

  it('an init container that fails keeps the pod', () => {
    start('init', { initContainers: [{ ...container('exit', '1'), name: 'i' }], containers: [container('run')] });
    cluster.advance(40);
    expect(column('init')).toBe('Init:CrashLoopBackOff');
    expect(get('init').status).toMatchObject({ phase: 'Pending' });
  });

  it('an image that does not exist', () => {
    start('typo', { containers: [{ name: 'c', image: 'test/typo:1' }] });
    cluster.advance(30);
    expect(column('typo')).toBe('ImagePullBackOff');
  });

  it('a probe that cannot be made keeps its container from starting, and says why', () => {
    const withProbe = (field: string, probe: object): object => ({ ...container('run'), [field]: probe });
    start('exec', { containers: [withProbe('livenessProbe', { exec: { command: ['true'] } })] });
    start('grpc', { containers: [withProbe('readinessProbe', { grpc: { port: 1 } })] });
    start('blank', { containers: [withProbe('startupProbe', { periodSeconds: 1 })] });
    cluster.advance(30);
    const waiting = (name: string): unknown =>
      (get(name).status as { containerStatuses: { state: { waiting?: unknown } }[] }).containerStatuses[0]!.state
        .waiting;
    const reason = 'CreateContainerConfigError';
    expect(waiting('exec')).toEqual({
      reason,
      message: 'livenessProbe of container "c": exec probes are not simulated; use httpGet or tcpSocket',
    });
    expect(waiting('grpc')).toEqual({
      reason,
      message: 'readinessProbe of container "c": grpc probes are not simulated; use httpGet or tcpSocket',
    });
    expect(waiting('blank')).toEqual({
      reason,
      message: 'startupProbe of container "c" says neither httpGet nor tcpSocket',
    });
    expect([column('exec'), column('grpc'), column('blank')]).toEqual([reason, reason, reason]);
  });

  it('an API server that hangs for a while: nodes stay ready, new pods still reach their kubelet', () => {
    const api = cluster.container('cp', 'kube-apiserver')!;
    api.signal('SIGSTOP');
    cluster.advance(35);
    api.signal('SIGCONT');
    cluster.advance(30);
    expect(cluster.readyNodes()).toEqual(new Set(['cp', 'worker-1']));
    start('late', { containers: [container('run')] });
    cluster.advance(30);
    expect(column('late')).toBe('Running');
  });

  it('a machine that comes back with an empty disk introduces itself again', () => {
    const before = cluster.seen('kube.kubelet.certified').length;
    cluster.world.machine('worker-1').powerOff();
    cluster.advance(10);
    cluster.world.machine('worker-1').powerOn();
    cluster.until(() => cluster.seen('kube.kubelet.certified').length > before, 120, 'certificate');
    cluster.advance(60);
    expect(cluster.readyNodes()).toEqual(new Set(['cp', 'worker-1']));
    expect(column('reader')).toBe('Running');
  });
});

describe('determinism', () => {
  it('the same seed gives the same digest', () => {
    const digest = (): string => {
      const cluster = new KubeCluster({ workers: 1, seed: 7 });
      cluster.bringUp();
      cluster.advance(60);
      const text = cluster.world.simulation.digest();
      cluster.close();
      return text;
    };
    expect(digest()).toBe(digest());
  });
});
