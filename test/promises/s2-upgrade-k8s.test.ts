import { describe, expect, it } from 'vitest';
import { apiServing, kubeletRegistered } from '../../src/kube/events.ts';
import { configApplied } from '../../src/nodes/events.ts';
import { sharedCluster } from './cluster.ts';
import { CONTROL_PLANES, kube, pick, resource, WORKER_1 } from './look.ts';

const ALL = [...CONTROL_PLANES, WORKER_1];
const UPGRADE = 'talosctl upgrade-k8s';

/** A cluster of 1.30.8, which has been shown the plan once: the images are there. */
describe('an upgrade of Kubernetes', () => {
  const cluster = sharedCluster({ scenario: 'upgrade-kubernetes', through: 'plan' });
  const plan = (to: string, ...flags: string[]): readonly string[] =>
    cluster
      .ok([UPGRADE, '--to', to, ...flags].join(' '))
      .trimEnd()
      .split('\n');

  function versions(): Record<string, string> {
    const { items } = kube(cluster, 'nodes') as { items: readonly unknown[] };
    return Object.fromEntries(
      items.map((node) => [pick(node, 'metadata', 'name'), pick(node, 'status', 'nodeInfo', 'kubeletVersion')]),
    );
  }

  it('the version of a component is that of its image, and Nodes and the API server say so', () => {
    const everywhere = (version: string): object => ({
      'cp-1': version,
      'cp-2': version,
      'cp-3': version,
      'worker-1': version,
    });
    expect(versions()).toEqual(everywhere('v1.30.8'));
    expect(cluster.ok('kubectl version')).toContain('Server Version: v1.30.8');
    const pods = kube(cluster, 'pods -n kube-system') as { items: readonly unknown[] };
    const images = pods.items.map((pod) => pick<string>(pod, 'spec', 'containers', 0, 'image'));
    const ours = images.filter((image) => image.startsWith('registry.k8s.io/kube-'));
    expect(ours).toHaveLength(3 * 3 + 4);
    for (const image of ours) expect(image).toMatch(/:v1\.30\.8$/);
  });

  it('a dry run prints the plan, component by component and node by node, and changes nothing', () => {
    const before = CONTROL_PLANES.map((node) => resource(cluster, node, 'apiserverconfig kube-apiserver').metadata);
    const lines = plan('1.31.4', '--dry-run');
    const steps = (title: string, line: string | undefined, nodes: readonly string[]): string[] => [
      title,
      ...nodes.flatMap((node) => [
        ` > "${node}": starting update`,
        ...(line === undefined ? [] : [` > update ${line} -> 1.31.4`]),
        ' > skipped in dry-run',
      ]),
    ];
    const compatible = lines.filter((line) => line.includes('is compatible with'));
    expect(compatible.toSorted()).toEqual(
      ALL.map((node) => `> "${node}": Talos version v1.11.3 is compatible with Kubernetes version 1.31.4`),
    );
    const image = (name: string): string => `registry.k8s.io/${name}:v1.31.4`;
    expect(
      lines.filter((line) => !line.includes('is compatible with') && !/processing manifest|no changes/.test(line)),
    ).toEqual([
      'automatically detected the lowest Kubernetes version 1.30.8',
      'discovered controlplane nodes ["10.0.0.10" "10.0.0.11" "10.0.0.12"]',
      'discovered worker nodes ["10.0.0.21"]',
      'checking for removed Kubernetes component flags',
      'checking for removed Kubernetes API resource versions',
      ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].flatMap((name) =>
        CONTROL_PLANES.map((node) => ` > "${node}": pre-pulling ${image(name)}`),
      ),
      ...ALL.map((node) => ` > "${node}": pre-pulling ghcr.io/siderolabs/kubelet:v1.31.4`),
      ...steps('updating "kube-apiserver" to version "1.31.4"', 'kube-apiserver: v1.30.8', CONTROL_PLANES),
      ...steps(
        'updating "kube-controller-manager" to version "1.31.4"',
        'kube-controller-manager: v1.30.8',
        CONTROL_PLANES,
      ),
      ...steps('updating "kube-scheduler" to version "1.31.4"', 'kube-scheduler: v1.30.8', CONTROL_PLANES),
      ...steps('updating kube-proxy to version "1.31.4"', undefined, CONTROL_PLANES),
      ...steps('updating kubelet to version "1.31.4"', 'kubelet: 1.30.8', ALL),
      'updating manifests',
    ]);
    expect(lines.slice(-2)).toEqual([
      ' > processing manifest rbac.authorization.k8s.io/v1.ClusterRole/system:talos-nodes',
      ' < no changes',
    ]);
    expect(CONTROL_PLANES.map((node) => resource(cluster, node, 'apiserverconfig kube-apiserver').metadata)).toEqual(
      before,
    );
    expect(new Set(Object.values(versions()))).toEqual(new Set(['v1.30.8']));
  });

  it('ways that do not exist are refused before anything is asked of a node', () => {
    const wrong = (flags: string): string => cluster.refused(`${UPGRADE} ${flags}`);
    for (const endpoint of ['https://10.0.0.11:6443', '10.0.0.11:6443'])
      expect(wrong(`--endpoint ${endpoint}`)).toContain(`invalid endpoint "${endpoint}": write a host without scheme`);
    expect(wrong('--to 1.33.1')).toBe('unsupported upgrade path 1.30->1.33 (from "1.30.8" to "1.33.1")\n');
    expect(wrong('--to 1.29.9')).toBe('unsupported upgrade path 1.30->1.29 (from "1.30.8" to "1.29.9")\n');
    expect(wrong('--from 1.34.1 --to v1.35.0')).toBe(
      'unsupported upgrade path 1.34->1.35 (from "1.34.1" to "1.35.0")\n',
    );
    expect(wrong('--to 1.x.0')).toBe(
      'error creating upgrade path error parsing to version: Invalid character(s) found in minor number "x"\n',
    );
    expect(wrong('--to 1.31.4 --kubelet-image Kubelet')).toContain(
      'invalid upgrade options: kubelet: invalid image reference',
    );
    expect(wrong('--to 1.31.4 -n 10.0.0.10,10.0.0.11')).toMatch(
      /^command "upgrade-k8s" is not supported with multiple nodes\n\nUsage:\n {2}talosctl upgrade-k8s \[flags\]\n/,
    );
    // All nodes are asked at once, and the first that refuses ends it.
    expect(wrong('--from 1.28.3 --to 1.28.4')).toMatch(
      /^compatibility check failed on node "10\.0\.0\.\d+": version of Kubernetes 1\.28\.4 is too old to be used with Talos 1\.11\.3\n$/,
    );
  });

  it('what the next release has no more is told in a table, and stops the upgrade', () => {
    const apply = 'talosctl apply-config -n 10.0.0.12 -f controlplane.yaml -p @patches/cp-3.yaml';
    const gates = 'APIPriorityAndFairness=true,Other=true';
    cluster.ok(`${apply} -p '{"cluster":{"apiServer":{"extraArgs":{"feature-gates":"${gates}"}}}}'`);
    cluster.until('talosctl get staticpod kube-apiserver -n 10.0.0.12 -o yaml', gates, '10s');
    const { exitCode, stdout, stderr } = cluster.type(`${UPGRADE} --to 1.31.4`);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/flags\nchecking for removed Kubernetes API resource versions\n$/);
    expect(stderr).toBe(
      '\nNODE        COMPONENT        REMOVED FEATURE GATE\n10.0.0.12   kube-apiserver   APIPriorityAndFairness\n',
    );
    cluster.ok(apply);
    cluster.advance('10s');
    cluster.ok('talosctl health');
  });

  it('an image that nobody published ends the upgrade before it begins', () => {
    expect(cluster.refused(`${UPGRADE} --to 1.31.400`)).toMatch(
      /^failed pre-pulling images: error pre-pulling registry\.k8s\.io\/kube-apiserver:v1\.31\.400 on 10\.0\.0\.10: rpc error: /,
    );
  });

  it('walks the control plane, kube-proxy and the kubelets in this order, and goes on when each is well', () => {
    const startUs = cluster.nowUs;
    const lines = plan('1.31.4');
    const title = /^updating "?([a-z-]+)"? (?:to version|$)|^(updating manifests)$/;
    const walk = lines.flatMap((line) => {
      const [, component, manifests] = title.exec(line) ?? [];
      const [, node] = /^ < "([^"]+)": successfully updated$/.exec(line) ?? [];
      return component ?? manifests ?? node ?? [];
    });
    expect(walk).toEqual([
      'kube-apiserver',
      ...CONTROL_PLANES,
      'kube-controller-manager',
      ...CONTROL_PLANES,
      'kube-scheduler',
      ...CONTROL_PLANES,
      'kube-proxy',
      'kubelet',
      ...ALL,
      'updating manifests',
    ]);
    const of = (line: string): readonly string[] => {
      const start = lines.indexOf(line);
      return lines.slice(start, lines.findIndex((other, index) => index > start && other.startsWith(' < ')) + 1);
    };
    expect(
      of('updating "kube-apiserver" to version "1.31.4"').filter((line) => !line.includes('waiting, config')),
    ).toEqual(
      expect.arrayContaining([
        ' > "10.0.0.10": starting update',
        ' > update kube-apiserver: v1.30.8 -> 1.31.4',
        ' > "10.0.0.10": machine configuration patched',
        ' > "10.0.0.10": waiting for kube-apiserver pod update',
        ' < "10.0.0.10": successfully updated',
      ]),
    );
    expect(of('updating kubelet to version "1.31.4"')).toEqual([
      'updating kubelet to version "1.31.4"',
      ' > "10.0.0.10": starting update',
      ' > update kubelet: 1.30.8 -> 1.31.4',
      ' > "10.0.0.10": machine configuration patched',
      ' > "10.0.0.10": waiting for kubelet restart',
      ' > "10.0.0.10": waiting for node update',
      ' < "10.0.0.10": successfully updated',
    ]);
    // What the nodes did: the next one gets its config only when the API server of the one before answers again.
    const during = <T extends { readonly timeUs: number }>(seen: readonly T[]): T[] =>
      seen.filter(({ timeUs }) => timeUs >= startUs);
    const machines = ['cp-1', 'cp-2', 'cp-3'];
    const told = machines.map((machine) => during(cluster.seen(configApplied, machine))[0]!.sequence);
    const answered = machines.map((machine) => during(cluster.seen(apiServing, machine))[0]!.sequence);
    expect([told[0], answered[0], told[1], answered[1], told[2], answered[2]]).toEqual(
      [...told, ...answered].sort((a, b) => a - b),
    );
    expect(during(cluster.seen(kubeletRegistered)).map(({ fields }) => fields.node)).toEqual([...machines, 'worker-1']);
  });

  it('brings the objects of the manifests along: kube-proxy is rolled out, nothing else changes', () => {
    expect(new Set(Object.values(versions()))).toEqual(new Set(['v1.31.4']));
    const proxy = kube(cluster, 'daemonset -n kube-system kube-proxy');
    expect(pick(proxy, 'spec', 'template', 'spec', 'containers', 0, 'image')).toBe(
      'registry.k8s.io/kube-proxy:v1.31.4',
    );
    expect(pick(proxy, 'metadata', 'generation')).toBe(2);
    expect(pick(proxy, 'status')).toMatchObject({ observedGeneration: 2, updatedNumberScheduled: 4, numberReady: 4 });
    // An object that was changed by hand comes back, which Talos itself would never do.
    cluster.write(
      'broken.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: coredns, namespace: kube-system }\ndata: { Corefile: nonsense }\n',
    );
    cluster.ok('kubectl apply -f broken.yaml');
    const again = cluster.ok(`${UPGRADE} --to 1.31.4 --upgrade-kubelet=false --pre-pull-images=false`);
    expect(again).toContain('skipped updating kubelet\n');
    const path = 'v1.ConfigMap/kube-system/coredns';
    const diff = again.slice(again.indexOf(` > processing manifest ${path}\n--- a/${path}\n+++ b/${path}\n@@ `));
    expect(diff.slice(0, diff.indexOf(' > processing', 1))).toMatch(
      /\n-\s+Corefile: nonsense\n\+\s+Corefile: \|\n(?:\+.*\n)+(?: .*\n)+\n < applied successfully\n$/,
    );
    expect(again.match(/applied successfully/g)).toHaveLength(1);
    expect(again).not.toContain('update kube-apiserver');
    expect(JSON.stringify(kube(cluster, 'configmap -n kube-system coredns'))).not.toContain('nonsense');
    expect(cluster.ok('talosctl get mc v1alpha1 -n 10.0.0.10 -o yaml')).toContain('# ');
  });
});
