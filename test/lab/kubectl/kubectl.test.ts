import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl } from '../../../src/lab/kubectl/kubectl.ts';
import { deployment, KubeCluster } from '../../kube/support/cluster.ts';
import { Pki } from '../../kube/support/pki.ts';

const PAUSE = 'registry.k8s.io/pause:3.10';

describe('against a cluster', () => {
  let cluster: KubeCluster;
  beforeAll(() => {
    cluster = new KubeCluster({ workers: 1 });
    cluster.bringUp();
    cluster.apply(deployment('web', 1, { containers: [{ name: 'web', image: PAUSE }] }));
    cluster.advance(60);
  });
  afterAll(() => cluster.close());

  /** Output with ages and random endings made plain. */
  const plain = (text: string): string =>
    text.replace(/\b(\d+[smh])+\b/g, 'AGE').replace(/-[0-9a-f]{10}-[a-z0-9]{5}/g, '-HASH');
  const out = (line: string): string => plain(cluster.kubectl(line).stdout);
  const refused = (line: string): string => {
    const { exitCode, stderr, stdout } = cluster.kubectl(line);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    return stderr;
  };

  it('get nodes', () => {
    expect(out('get nodes')).toBe(
      'NAME       STATUS   ROLES    AGE   VERSION\n' +
        'cp         Ready    <none>   AGE   v1.34.1\n' +
        'worker-1   Ready    <none>   AGE   v1.34.1\n',
    );
    expect(out('get no --no-headers -o name')).toBe('node/cp\nnode/worker-1\n');
    expect(out('get node worker-1 -o jsonpath={.status.addresses[*].address}')).toBe('10.0.0.21 worker-1');
    expect(out('get nodes -o wide')).toMatch(
      /^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME\ncp +Ready +<none> +AGE +v1.34.1 +10.0.0.10 +<none> +Talos \(v1.11.3\) /,
    );
  });

  it('get pods: columns, namespaces, several types, labels', () => {
    expect(out('get pods')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\nweb-HASH +1\/1 +Running +0 +AGE\n$/);
    expect(out('get pods -A -l k8s-app=kube-apiserver')).toMatch(
      /^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE\nkube-system +kube-apiserver-cp +1\/1 +Running +0 +AGE\n$/,
    );
    expect(out('get deploy,rs')).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\ndeployment.apps\/web +1\/1 +1 +1 +AGE\n\nNAME +DESIRED +CURRENT +READY +AGE\nreplicaset.apps\/web-[0-9a-f]{10} +1 +1 +1 +AGE\n$/,
    );
    expect(out('get ds -n kube-system')).toMatch(
      /^NAME +DESIRED +CURRENT +READY +UP-TO-DATE +AVAILABLE +NODE SELECTOR +AGE\nkube-flannel +2 +2 +2 +2 +2 +<none> +AGE\n$/,
    );
    expect(out('get csr')).toMatch(
      /^NAME +AGE +SIGNERNAME +REQUESTOR +REQUESTEDDURATION +CONDITION\ncsr-\w{5} +AGE +kubernetes.io\/kube-apiserver-client-kubelet +system:bootstrap:abcdef +<none> +Approved,Issued\n/,
    );
    expect(out('get leases -n kube-node-lease')).toMatch(/^NAME +HOLDER +AGE\ncp +cp +AGE\n/);
    expect(out('get ns')).toMatch(/^NAME +STATUS +AGE\ndefault +Active +AGE\n/);
    expect(out('get endpointslices')).toMatch(
      /^NAME +ADDRESSTYPE +PORTS +ENDPOINTS +AGE\nkubernetes +IPv4 +6443 +10.0.0.10 +/,
    );
  });

  it('what is not there', () => {
    expect(cluster.kubectl('get pods -n kube-public')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No resources found in kube-public namespace.\n',
    });
    expect(refused('get node x')).toBe('Error from server (NotFound): nodes "x" not found\n');
    expect(refused('get things')).toBe('error: the server doesn\'t have a resource type "things"\n');
    expect(refused('get nodes -o pretty')).toContain(
      'unable to match a printer suitable for the output format "pretty"',
    );
    expect(refused('delete pod')).toBe('error: resource(s) were provided, but no name was specified\n');
    expect(refused('apply -f none.yaml')).toBe('error: the path "none.yaml" does not exist\n');
    const both = cluster.kubectl('get nodes cp x');
    expect(both.exitCode).toBe(1);
    expect(both.stdout).toContain('cp ');
    expect(both.stderr).toBe('Error from server (NotFound): nodes "x" not found\n');
  });

  it('apply and create', () => {
    cluster.files.write(
      'two.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\ndata: { a: b }\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: two, namespace: kube-public }\n',
    );
    expect(out('apply -f two.yaml')).toBe('configmap/one created\nconfigmap/two created\n');
    expect(out('apply -f ./two.yaml')).toBe('configmap/one unchanged\nconfigmap/two unchanged\n');
    expect(refused('create -f two.yaml')).toBe('Error from server (AlreadyExists): configmaps "one" already exists\n');
    expect(out('create namespace mine')).toBe('namespace/mine created\n');
    expect(refused('create ns mine')).toBe('Error from server (AlreadyExists): namespaces "mine" already exists\n');
    expect(refused('drain worker-1 --timeout soon')).toBe(
      `error: invalid argument "soon" for "--timeout" flag: time: invalid duration "soon"\nSee 'kubectl drain --help' for usage.\n`,
    );
    expect(out('get cm')).toMatch(/^NAME +DATA +AGE\none +1 +AGE\n$/);
    expect(out('delete -f two.yaml')).toBe(
      'configmap "one" deleted from default namespace\nconfigmap "two" deleted from kube-public namespace\n',
    );
  });

  it('label and taint', () => {
    expect(out('label node worker-1 zone=a')).toBe('node/worker-1 labeled\n');
    expect(refused('label node worker-1 zone=b')).toBe(
      "error: 'zone' already has a value (a), and --overwrite is false\n",
    );
    expect(out('get nodes -l zone=a -o name')).toBe('node/worker-1\n');
    expect(out('label node worker-1 zone-')).toBe('node/worker-1 unlabeled\n');
    expect(out('taint nodes worker-1 key=v:NoSchedule')).toBe('node/worker-1 tainted\n');
    expect(out('get node worker-1 -o jsonpath={.spec.taints[0].value}')).toBe('v');
    expect(refused('taint nodes worker-1 a=b:Never')).toBe(
      'error: invalid taint effect: Never, unsupported taint effect\n',
    );
    expect(out('taint nodes worker-1 key-')).toBe('node/worker-1 untainted\n');
  });

  it('cordon, drain, uncordon', () => {
    expect(out('cordon worker-1')).toBe('node/worker-1 cordoned\n');
    expect(out('get nodes')).toContain('Ready,SchedulingDisabled');
    expect(cluster.kubectl('drain worker-1').stderr).toContain(
      'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): kube-system/kube-flannel-',
    );
    expect(out('drain worker-1 --ignore-daemonsets')).toBe(
      'node/worker-1 already cordoned\nevicting pod default/web-HASH\npod/web-HASH evicted\nnode/worker-1 drained\n',
    );
    cluster.advance(5);
    expect(out('get pods')).toMatch(/web-HASH +0\/1 +Pending +0 +AGE/);
    expect(out('uncordon worker-1')).toBe('node/worker-1 uncordoned\n');
    cluster.advance(30);
    expect(out('get pods')).toMatch(/web-HASH +1\/1 +Running +0 +AGE/);
    const impatient = cluster.kubectl('drain worker-1 --ignore-daemonsets --timeout 1ms');
    expect(impatient.exitCode).toBe(1);
    expect(plain(impatient.stderr)).toContain(
      'error: unable to drain node "worker-1" due to error: error when waiting for pod "web-HASH" in namespace "default" to terminate: global timeout reached: 1ms, continuing command...\n',
    );
  });

  it('version, cluster-info', () => {
    expect(out('version')).toBe('Client Version: v1.34.1\nKustomize Version: v5.7.1\nServer Version: v1.34.1\n');
    expect(out('cluster-info')).toContain('Kubernetes control plane is running at https://10.0.0.10:6443\n');
  });

  it('names that the API does not take', () => {
    const label =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    expect(refused('create ns x_y')).toBe(
      `The Namespace "x_y" is invalid: metadata.name: Invalid value: "x_y": ${label}\n`,
    );
    expect(refused('create ns a.b')).toBe(
      'The Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots\n',
    );
    const long = `${'A'.repeat(64)}`;
    expect(refused(`create ns ${long}`)).toBe(
      `The Namespace "${long}" is invalid: \n* metadata.name: Invalid value: "${long}": must be no more than 63 bytes\n* metadata.name: Invalid value: "${long}": ${label}\n`,
    );
  });

  it('--server takes a URL or host and port, and says which it is not', () => {
    expect(out('get no -o name --server 10.0.0.10:6443')).toBe('node/cp\nnode/worker-1\n');
    expect(refused('get no --server http://10.0.0.10:6443')).toBe(
      'Error from server (BadRequest): the server rejected our request for an unknown reason\n',
    );
    expect(refused('get no --server bogus')).toBe(
      'Unable to connect to the server: dial tcp: lookup bogus: no such host\n',
    );
    expect(refused('get no --server :6443')).toBe(
      'The connection to the server :6443 was refused - did you specify the right host or port?\n',
    );
    for (const server of ['https://', 'https://10.0.0.10:x', '10.0.0.10:6443/base'])
      expect(refused(`get no --server ${server}`)).toBe(`error: host must be a URL or a host:port pair: "${server}"\n`);
    expect(refused('get no --server bogus:70000')).toBe(
      'Unable to connect to the server: dial tcp: address 70000: invalid port\n',
    );
    expect(refused('get no --server [::1')).toBe("Unable to connect to the server: missing ']' in host\n");
  });

  it('a server that is not there', () => {
    expect(refused('get nodes --server https://10.0.0.10:1')).toBe(
      'The connection to the server 10.0.0.10:1 was refused - did you specify the right host or port?\n',
    );
    expect(refused('get nodes -s https://10.0.0.99:6443')).toMatch(
      /^Unable to connect to the server: dial tcp 10\.0\.0\.99:6443: (connect: no route to host|i\/o timeout)\n$/,
    );
    const stranger = new Pki('another cluster');
    cluster.files.write(
      '/root/stranger',
      stranger.kubeconfig('https://10.0.0.10:6443', stranger.issue('admin', ['system:masters'])),
    );
    expect(refused('get nodes --kubeconfig /root/stranger')).toBe(
      'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority\n',
    );
    cluster.files.write(
      '/root/foreign',
      cluster.shared.pki.kubeconfig('https://10.0.0.10:6443', 'abcdef.wrong00000000000'),
    );
    expect(refused('get nodes --kubeconfig /root/foreign')).toMatch(/Unauthorized/);
    expect(refused('get nodes --kubeconfig /root/nothing')).toContain('localhost:8080 was refused');
    const nobody = refused('get nodes --kubeconfig /root/nothing -s https://10.0.0.10:1');
    expect(nobody).toContain('The connection to the server 10.0.0.10:1 was refused');
    expect(refused('get nodes --kubeconfig /root/nothing --server https://10.0.0.10:6443')).toBe(
      'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority\n',
    );
    expect(refused('get nodes --context nowhere')).toBe('error: context "nowhere" does not exist\n');
  });
});

describe('lines that can never run', () => {
  it.each([
    [['describe', 'node', 'x'], 'kubectl describe is not simulated: use kubectl get -o yaml'],
    [['logs', '-f', 'x'], 'kubectl logs is not simulated: use talosctl logs -k'],
    [['get', 'nodes', '--nope'], 'kubectl: unknown flag: --nope'],
    [['gte', 'nodes'], 'kubectl: unknown command "gte" for "kubectl"'],
    [['get', 'nodes'], undefined],
  ])('%j', (words, expected) => {
    const problem = kubectl.problem(words);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
  });
});
