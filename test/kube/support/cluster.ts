import type { KubeObject } from '../../../src/kube/objects/object.ts';
import { findByName } from '../../../src/kube/objects/resources.ts';
import { kubectl } from '../../../src/lab/kubectl/kubectl.ts';
import { OperatorShell } from '../../../src/lab/tools/shell.ts';
import type { CommandOutput } from '../../../src/lab/tools/tool.ts';
import { Workspace } from '../../../src/lab/tools/workspace.ts';
import type { Process, Program } from '../../../src/platform/containers.ts';
import type { Task } from '../../../src/platform/task.ts';
import { timeServer } from '../../../src/services/time/server.ts';
import type { TraceEvent } from '../../../src/sim/trace.ts';
import { PROGRAMS } from '../../../src/world/program-set.ts';
import { World } from '../../../src/world/world.ts';
import { BOOTSTRAP_TOKEN, type Shared, supervise, type TestMachine } from './machine.ts';
import { Pki } from './pki.ts';
import { controlPlanePods } from './static-pods.ts';

const idle: Program = function* ({ signals }: Process): Task<number> {
  yield* signals.receive();
  return 0;
};

export const SECOND = 1_000_000;

/** A control plane `cp` and workers, with the real Kubernetes programs on machines that have no Talos. */
export class KubeCluster {
  readonly world: World;
  readonly events: TraceEvent[] = [];
  readonly shared: Shared = { pki: new Pki(), staticPods: controlPlanePods() };
  readonly files = new Workspace(() => undefined);
  readonly shell = new OperatorShell([kubectl], this.files, 'v1.11.3');
  readonly machines: readonly TestMachine[];

  constructor(options: { readonly workers?: number; readonly seed?: number; readonly images?: object } = {}) {
    const { workers = 1, seed = 1 } = options;
    this.machines = [
      { name: 'cp', address: '10.0.0.10', controlPlane: true },
      ...Array.from({ length: workers }, (_, i) => ({
        name: `worker-${i + 1}`,
        address: `10.0.0.${21 + i}`,
        controlPlane: false,
      })),
    ];
    this.world = new World(
      {
        seed: String(seed),
        talosVersion: 'v1.11.3',
        networks: [{ name: 'lan', cidr: '10.0.0.0/24', gateway: '10.0.0.1' }],
        machines: this.machines.map(({ name, address }) => ({
          name,
          address,
          network: 'lan',
          disks: [],
          cpuCount: 2,
          memoryBytes: 4_294_967_296,
          powered: true,
        })),
        digest: 'full',
        strictWire: false,
      },
      {
        images: { ...PROGRAMS.images, ...options.images },
        machined: () => (platform) => {
          const machine = this.machines.find(({ name }) => name === platform.hardware.label)!;
          return supervise(platform, machine, this.shared);
        },
        discovery: idle,
        time: timeServer,
        loadBalancer: idle,
        nameServer: () => idle,
      },
    );
    this.world.simulation.on(undefined, (event) => this.events.push(event));
    const admin = this.shared.pki.issue('admin', ['system:masters']);
    this.files.write('/root/.kube/config', this.shared.pki.kubeconfig('https://10.0.0.10:6443', admin));
    this.world.powerOn();
  }

  get nowUs(): number {
    return this.world.simulation.nowUs;
  }

  advance(seconds: number): void {
    this.world.simulation.runFor(seconds * SECOND);
    if (this.world.simulation.failure !== undefined) throw this.world.simulation.failure;
  }

  /** Lets time pass until `condition` holds; returns how long that took in microseconds. */
  until(condition: () => boolean, limitSeconds: number, what: string): number {
    const { simulation } = this.world;
    const fromUs = simulation.nowUs;
    const end = simulation.runUntil(condition, { untilUs: fromUs + limitSeconds * SECOND });
    if (simulation.failure !== undefined) throw simulation.failure;
    if (end !== 'reached')
      throw new Error(`${what}: ${end} after ${limitSeconds} s\n${this.kubectl('get pods -A').stdout}`);
    return simulation.nowUs - fromUs;
  }

  /** Runs a task on the operator's workstation to its end. */
  call<T>(body: (process: Process) => Task<T>, limitSeconds = 120): T {
    let result: { value: T } | { error: unknown } | undefined;
    this.world.operator.run({
      name: 'call',
      program: function* (process) {
        try {
          result = { value: yield* body(process) };
        } catch (error) {
          result = { error };
        }
        return 0;
      },
    });
    const { simulation } = this.world;
    simulation.runUntil(() => result !== undefined, { untilUs: simulation.nowUs + limitSeconds * SECOND });
    if (simulation.failure !== undefined) throw simulation.failure;
    if (result === undefined) throw new Error('the call did not end');
    if ('error' in result) throw result.error;
    return result.value;
  }

  /** One command line of kubectl. */
  kubectl(line: string): CommandOutput {
    return this.call(({ platform }) => this.shell.run(platform, ['kubectl', ...line.split(' ')]));
  }

  /** Objects of a type in all namespaces. */
  list(resource: string): readonly KubeObject[] {
    const { stdout } = this.kubectl(`get ${resource}${findByName(resource)!.namespaced ? ' -A' : ''} -o json`);
    return (JSON.parse(stdout) as { items: KubeObject[] }).items;
  }

  apply(...objects: readonly object[]): void {
    this.files.write('/root/lab/apply.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const output = this.kubectl('apply -f /root/lab/apply.yaml');
    if (output.exitCode !== 0) throw new Error(output.stderr);
  }

  /** The API server answers, and what kubelets need to introduce themselves is there. */
  bringUp(): void {
    this.until(() => this.seen('kube.apiserver.serving').length > 0, 120, 'API server');
    this.apply(...bootstrapObjects());
    this.until(() => this.readyNodes().size === this.machines.length, 180, 'nodes ready');
  }

  /** Names of nodes that an API server last saw ready. */
  readyNodes(): Set<string> {
    const ready = new Map<string, boolean>();
    for (const { fields } of this.seen('kube.node.changed')) {
      const { name, ready: is, deleted } = fields as { name: string; ready: boolean; deleted: boolean };
      ready.set(name, is && !deleted);
    }
    return new Set([...ready].filter(([, is]) => is).map(([name]) => name));
  }

  seen(kind: string): readonly TraceEvent[] {
    return this.events.filter((event) => event.kind === kind);
  }

  container(machine: string, id: string, namespace = 'k8s.io') {
    return this.world.machine(machine).containers?.find(namespace, id);
  }

  close(): void {
    this.world.close();
  }
}

const RBAC = 'rbac.authorization.k8s.io/v1';

function bootstrapObjects(): object[] {
  const [id, secret] = BOOTSTRAP_TOKEN.split('.');
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': id,
        'token-secret': secret,
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': 'system:bootstrappers:nodes',
      },
    },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system-bootstrap-node-bootstrapper' },
      subjects: [{ kind: 'Group', name: 'system:bootstrappers:nodes' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-flannel-cfg', namespace: 'kube-system' },
      data: { 'cni-conf.json': '{"name":"cbr0"}' },
    },
    daemonSet('kube-flannel', {
      hostNetwork: true,
      initContainers: [
        {
          name: 'install-config',
          image: 'ghcr.io/siderolabs/flannel:v0.27.4',
          command: ['cp'],
          args: ['-f', '/etc/kube-flannel/cni-conf.json', '/etc/cni/net.d/10-flannel.conflist'],
          volumeMounts: [
            { name: 'cni', mountPath: '/etc/cni/net.d' },
            { name: 'cfg', mountPath: '/etc/kube-flannel/' },
          ],
        },
      ],
      containers: [
        { name: 'kube-flannel', image: 'ghcr.io/siderolabs/flannel:v0.27.4', command: ['/opt/bin/flanneld'] },
      ],
      volumes: [
        { name: 'cni', hostPath: { path: '/etc/cni/net.d' } },
        { name: 'cfg', configMap: { name: 'kube-flannel-cfg' } },
      ],
    }),
  ];
}

export function daemonSet(name: string, spec: object): object {
  const labels = { 'k8s-app': name };
  const tolerations = [{ operator: 'Exists' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { tolerations, ...spec } } },
  };
}

export function deployment(name: string, replicas: number, spec: object): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
