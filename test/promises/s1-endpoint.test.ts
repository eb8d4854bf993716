import { describe, expect, it } from 'vitest';
import { ShellSession } from '../../src/lab/shell/session.ts';
import { run } from '../e2e/run.ts';
import { sharedCluster } from './cluster.ts';

describe('the endpoint simulator', () => {
  it('a load balancer outlives control planes; without it hosts with KubePrism stay Ready, others do not', () => {
    const lost = new Set<string>();
    const { result } = run('endpoint-is-a-load-balancer', {
      watch: {
        onEvent: ({ kind, fields, timeUs }) => {
          if (kind === 'kube.node.changed' && fields.ready === false && timeUs > 190_000_000)
            lost.add(String(fields.name));
        },
      },
    });
    expect(result.reasons).toEqual([]);
    expect([...lost].filter((name) => name.startsWith('worker'))).toEqual(['worker-2']);
    expect(result.story).toEqual([]);
  });

  it('the address of one node dies with it, and is advised against', () => {
    const { result } = run('endpoint-is-one-node');
    expect(result.reasons).toEqual([]);
    expect(result.story.join('\n')).toContain(
      'controlplane.yaml: the cluster endpoint 10.0.0.10 is the address of cp-1 alone',
    );
  });
});

describe('a name as the endpoint', () => {
  const NAME = 'api.demo.example';
  const cluster = sharedCluster({ scenario: 'endpoint-is-a-name', through: 'info' });
  const nodes = (): string => cluster.ok('kubectl get nodes worker-1 worker-2');

  it('is in kubeconfig, certificates, KubePrism and the kubelet that has none; DHCP tells whom to ask for it', () => {
    expect(cluster.read('/root/.kube/config')).toContain(`server: https://${NAME}:6443`);
    expect(cluster.ok('talosctl get certsans k8s -n 10.0.0.10 -o jsonpath={.spec.dnsNames}')).toContain(`"${NAME}"`);
    expect(cluster.ok('talosctl get kubeprismendpoints -n 10.0.0.21 -o jsonpath={.spec.endpoints[0].host}')).toBe(
      `${NAME}\n`,
    );
    expect(cluster.ok('talosctl read /etc/kubernetes/bootstrap-kubeconfig -n 10.0.0.22')).toContain(
      `server: https://${NAME}:6443`,
    );
    expect(cluster.ok('talosctl get resolvers -n 10.0.0.22')).toContain('["10.0.0.2"]');
    expect(cluster.ok('talosctl read /etc/resolv.conf -n 10.0.0.22')).toBe('nameserver 10.0.0.2\n');
    // Asked once for every change of the config, whatever becomes of the records.
    const found = cluster.ok('talosctl get endpoints controlplane -n 10.0.0.11 -o jsonpath={.spec.addresses}');
    expect((JSON.parse(found) as string[]).toSorted()).toEqual(['10.0.0.10', '10.0.0.11', '10.0.0.12']);
  });

  it('has a live address as long as one control plane lives: clients try the next', () => {
    cluster.fault('power-off cp-2');
    cluster.advance('2m');
    const takenUs = [0, 1, 2].map(() => {
      const startUs = cluster.nowUs;
      expect(nodes()).toMatch(/worker-1 +Ready .*\nworker-2 +Ready /);
      return cluster.nowUs - startUs;
    });
    // The records take turns: one of three clients gets the dead address first, and waits for its silence.
    expect(takenUs.filter((us) => us > 1_000_000)).toHaveLength(1);
    cluster.fault('power-on cp-2');
  });

  it('without the name server nobody new finds it, and whoever is connected stays', () => {
    cluster.fault('service-down dns');
    expect(cluster.refused('kubectl get nodes')).toMatch(
      new RegExp(
        `^Unable to connect to the server: dial tcp: lookup ${NAME} on 10\\.0\\.0\\.2:53: read udp 10\\.0\\.0\\.254:\\d+->10\\.0\\.0\\.2:53: i/o timeout\\n$`,
      ),
    );
    cluster.advance('3m');
    cluster.fault('service-up dns');
    expect(nodes()).toMatch(/worker-1 +Ready .*\nworker-2 +Ready /);
    cluster.until('kubectl get nodes', /^(?:\S+ +Ready .*\n){5}/m, '5m');
  });

  it('a record that nobody changes is a dead end, except for KubePrism', () => {
    cluster.fault(`dns-record ${NAME} 10.0.0.10`);
    cluster.fault('power-off cp-1');
    cluster.fault('kill worker-1 kubelet');
    cluster.fault('kill worker-2 kubelet');
    cluster.advance('2m');
    expect(cluster.refused('kubectl get nodes')).toBe(
      'Unable to connect to the server: dial tcp 10.0.0.10:6443: connect: no route to host\n',
    );
    const directly = cluster.ok('kubectl get nodes worker-1 worker-2 --server https://10.0.0.11:6443');
    expect(directly).toMatch(/worker-1 +Ready .*\nworker-2 +NotReady /);
    cluster.fault(`dns-record ${NAME} 10.0.0.11,10.0.0.12`);
    cluster.until('kubectl get nodes worker-2', /worker-2 +Ready /, '1m');
    cluster.fault(`dns-record ${NAME}`);
    expect(cluster.refused('kubectl get nodes')).toContain(`lookup ${NAME} on 10.0.0.2:53: no such host`);
  });
});

describe('the virtual address as endpoint of talosctl', () => {
  const cluster = sharedCluster({ size: { controlPlanes: 1, workers: 0 } });

  it('is advised against', () => {
    let printed = '';
    const shell = new ShellSession(cluster.session, (text) => {
      printed += text;
    });
    shell.enter('lint');
    expect(printed).toBe('nothing to say\n');
    cluster.ok('talosctl config endpoint 10.0.0.5');
    printed = '';
    shell.enter('lint');
    expect(printed).toContain('the virtual address 10.0.0.5 is an endpoint of talosctl');
  });
});
