import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { ContainerSpec } from '../../../src/platform/containers.ts';
import { parentOf } from '../../../src/platform/disk.ts';
import type { MachinePlatform } from '../../../src/platform/platform.ts';
import type { Task } from '../../../src/platform/task.ts';
import { serveHttp } from '../../../src/rpc/http/server.ts';
import type { Pki } from './pki.ts';

export const SECRETS = '/system/secrets/kube';
const KUBELET_IMAGE = 'ghcr.io/siderolabs/kubelet:v1.34.1';
const ETCD_IMAGE = 'gcr.io/etcd-development/etcd:v3.6.5';
const STATIC_PODS_PORT = 3_000;
const SHARED: readonly string[] = [
  '/var/lib/kubelet',
  '/var/log',
  '/etc/kubernetes',
  '/etc/cni',
  '/system/secrets',
  '/system/config',
  '/run',
];

export interface TestMachine {
  readonly name: string;
  readonly address: string;
  readonly controlPlane: boolean;
}

/** What a test can change about the machines while they run. */
export interface Shared {
  readonly pki: Pki;
  /** Static pods of control planes, as they are served. */
  staticPods: readonly object[];
}

export const BOOTSTRAP_TOKEN = 'abcdef.0123456789abcdef';

/** A machine with just enough of an operating system for a kubelet, and etcd on a control plane. */
export function* supervise(platform: MachinePlatform, machine: TestMachine, shared: Shared): Task<void> {
  platform.net.addAddress('eth0', `${machine.address}/24`);
  for (const path of SHARED) yield* platform.disk.makeDirectory(path);
  yield* writeFiles(platform, machine, shared.pki);
  if (machine.controlPlane) {
    platform.scope.spawn('etcd', () => keep(platform, etcdSpec(machine)));
    yield* serveHttp(platform, {
      address: '127.0.0.1',
      port: STATIC_PODS_PORT,
      *handler() {
        const list = { apiVersion: 'v1', kind: 'PodList', items: shared.staticPods };
        return { status: 200, body: utf8Encode(JSON.stringify(list)) };
      },
    });
  }
  yield* keep(platform, kubeletSpec(machine));
}

/** Runs a container for ever, as a service does. */
function* keep(platform: MachinePlatform, spec: ContainerSpec): Task<never> {
  yield* platform.containers.pull(spec.image);
  for (;;) {
    const container = yield* platform.containers.run(spec);
    yield* container.wait();
    yield* platform.clock.sleep(5_000_000);
  }
}

function kubeletSpec({ name, address }: TestMachine): ContainerSpec {
  return {
    id: 'kubelet',
    namespace: 'system',
    image: KUBELET_IMAGE,
    args: [
      '/usr/local/bin/kubelet',
      '--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubeconfig',
      '--cert-dir=/var/lib/kubelet/pki',
      '--config=/etc/kubernetes/kubelet.yaml',
      `--hostname-override=${name}`,
      '--kubeconfig=/etc/kubernetes/kubeconfig-kubelet',
      `--node-ip=${address}`,
    ],
    mounts: SHARED.map((path) => ({ source: path, destination: path })),
    network: 'host',
  };
}

function etcdSpec({ name }: TestMachine): ContainerSpec {
  return {
    id: 'etcd',
    namespace: 'system',
    image: ETCD_IMAGE,
    args: [
      'etcd',
      `--name=${name}`,
      '--data-dir=/var/lib/etcd',
      '--listen-peer-urls=http://127.0.0.1:2380',
      '--initial-advertise-peer-urls=http://127.0.0.1:2380',
      `--initial-cluster=${name}=http://127.0.0.1:2380`,
      '--listen-client-urls=https://127.0.0.1:2379',
      '--advertise-client-urls=https://127.0.0.1:2379',
      `--cert-file=${SECRETS}/server.crt`,
      `--key-file=${SECRETS}/server.key`,
      `--trusted-ca-file=${SECRETS}/ca.crt`,
      '--client-cert-auth=true',
    ],
    mounts: [{ source: '/system/secrets', destination: '/system/secrets' }],
    network: 'host',
  };
}

function* writeFiles(platform: MachinePlatform, machine: TestMachine, pki: Pki): Task<void> {
  const api = 'https://10.0.0.10:6443';
  const taints = machine.controlPlane
    ? 'registerWithTaints:\n- { key: node-role.kubernetes.io/control-plane, effect: NoSchedule }\n'
    : '';
  const url = machine.controlPlane ? `staticPodURL: http://127.0.0.1:${STATIC_PODS_PORT}\n` : '';
  const files: Record<string, string> = {
    '/etc/kubernetes/pki/ca.crt': pki.ca.crt,
    '/etc/kubernetes/bootstrap-kubeconfig': pki.kubeconfig(api, BOOTSTRAP_TOKEN),
    '/etc/kubernetes/kubelet.yaml': `${url}${taints}authentication: { x509: { clientCAFile: /etc/kubernetes/pki/ca.crt } }\n`,
  };
  if (machine.controlPlane) {
    const server = pki.issue('kube-apiserver', ['system:masters'], ['127.0.0.1', machine.address]);
    files[`${SECRETS}/ca.crt`] = pki.ca.crt;
    files[`${SECRETS}/ca.key`] = pki.ca.key;
    files[`${SECRETS}/server.crt`] = server.crt;
    files[`${SECRETS}/server.key`] = server.key;
    const local = 'https://127.0.0.1:6443';
    for (const user of ['system:kube-controller-manager', 'system:kube-scheduler'])
      files[`${SECRETS}/${user.slice('system:'.length)}`] = pki.kubeconfig(local, pki.issue(user, [user]));
  }
  for (const [path, text] of Object.entries(files)) {
    yield* platform.disk.makeDirectory(parentOf(path));
    const file = yield* platform.disk.open(path, { create: true, truncate: true });
    yield* file.write(0, utf8Encode(text));
    file.close();
  }
}
