import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { sharedCluster } from './cluster.ts';

const NODE = '-n 10.0.0.10';

describe('access without a shell', () => {
  const cluster = sharedCluster();

  it('there is nothing to log in to and nothing to install: the API is all there is', () => {
    for (const word of ['bash', 'sh', 'exec', 'ssh', 'apt', 'dnf', 'systemctl', 'journalctl', 'run'])
      expect(cluster.refused(`talosctl ${word} ${NODE}`)).toContain(`unknown command "${word}" for "talosctl"`);
    expect(cluster.type('ssh root@10.0.0.10').exitCode).toBe(127);
    // The services of a control plane, and no others.
    const services = cluster.ok(`talosctl services ${NODE}`).trimEnd().split('\n').slice(1);
    expect(services.map((line) => line.split(/ {2,}/)[1])).toEqual(
      'apid auditd containerd cri dashboard etcd kubelet machined syslogd trustd udevd'.split(' '),
    );
    const onWorker = cluster.ok('talosctl services -n 10.0.0.21');
    for (const absent of ['etcd', 'trustd', 'systemd', 'ssh']) expect(onWorker).not.toContain(` ${absent} `);
  });

  it('a certificate carries roles, and what they do not allow is refused', () => {
    expect(cluster.ok('talosctl config info')).toMatch(
      /Roles: {15}os:admin\nCertificate expires: 1 year from now \(2026-10-01\)\n$/,
    );
    for (const role of ['reader', 'operator', 'etcd:backup'])
      cluster.ok(`talosctl config new ${role}.config --roles os:${role} --crt-ttl 24h ${NODE}`);
    expect(cluster.refused(`talosctl config new reader.config ${NODE}`)).toContain('already exists: "reader.config"');
    expect(cluster.refused(`talosctl config new x --roles os:root ${NODE}`)).toContain('unknown roles: os:root');
    const as = (role: string): string => `--talosconfig ${role}.config ${NODE}`;
    expect(cluster.ok('talosctl config info --talosconfig reader.config')).toMatch(
      /^Current context: {5}reader@demo\n[\s\S]*Roles: {15}os:reader\nCertificate expires: 1 day from now \(2025-10-02\)/,
    );
    const may: Readonly<Record<string, readonly [string, boolean, boolean, boolean]>> = {
      'get members': ['', true, true, false],
      dmesg: ['', true, true, false],
      'etcd members': ['', true, true, true],
      'etcd snapshot db': ['', false, true, true],
      'service kubelet restart': ['', false, true, false],
      'etcd leave': ['', false, false, false],
      'reset --wait=false': ['', false, false, false],
      'get machineconfig': ['', false, false, false],
    };
    for (const [line, [, ...allowed]] of Object.entries(may))
      for (const [index, role] of ['reader', 'operator', 'etcd:backup'].entries()) {
        const { exitCode, stderr } = cluster.type(`talosctl ${line} ${as(role)}`);
        expect(exitCode, `${role}: ${line}: ${stderr}`).toBe(allowed[index] ? 0 : 1);
        if (!allowed[index]) expect(stderr).toContain('code = PermissionDenied desc = not authorized');
      }
  });

  it('the certificate of kubectl opens no node, and that of talosctl no cluster', () => {
    const kubeconfig = cluster.read('/root/.kube/config');
    const field = (key: string): string => new RegExp(`${key}: (\\S+)`).exec(kubeconfig)![1]!;
    const ca = /ca: (\S+)/.exec(cluster.read('/root/.talos/config'))![1]!;
    const foreign = [
      'context: demo',
      'contexts:',
      '    demo:',
      '        endpoints: [10.0.0.10]',
      `        ca: ${ca}`,
      `        crt: ${field('client-certificate-data')}`,
      `        key: ${field('client-key-data')}`,
    ];
    cluster.write('foreign.config', `${foreign.join('\n')}\n`);
    expect(cluster.refused(`talosctl version --talosconfig foreign.config ${NODE}`)).toContain('tls: ');
    // A reader of nodes gets no kubeconfig out of them, and being admin of Kubernetes is another matter.
    expect(cluster.refused(`talosctl kubeconfig mine --talosconfig reader.config ${NODE}`)).toContain('not authorized');
    expect(cluster.ok('kubectl get nodes')).toContain('cp-1');
  });

  it('whoever loses the talosconfig is locked out, unless the secrets were kept', () => {
    cluster.write('/root/.talos/config', '');
    expect(cluster.refused(`talosctl version ${NODE}`)).toContain('talos config file is empty');
    // A new one with secrets of its own does not fit.
    cluster.ok('talosctl gen config demo https://10.0.0.5:6443 -t talosconfig -o other.config');
    expect(cluster.refused(`talosctl version --talosconfig other.config -e 10.0.0.10 ${NODE}`)).toContain(
      'certificate signed by unknown authority',
    );
    expect(cluster.refused(`talosctl apply-config --insecure ${NODE} -f controlplane.yaml`)).toContain(
      'certificate required',
    );
    // With the secrets, here those of a kept machine config, another one is made.
    cluster.ok('talosctl gen secrets --from-controlplane-config controlplane.yaml -o secrets.yaml');
    cluster.ok(
      'talosctl gen config demo https://10.0.0.5:6443 --with-secrets secrets.yaml -t talosconfig -o new.config',
    );
    expect(cluster.ok(`talosctl version --talosconfig new.config -e 10.0.0.10 ${NODE}`)).toContain('Enabled:     RBAC');
  });

  it('a support bundle holds what a node can tell of itself, without its secrets', () => {
    const at = `--talosconfig new.config -e 10.0.0.10 ${NODE}`;
    const { exitCode, stderr } = cluster.type(`talosctl support -O support.zip ${at}`);
    expect([exitCode, stderr]).toEqual([0, 'Support bundle is written to support.zip\n']);
    const entries = unzipSync(cluster.session.files.readBytes('support.zip')!);
    const text = (name: string): string => Buffer.from(entries[name]!).toString();
    expect(text('10.0.0.10/dmesg.log')).toContain('[talos] boot sequence: done');
    expect(text('10.0.0.10/service-logs/kubelet.log')).toContain('Successfully registered node');
    expect(text('10.0.0.10/service-logs/etcd.state')).toContain('state: Running');
    expect(text('10.0.0.10/summary')).toContain('Tag:         v1.11.3');
    expect(text('10.0.0.10/dependencies.dot')).toContain('digraph');
    expect(text('10.0.0.10/resources/members.cluster.talos.dev.yaml')).toContain('hostname: cp-2');
    expect(text('10.0.0.10/resources/osrootsecrets.secrets.talos.dev.yaml')).toMatch(/spec: <REDACTED>\n$/);
    expect(text('10.0.0.10/resources/machineconfigs.config.talos.dev.yaml')).not.toContain('token');
    expect(text('kubernetesResources/nodes.yaml')).toContain('name: worker-2');
    expect(text('kubernetesResources/systemPods.yaml')).toContain('name: kube-apiserver-cp-1');
    expect(cluster.refused(`talosctl support -O support.zip ${at}`)).toContain('support.zip already exists');
    expect(cluster.refused('talosctl support --talosconfig new.config -e 10.0.0.10')).toContain(
      'please provide at least a single node to gather the debug information from',
    );
    expect(cluster.refused(`talosctl dashboard ${at}`)).toContain('use `talosim lab`');
  });

  it('what a resource was derived from can be read backwards', () => {
    const at = `--talosconfig new.config -e 10.0.0.10 ${NODE}`;
    const owner = /owner: (\S+)/.exec(cluster.ok(`talosctl get staticpods kube-apiserver -o yaml ${at}`))![1]!;
    expect(owner).toBe('k8s.ControlPlaneStaticPodController');
    const graph = cluster.ok(`talosctl inspect dependencies ${at}`);
    const idOf = (label: string): string => new RegExp(`(n\\d+)\\[[^\\]]*label="${label}"`).exec(graph)![1]!;
    const sources = (label: string): string[] => {
      const id = idOf(label);
      const edges = [...graph.matchAll(/^\s*(n\d+)->(n\d+)/gm)].filter(([, , to]) => to === id);
      return edges.map(([, from]) => new RegExp(`${from}\\[[^\\]]*label="([^"]+)"`).exec(graph)![1]!);
    };
    expect(sources('StaticPods.kubernetes.talos.dev')).toContain(owner);
    expect(sources(owner)).toContain('APIServerConfigs.kubernetes.talos.dev');
    expect(sources('APIServerConfigs.kubernetes.talos.dev')).toContain('k8s.ControlPlaneAPIServerController');
    expect(sources('k8s.ControlPlaneAPIServerController')).toContain('MachineConfigs.config.talos.dev');
  });
});
