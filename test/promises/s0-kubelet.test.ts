import { describe, expect, it } from 'vitest';
import { serviceState } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import {
  CONTROL_PLANES,
  CP_1,
  CP_2,
  CP_3,
  dmesg,
  edgesOf,
  firstWritten,
  flagsOf,
  kube,
  pick,
  resource,
  WORKER_1,
  WORKER_2,
  yamlFile,
} from './look.ts';

const KUBELET_YAML = '/etc/kubernetes/kubelet.yaml';
const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

const cluster = sharedCluster();

const NAMES: Readonly<Record<string, string>> = {
  [CP_1]: 'cp-1',
  [CP_2]: 'cp-2',
  [CP_3]: 'cp-3',
  [WORKER_1]: 'worker-1',
  [WORKER_2]: 'worker-2',
};

/** Command line that gives a machine its own config, with a change on top. */
function applyLine(node: string, patch?: object): string {
  cluster.write('change.yaml', JSON.stringify(patch));
  const file = CONTROL_PLANES.includes(node) ? 'controlplane.yaml' : 'worker.yaml';
  return `talosctl -n ${node} apply-config -f ${file} --config-patch @patches/${NAMES[node]}.yaml${patch === undefined ? '' : ' --config-patch @change.yaml'}`;
}

function change(node: string, patch?: object): void {
  cluster.ok(applyLine(node, patch));
  cluster.advance('1s');
}

/** How often the kubelet was started on a machine. */
function starts(name: string): number {
  return cluster.seen(serviceState, name).filter(({ fields }) => fields.message.startsWith('Started task kubelet'))
    .length;
}

describe('the kubelet', () => {
  it('comes about in three stages: config, spec, service', () => {
    const edges = edgesOf(cluster.ok(`talosctl -n ${CP_1} inspect dependencies`));
    const reads = (controller: string) => edges.filter(({ to }) => to === controller).map(({ from }) => from);
    for (const node of [CP_1, WORKER_1]) {
      expect(resource(cluster, node, 'kubeletconfig kubelet').metadata.owner).toBe('k8s.KubeletConfigController');
      expect(resource(cluster, node, 'kubeletspec kubelet').metadata.owner).toBe('k8s.KubeletSpecController');
      expect(cluster.ok(`talosctl -n ${node} service kubelet`)).toMatch(/STATE +Running\nHEALTH +OK/);
    }
    expect(reads('k8s.KubeletConfigController').sort()).toEqual([
      'MachineConfigs.config.talos.dev',
      'StaticPodServerStatuses.kubernetes.talos.dev',
    ]);
    expect(reads('k8s.KubeletSpecController')).toContain('KubeletConfigs.kubernetes.talos.dev');
    expect(reads('k8s.KubeletServiceController')).toContain('KubeletSpecs.kubernetes.talos.dev');
  });

  it('is told the URL of the static pod server by the server itself', () => {
    for (const node of [CP_3, WORKER_2]) {
      const url = pick<string>(resource(cluster, node, 'staticpodserverstatus').spec, 'url');
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(resource(cluster, node, 'kubeletconfig kubelet').spec).toMatchObject({ staticPodListURL: url });
      expect(resource(cluster, node, 'kubeletspec kubelet').spec).toMatchObject({ config: { staticPodURL: url } });
    }
  });

  it('lets nobody in anonymously, rotates certificates, keeps kernel settings, needs TLS 1.3 and reserves resources', () => {
    const common = {
      kind: 'KubeletConfiguration',
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
      authorization: { mode: 'Webhook' },
      rotateCertificates: true,
      protectKernelDefaults: true,
      tlsMinVersion: 'VersionTLS13',
    };
    const reserved = { cpu: '50m', 'ephemeral-storage': '256Mi', pid: '100' };
    expect(yamlFile(cluster, CP_1, KUBELET_YAML)).toMatchObject({
      ...common,
      systemReserved: { ...reserved, memory: '512Mi' },
    });
    expect(yamlFile(cluster, WORKER_1, KUBELET_YAML)).toMatchObject({
      ...common,
      systemReserved: { ...reserved, memory: '384Mi' },
    });
    const anonymous = { machine: { kubelet: { extraConfig: { authentication: { anonymous: { enabled: true } } } } } };
    expect(cluster.refused(applyLine(WORKER_1, anonymous))).toContain("can't be overridden");
  });

  it('has its files written by Talos and introduces itself with the bootstrap token', () => {
    const kubeconfig = yamlFile(cluster, WORKER_1, '/etc/kubernetes/bootstrap-kubeconfig');
    expect(pick(kubeconfig, 'clusters', 0, 'cluster', 'server')).toBe('https://127.0.0.1:7445');
    const token = pick<string>(kubeconfig, 'users', 0, 'user', 'token');
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(cluster.ok(`talosctl -n ${WORKER_1} read /etc/kubernetes/pki/ca.crt`)).toContain('BEGIN CERTIFICATE');
    expect(cluster.ok('kubectl get csr')).toContain(`system:bootstrap:${token.slice(0, 6)}`);
    expect(cluster.ok(`talosctl -n ${WORKER_1} read ${CERTIFICATE}`)).toContain('BEGIN CERTIFICATE');
  });

  it('is started anew with each change of its spec, and is given credential providers', () => {
    const before = starts('worker-1');
    const providers = {
      apiVersion: 'kubelet.config.k8s.io/v1',
      kind: 'CredentialProviderConfig',
      providers: [{ name: 'ecr-credential-provider', matchImages: ['*.example.org'], defaultCacheDuration: '12h' }],
    };
    const path = '/etc/kubernetes/kubelet-credentialproviderconfig.yaml';
    cluster.refused(`talosctl -n ${WORKER_1} read ${path}`);
    change(WORKER_1, { machine: { kubelet: { credentialProviderConfig: providers } } });
    cluster.until(`talosctl -n ${WORKER_1} service kubelet`, /STATE +Running\nHEALTH +OK/);
    expect(starts('worker-1')).toBe(before + 1);
    expect(yamlFile(cluster, WORKER_1, path)).toEqual(providers);
    const { args } = resource(cluster, WORKER_1, 'kubeletspec kubelet').spec as { readonly args: readonly string[] };
    expect(flagsOf(args)).toMatchObject({
      'image-credential-provider-config': path,
      'image-credential-provider-bin-dir': '/usr/local/lib/kubelet/credentialproviders',
    });
    change(WORKER_1, { machine: { nodeLabels: { 'no-change': 'of-the-kubelet' } } });
    cluster.until(`talosctl -n ${WORKER_1} service kubelet`, /STATE +Running\nHEALTH +OK/);
    expect(starts('worker-1')).toBe(before + 2);
    cluster.refused(`talosctl -n ${WORKER_1} read ${path}`);
  });

  it('reads pods of the user from a directory only where the config allows that, and the control plane from the URL', () => {
    expect(yamlFile(cluster, CP_2, KUBELET_YAML)).not.toHaveProperty('staticPodPath');
    change(CP_2, { machine: { kubelet: { disableManifestsDirectory: false } } });
    cluster.until(`talosctl -n ${CP_2} service kubelet`, /STATE +Running\nHEALTH +OK/);
    const url = pick<string>(resource(cluster, CP_2, 'staticpodserverstatus').spec, 'url');
    expect(yamlFile(cluster, CP_2, KUBELET_YAML)).toMatchObject({
      staticPodPath: '/etc/kubernetes/manifests',
      staticPodURL: url,
    });
  });

  it('whose certificate is for another name drops it and introduces itself anew; names are short unless asked for', () => {
    const before = cluster.ok(`talosctl -n ${WORKER_2} read ${CERTIFICATE}`);
    expect(pick(resource(cluster, WORKER_2, 'nodename nodename').spec, 'nodename')).toBe('worker-2');
    const requests = () => pick<unknown[]>(kube(cluster, 'csr'), 'items').length;
    const introduced = requests();
    change(WORKER_2, { machine: { network: { hostname: 'edge-7.example.org' } } });
    expect(pick(resource(cluster, WORKER_2, 'nodename nodename').spec, 'nodename')).toBe('edge-7');
    cluster.until('kubectl get nodes', /^edge-7 +Ready/m);
    expect(dmesg(cluster, WORKER_2).join('\n')).toContain('removing kubelet client certificate');
    expect(cluster.ok(`talosctl -n ${WORKER_2} read ${CERTIFICATE}`)).not.toBe(before);
    expect(requests()).toBe(introduced + 1);
    change(WORKER_2, {
      machine: { network: { hostname: 'edge-7.example.org' }, kubelet: { registerWithFQDN: true } },
    });
    cluster.until('kubectl get nodes', /^edge-7\.example\.org +Ready/m);
    expect(requests()).toBe(introduced + 2);
    // Whose name did not change kept what it had.
    expect(dmesg(cluster, CP_2).join('\n')).not.toContain('removing kubelet client certificate');
  });
});

describe('the Node of a machine', () => {
  it('has the taint of a control plane from its first revision, so that no pod can slip in', () => {
    for (const name of ['cp-1', 'cp-2', 'cp-3']) {
      const first = firstWritten(cluster, `/registry/minions/${name}`);
      expect(pick(first, 'spec', 'taints')).toContainEqual(TAINT);
    }
    expect(JSON.stringify(pick(kube(cluster, 'node worker-1'), 'spec'))).not.toContain(TAINT.key);
  });

  it('of a control plane takes pods when the config allows scheduling there', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'visitor' },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': 'cp-3' },
        containers: [{ name: 'visitor', image: 'registry.k8s.io/pause:3.10' }],
      },
    };
    cluster.write('visitor.yaml', JSON.stringify(pod));
    cluster.ok('kubectl apply -f visitor.yaml');
    cluster.advance('30s');
    expect(cluster.ok('kubectl get pods')).toMatch(/visitor +0\/1 +Pending/);
    expect(yamlFile(cluster, CP_3, KUBELET_YAML)).toMatchObject({ registerWithTaints: [TAINT] });
    change(CP_3, { cluster: { allowSchedulingOnControlPlanes: true } });
    expect(yamlFile(cluster, CP_3, KUBELET_YAML)).not.toHaveProperty('registerWithTaints');
    cluster.until('kubectl get pods', /visitor +1\/1 +Running/);
    expect(kube(cluster, 'node cp-3')).not.toMatchObject({ spec: { taints: [TAINT] } });
  });

  it('has as its address the first routed one that is neither virtual nor of the cluster itself', () => {
    expect(resource(cluster, CP_1, 'nodeaddress routed-no-k8s').spec).toMatchObject({
      addresses: ['10.0.0.5/32', '10.0.0.10/24'],
    });
    const nodeIp = (node: string) => {
      const { args } = resource(cluster, node, 'kubeletspec kubelet').spec as { readonly args: readonly string[] };
      return flagsOf(args)['node-ip'];
    };
    expect(resource(cluster, CP_1, 'nodeip kubelet').spec).toEqual({ addresses: ['10.0.0.10'] });
    expect(nodeIp(CP_1)).toBe('10.0.0.10');
    change(WORKER_1, {
      machine: { network: { interfaces: [{ interface: 'eth0', dhcp: true, addresses: ['9.9.9.1/24'] }] } },
      cluster: { network: { podSubnets: ['9.9.9.0/24'] } },
    });
    cluster.advance('10s');
    expect(resource(cluster, WORKER_1, 'nodeaddress routed').spec).toMatchObject({
      addresses: ['9.9.9.1/24', '10.0.0.21/24'],
    });
    expect(resource(cluster, WORKER_1, 'nodeip kubelet').spec).toEqual({ addresses: ['10.0.0.21'] });
    expect(nodeIp(WORKER_1)).toBe('10.0.0.21');
  });

  it('carries the labels, annotations and taints of the config, and loses those that the config loses', () => {
    change(WORKER_1, {
      machine: {
        nodeLabels: { team: 'blue' },
        nodeAnnotations: { note: 'mine' },
        nodeTaints: { dedicated: 'db:NoSchedule' },
      },
    });
    cluster.until('kubectl get node worker-1 -o yaml', 'team: blue');
    expect(kube(cluster, 'node worker-1')).toMatchObject({
      metadata: { labels: { team: 'blue' }, annotations: { note: 'mine', 'talos.dev/owned-labels': '["team"]' } },
      spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] },
    });
    cluster.ok('kubectl label node worker-1 own=label');
    change(WORKER_1);
    cluster.until('kubectl get node worker-1 -o yaml', /^(?![\s\S]*team: blue)/);
    const node = kube(cluster, 'node worker-1');
    expect(pick(node, 'metadata', 'labels')).toMatchObject({ own: 'label' });
    expect(pick(node, 'metadata', 'annotations')).not.toHaveProperty('note');
    expect(pick<unknown[] | undefined>(node, 'spec', 'taints') ?? []).toEqual([]);
  });

  it('is cordoned while the machine is upgraded and uncordoned afterwards', () => {
    cluster.ok(`talosctl -n ${WORKER_1} upgrade --wait=false -i ghcr.io/siderolabs/installer:v1.11.3`);
    cluster.until('kubectl get nodes', /worker-1 +Ready,SchedulingDisabled/);
    expect(kube(cluster, 'node worker-1')).toMatchObject({
      metadata: { annotations: { 'talos.dev/cordoned': 'true' } },
      spec: { unschedulable: true },
    });
    cluster.until('kubectl get nodes', /worker-1 +Ready {2}/);
    expect(pick(kube(cluster, 'node worker-1'), 'metadata', 'annotations')).not.toHaveProperty('talos.dev/cordoned');
  });
});
