import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { utf8Decode } from '../../src/platform/bytes.ts';
import { HttpClient } from '../../src/rpc/http/client.ts';
import { partBytes } from '../../src/rpc/http/message.ts';
import { runOn } from '../sim/helpers.ts';
import { sharedCluster } from './cluster.ts';
import {
  CONTROL_PLANES,
  CP_1,
  CP_2,
  CP_3,
  dmesg,
  edgesOf,
  flagsOf,
  ids,
  kube,
  pick,
  resource,
  table,
  WORKER_1,
  yamlFile,
} from './look.ts';

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

describe('the control plane of a cluster of three', () => {
  const cluster = sharedCluster();

  const pod = (name: string): unknown => kube(cluster, `pod -n kube-system ${name}`);
  const command = (name: string): readonly string[] => pick(pod(name), 'spec', 'containers', 0, 'command');

  /** Gives cp-N its own config, with a change on top. */
  const change = (node: string, patch?: object): void => {
    const name = `cp-${CONTROL_PLANES.indexOf(node) + 1}`;
    cluster.write('change.yaml', JSON.stringify(patch));
    const onTop = patch === undefined ? '' : ' --config-patch @change.yaml';
    cluster.ok(`talosctl -n ${node} apply-config -f controlplane.yaml --config-patch @patches/${name}.yaml${onTop}`);
  };

  it('supervises etcd and the kubelet itself, in containers; everything else is a pod', () => {
    for (const service of ['etcd', 'kubelet'])
      expect(cluster.ok(`talosctl -n ${CP_1} service ${service}`)).toContain(`for container ${service}`);
    const services = cluster.ok(`talosctl -n ${CP_1} service`);
    for (const component of [...COMPONENTS, 'kube-proxy', 'flannel', 'coredns'])
      expect(services).not.toContain(component);
    const pods = cluster.ok('kubectl get pods -A');
    for (const component of ['etcd', 'kubelet']) expect(pods).not.toContain(component);
    expect(cluster.ok(`talosctl -n ${WORKER_1} service`)).not.toContain('etcd');
  });

  it('runs etcd and the kubelet in the namespace "system", pods in "k8s.io"', () => {
    const containers = cluster.session.world.machine('cp-1').containers!;
    const namesIn = (namespace: string) => containers.list(namespace).map(({ id }) => id);
    expect(namesIn('system').sort()).toEqual(['etcd', 'kubelet']);
    expect(namesIn('k8s.io')).toContain('kube-apiserver');
    const listed = cluster.ok(`talosctl -n ${CP_1} containers -k`);
    const [, id, pid] =
      /k8s\.io +└─ (kube-system\/kube-apiserver-cp-1:kube-apiserver:[0-9a-f]{12}) +registry\S+ +(\d+) +CONTAINER_RUNNING\n/.exec(
        listed,
      )!;
    expect(Number(pid)).toBeGreaterThan(1);
    expect(listed).toMatch(
      /k8s\.io +kube-system\/kube-apiserver-cp-1 +registry\.k8s\.io\/pause:3\.10 +0 +SANDBOX_READY\n/,
    );
    expect(listed).toMatch(/└─ kube-system\/kube-flannel-\w+:install-config:\w+ +\S+ +0 +CONTAINER_EXITED\n/);
    expect(cluster.ok(`talosctl -n ${CP_1} logs -k ${id}`)).toBe(
      cluster.ok(`talosctl -n ${CP_1} logs -k ${id!.slice(0, id!.lastIndexOf(':'))}`),
    );
    const system = cluster.ok(`talosctl -n ${CP_1} containers`);
    expect(system).toMatch(/system +apid +talos\/apid +1 +RUNNING\n/);
    // Flags of the real tool that are taken and change nothing.
    expect(cluster.ok(`talosctl -n ${CP_1} containers -c --siderov1-keys-dir /keys`)).toBe(system);
    expect(listed).not.toMatch(/ (etcd|kubelet) /);
    expect(cluster.ok(`talosctl -n ${CP_1} logs etcd`)).toContain('ready to serve client requests');
    expect(cluster.refused(`talosctl -n ${CP_1} logs -k etcd`)).toContain('etcd');
  });

  it('shows what lies on its disk, and its files', () => {
    const volumes = cluster.ok(`talosctl -n ${CP_1} get dv`);
    expect(volumes).toMatch(/^NODE +NAMESPACE +TYPE +ID +VERSION +TYPE +SIZE +DISCOVERED +LABEL +PARTITIONLABEL\n/);
    expect(volumes).toMatch(/DiscoveredVolume +sda +\d+ +disk +54 GB +gpt *\n/);
    expect(volumes).toMatch(/DiscoveredVolume +sda6 +\d+ +partition +52 GB +xfs +EPHEMERAL +EPHEMERAL\n/);
    expect(cluster.refused(`talosctl -n ${CP_1} get ms`)).toMatch(
      /is ambiguous: \[machinestatuses\.runtime\.talos\.dev .*mountstatuses\.block\.talos\.dev/,
    );
    expect(cluster.refused(`talosctl -n ${CP_1} get cpu`)).toContain('Processors.hardware.talos.dev are not simulated');
    const files = cluster.ok(`talosctl -n ${CP_1} ls -lH -t f -d 3 /var/lib/etcd`);
    expect(files).toMatch(/^NODE +MODE +UID +GID +SIZE\(B\) +LASTMOD +LABEL +NAME\n/);
    expect(files).toMatch(/-rw-r--r-- +0 +0 +\d+ kB +Jan {2}1 1970 00:00 +member\/snap\/db\n/);
    expect(files).not.toMatch(/ d[rwx-]+/);
    expect(cluster.refused(`talosctl -n ${CP_1} apply-config --mode=interactive -f controlplane.yaml`)).toContain(
      'interactive is not simulated',
    );
    expect(cluster.refused(`talosctl -n ${CP_1} image list`)).toBe(
      'talosctl image is not simulated: nodes do not tell which images they have\n',
    );
    expect(cluster.refused(`talosctl -n ${CP_1} inspect dependencies --with-resources`)).not.toContain('Usage:');
  });

  it('shows its graph: what each controller reads and writes, and who owns a resource', () => {
    const edges = edgesOf(cluster.ok(`talosctl -n ${CP_1} inspect dependencies`));
    const name = 'k8s.ControlPlaneStaticPodController';
    expect(edges.filter(({ from }) => from === name)).toEqual([
      { from: name, to: 'StaticPods.kubernetes.talos.dev', id: '', style: 'solid' },
    ]);
    expect(
      edges
        .filter(({ to }) => to === name)
        .map(({ from, id, style }) => `${from.split('.')[0]}/${id} ${style}`)
        .sort(),
    ).toEqual([
      'APIServerConfigs/kube-apiserver dotted',
      'ConfigStatuses/static-pods dotted',
      'ControllerManagerConfigs/kube-controller-manager dotted',
      'SchedulerConfigs/kube-scheduler dotted',
      'SecretStatuses/static-pods dotted',
      'Services/etcd dotted',
    ]);
    expect(resource(cluster, CP_1, 'staticpod kube-scheduler').metadata.owner).toBe(name);
    expect(cluster.refused(`talosctl -n ${CP_1},${CP_2} inspect dependencies`)).toContain(
      'command "inspect dependencies" is not supported with multiple nodes',
    );
  });

  it('runs the three components as static pods of the kubelet', () => {
    for (const node of CONTROL_PLANES) {
      expect(ids(cluster, node, 'staticpods')).toEqual(COMPONENTS);
      const rows = table(cluster, node, 'staticpodstatus').slice(1);
      expect(rows.map((row) => row.at(-1))).toEqual(['True', 'True', 'True']);
    }
    for (const component of COMPONENTS)
      expect(pod(`${component}-cp-2`)).toMatchObject({
        metadata: {
          annotations: { 'kubernetes.io/config.source': 'http' },
          ownerReferences: [{ kind: 'Node', name: 'cp-2' }],
        },
      });
    expect(ids(cluster, WORKER_1, 'staticpods')).toEqual([]);
  });

  it('its configs are made on control planes only, one for each component', () => {
    const types = ['apiserverconfigs', 'controllermanagerconfigs', 'schedulerconfigs'];
    const owners = [
      'k8s.ControlPlaneAPIServerController',
      'k8s.ControlPlaneControllerManagerController',
      'k8s.ControlPlaneSchedulerController',
    ];
    types.forEach((type, index) => {
      expect(ids(cluster, CP_1, type)).toEqual([COMPONENTS[index]]);
      expect(resource(cluster, CP_1, `${type} ${COMPONENTS[index]}`).metadata.owner).toBe(owners[index]);
      expect(ids(cluster, WORKER_1, type)).toEqual([]);
    });
  });

  it('the API server config has image, endpoint, service networks, the local etcd and the address of the pod', () => {
    expect(resource(cluster, CP_1, 'apiserverconfig kube-apiserver').spec).toMatchObject({
      image: 'registry.k8s.io/kube-apiserver:v1.34.1',
      controlPlaneEndpoint: 'https://10.0.0.5:6443',
      etcdServers: ['https://localhost:2379'],
      serviceCIDRs: ['10.96.0.0/12'],
      advertisedAddress: '$(POD_IP)',
      extraArgs: {},
    });
  });

  it('the command line is whole: Talos adds what the config does not say', () => {
    const args = command('kube-apiserver-cp-1');
    expect(args[0]).toBe('/usr/local/bin/kube-apiserver');
    expect(args.slice(1)).toHaveLength(40);
    expect(args.slice(1)).toEqual([...args.slice(1)].sort());
    expect(flagsOf(args)).toMatchObject({
      'advertise-address': '$(POD_IP)',
      'etcd-servers': 'https://localhost:2379',
      'etcd-cafile': '/system/secrets/kubernetes/kube-apiserver/etcd-client-ca.crt',
      'authorization-config': '/system/config/kubernetes/kube-apiserver/authorization-config.yaml',
      'service-cluster-ip-range': '10.96.0.0/12',
      'secure-port': '6443',
    });
    expect(command('kube-controller-manager-cp-1').slice(0, 2)).toEqual([
      '/usr/local/bin/kube-controller-manager',
      '--use-service-account-credentials',
    ]);
    expect(command('kube-scheduler-cp-1')).toHaveLength(9);
  });

  it('the pods are critical, know their address from the downward API and mount secrets and config of the host', () => {
    expect(pod('kube-apiserver-cp-1')).toMatchObject({
      spec: {
        priorityClassName: 'system-cluster-critical',
        priority: 2_000_000_000,
        hostNetwork: true,
        containers: [{ env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }],
        volumes: [
          { name: 'secrets', hostPath: { path: '/system/secrets/kubernetes/kube-apiserver' } },
          { name: 'config', hostPath: { path: '/system/config/kubernetes/kube-apiserver' } },
          { name: 'audit', hostPath: { path: '/var/log/audit/kube' } },
        ],
      },
    });
    for (const component of COMPONENTS)
      expect(pick(pod(`${component}-cp-3`), 'spec', 'priorityClassName')).toBe('system-cluster-critical');
    // What the pods mount is really there.
    const files = cluster.ok(`talosctl -n ${CP_1} list -r /system`);
    for (const file of [
      'kube-apiserver/apiserver.crt',
      'kube-scheduler/kubeconfig',
      'kube-scheduler/scheduler-config.yaml',
    ])
      expect(files).toContain(file);
  });

  it('appears behind a healthy etcd, secrets and config files, and says with which versions of them', () => {
    for (const node of CONTROL_PLANES) {
      const secrets = resource(cluster, node, 'secretstatus static-pods');
      const files = resource(cluster, node, 'configstatus static-pods');
      const config = resource(cluster, node, 'apiserverconfig kube-apiserver');
      const shown = resource(cluster, node, 'staticpod kube-apiserver');
      expect(pick(shown.spec, 'metadata', 'annotations')).toEqual({
        'talos.dev/secrets-version': pick(secrets.spec, 'version'),
        'talos.dev/config-version': String(config.metadata.version),
        'talos.dev/config-file-version': pick(files.spec, 'version'),
      });
      for (const input of [secrets, files, resource(cluster, node, 'etcdmember local')])
        expect(Date.parse(shown.metadata.created)).toBeGreaterThanOrEqual(Date.parse(input.metadata.created) - 1_000);
      const rendered = dmesg(cluster, node).filter((line) => line.includes('rendered new static pod'));
      expect(rendered.map((line) => line.split(' ').at(-1))).toEqual(COMPONENTS);
    }
  });

  it('its manifests are on no disk: the kubelet is given one URL of the loopback address, with a port of its own', () => {
    const ports = CONTROL_PLANES.map((node) => {
      const url = pick<string>(resource(cluster, node, 'staticpodserverstatus').spec, 'url');
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(pick(resource(cluster, node, 'kubeletconfig kubelet').spec, 'staticPodListURL')).toBe(url);
      expect(pick(yamlFile(cluster, node, '/etc/kubernetes/kubelet.yaml'), 'staticPodURL')).toBe(url);
      expect(cluster.refused(`talosctl -n ${node} list /etc/kubernetes/manifests`)).toContain(
        'no such file or directory',
      );
      expect(cluster.ok(`talosctl -n ${node} list -r /var/lib/kubelet`)).not.toContain('kube-apiserver');
      return url.split(':').at(-1);
    });
    for (const port of ports) expect(Number(port)).toBeGreaterThan(1_024);
  });

  it('a change of the machine config goes all the way: config, static pod, process', () => {
    const name = 'kube-controller-manager';
    const before = pick<string>(pod(`${name}-cp-3`), 'status', 'startTime');
    change(CP_3, { cluster: { controllerManager: { extraArgs: { v: '4' } } } });
    expect(pick(resource(cluster, CP_3, `controllermanagerconfig ${name}`).spec, 'extraArgs')).toEqual({ v: '4' });
    cluster.until(`talosctl -n ${CP_3} get staticpod ${name} -o yaml`, '- --v=4');
    cluster.until(`kubectl get pod -n kube-system ${name}-cp-3 -o yaml`, '- --v=4');
    cluster.until('kubectl get pods -n kube-system', new RegExp(`${name}-cp-3 +1/1 +Running`));
    expect(pick<string>(pod(`${name}-cp-3`), 'status', 'startTime') > before).toBe(true);
    // The others were left alone.
    expect(resource(cluster, CP_3, 'staticpod kube-apiserver').metadata.version).toBe(1);
    expect(resource(cluster, CP_2, `staticpod ${name}`).metadata.version).toBe(1);
  });

  it.each(['etcd-servers', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'authorization-config'])(
    'the user cannot give the API server another %s',
    (flag) => {
      const before = resource(cluster, CP_2, 'staticpod kube-apiserver');
      change(CP_2, { cluster: { apiServer: { extraArgs: { [flag]: '/tmp/mine' } } } });
      cluster.advance('5s');
      expect(pick(resource(cluster, CP_2, 'apiserverconfig kube-apiserver').spec, 'extraArgs', flag)).toBe('/tmp/mine');
      expect(dmesg(cluster, CP_2).join('\n')).toContain(
        '"controller": "k8s.ControlPlaneStaticPodController", "error": "error updating static pod for ' +
          `\\"APIServerConfigs.kubernetes.talos.dev\\": extra arg \\"${flag}\\" is not allowed"}`,
      );
      expect(resource(cluster, CP_2, 'staticpod kube-apiserver')).toEqual(before);
      change(CP_2);
      cluster.advance('5s');
    },
  );

  it('the user can add an authorization mode but not drop Node and RBAC', () => {
    change(CP_2, {
      cluster: { apiServer: { extraArgs: { 'authorization-mode': 'AlwaysAllow', 'audit-log-maxage': '7' } } },
    });
    cluster.advance('5s');
    const flags = flagsOf(
      pick(resource(cluster, CP_2, 'staticpod kube-apiserver').spec, 'spec', 'containers', 0, 'command'),
    );
    expect(flags['authorization-mode']).toBe('Node,RBAC,AlwaysAllow');
    expect(flags['audit-log-maxage']).toBe('7');
    change(CP_2);
  });

  it("a user's static pod is served from the same list", () => {
    const mine = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'mine' },
      spec: { containers: [{ name: 'mine', image: 'registry.k8s.io/pause:3.10' }] },
    };
    change(CP_3, { machine: { pods: [mine] } });
    cluster.until('kubectl get pods', /mine-cp-3 +1\/1 +Running/);
    expect(ids(cluster, CP_3, 'staticpods')).toEqual(['default-mine', ...COMPONENTS]);
    expect(pick(pod('kube-apiserver-cp-3'), 'metadata', 'annotations', 'kubernetes.io/config.source')).toBe('http');
    expect(kube(cluster, 'pod mine-cp-3')).toMatchObject({
      metadata: { annotations: { 'kubernetes.io/config.source': 'http' } },
    });
    // What the kubelet gets when it asks the URL.
    const { world } = cluster.session;
    const port = Number(pick<string>(resource(cluster, CP_3, 'staticpodserverstatus').spec, 'url').split(':')[2]);
    const answer = runOn(world.simulation, world.machine('cp-3'), function* (platform) {
      const client = new HttpClient(platform, { address: '127.0.0.1', port });
      const { status, body } = yield* client.request({ target: '/' });
      client.close();
      return { status, list: parse(utf8Decode(partBytes(body))) as unknown };
    });
    expect(answer).toMatchObject({
      status: 200,
      list: {
        apiVersion: 'v1',
        kind: 'PodList',
        items: ['mine', ...COMPONENTS].map((name) => ({ kind: 'Pod', metadata: { name } })),
      },
    });
  });

  it('an API server asks only the etcd beside it: without that one it fails, though the cluster has a quorum', () => {
    expect(cluster.ok('kubectl --server https://10.0.0.10:6443 get ns')).toContain('kube-system');
    cluster.fault('stop cp-1 etcd');
    cluster.advance('10s');
    expect(cluster.ok('kubectl --server https://10.0.0.11:6443 get ns')).toContain('kube-system');
    expect(cluster.ok('etcdctl --endpoints https://10.0.0.11:2379 put a b')).toBe('OK\n');
    cluster.refused('kubectl --server https://10.0.0.10:6443 --request-timeout 20s create ns nowhere');
    cluster.fault('continue cp-1 etcd');
    cluster.until('kubectl --server https://10.0.0.10:6443 get ns', 'kube-system');
  });
});
