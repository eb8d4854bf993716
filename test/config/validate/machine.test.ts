import { describe, expect, it } from 'vitest';
import { CRT, check, controlPlane, errorsOf, KEY, load, worker } from '../support.ts';

// Rules and texts: reference/network-config.md E.5 (row numbers in the names), reference/v1.11.3.md 11.4.
describe('machine section', () => {
  it('stops at a missing machine (row 1)', () => {
    expect(errorsOf('version: v1alpha1\ncluster: {}')).toEqual(['machine instructions are required']);
  });

  it('asks for the cluster section and its endpoint (row 4)', () => {
    expect(errorsOf(`machine: {type: worker, ca: {crt: ${CRT}}}`)).toEqual(['cluster instructions are required']);
    const missing = ['cluster controlplane endpoint is required'];
    expect(errorsOf(worker({}, { controlPlane: {} }))).toEqual(missing);
    expect(errorsOf(`machine: {type: worker, ca: {crt: ${CRT}}}\ncluster: {}`)).toEqual(missing);
  });

  it('requires install on metal only, up to v1.13 (row 5; v1.11.3.md 11.4)', () => {
    const text = worker();
    expect(errorsOf(text, { mode: 'metal' })).toEqual(['install instructions are required in "metal" mode']);
    expect(errorsOf(text, { mode: 'cloud' })).toEqual([]);
    expect(errorsOf(text, { mode: 'metal', version: 'v1.14.0' })).toEqual([]);
  });

  it('requires a disk or a selector that can be built (row 5)', () => {
    const metal = { mode: 'metal' } as const;
    const both = 'either install disk or diskSelector should be defined';
    expect(errorsOf(worker({ install: {} }), metal)).toEqual([both]);
    expect(errorsOf(worker({ install: { disk: '/dev/sda' } }), metal)).toEqual([]);
    expect(errorsOf(worker({ install: { diskSelector: { size: '>= 10GB' } } }), metal)).toEqual([]);
    expect(errorsOf(worker({ install: { diskSelector: { name: 'x' } } }), metal)).toEqual([
      'install disk selector is invalid: selector on name is not supported',
      both,
    ]);
    expect(errorsOf(worker({ install: { diskSelector: { type: 'tape' } } }), metal)[0]).toBe(
      'install disk selector is invalid: unsupported disk type "tape"',
    );
  });

  it('forbids extra kernel arguments beside grubUseUKICmdline (row 5)', () => {
    const install = { disk: '/dev/sda', extraKernelArgs: ['a=b'], grubUseUKICmdline: true };
    expect(errorsOf(worker({ install }), { mode: 'metal', version: 'v1.12.0' })).toEqual([
      "install.extraKernelArgs and install.grubUseUKICmdline can't be used together",
    ]);
  });

  it('wants host DNS in containers (E.6 container mode)', () => {
    expect(errorsOf(worker(), { mode: 'container' })).toEqual([
      'feature HostDNS should be enabled in container mode (.machine.features.hostDNS.enabled)',
      'feature HostDNS should forward kube-dns to host in container mode (.machine.features.hostDNS.forwardKubeDNSToHost)',
    ]);
    const hostDNS = { enabled: true, forwardKubeDNSToHost: true };
    expect(errorsOf(worker({ features: { hostDNS } }), { mode: 'container' })).toEqual([]);
  });

  it('warns of types that are not canonical (row 7)', () => {
    expect(check(worker({ type: '' })).warnings).toEqual(['use "worker" instead of "" for machine type']);
    expect(check(worker({ type: 'join' })).warnings).toEqual(['use "worker" instead of "join" for machine type']);
    expect(check(worker()).warnings).toEqual([]);
  });

  it('refuses unknown types (row 14)', () => {
    expect(errorsOf(worker({ type: 'boss' }))).toEqual(['unknown machine type "boss"']);
  });

  it('turns warnings into errors when strict', () => {
    const result = check(worker({ type: '' }), { strict: true });
    expect(result.warnings).toEqual([]);
    expect(result.errors).toEqual(['warning: use "worker" instead of "" for machine type']);
  });

  it('asks for a CA (rows 8, 10)', () => {
    const none = 'issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)';
    expect(errorsOf(worker({ ca: null }))).toEqual([none]);
    expect(errorsOf(controlPlane({ ca: null }))).toEqual([none, 'issuing CA is required (.machine.ca)']);
    expect(errorsOf(controlPlane({ ca: { crt: CRT } }))).toEqual([
      'issuing CA key is required for controlplane nodes (.machine.ca.key)',
    ]);
    expect(errorsOf(worker({ ca: null, acceptedCAs: [{ crt: CRT }] }))).toEqual([]);
  });

  it('keeps CA keys and shared addresses off workers (rows 11-13)', () => {
    const vip = { vip: { ip: '10.0.0.5' } };
    const interfaces = [{ interface: 'eth0', ...vip, vlans: [{ vlanId: 3, ...vip }] }];
    const refusal = 'virtual (shared) IP is not allowed on non-controlplane nodes';
    expect(errorsOf(worker({ network: { interfaces } }))).toEqual([refusal, refusal]);
    expect(errorsOf(controlPlane({ network: { interfaces } }))).toEqual([]);
    expect(errorsOf(worker({ ca: { crt: CRT, key: KEY } }, { ca: { crt: CRT, key: KEY } }))).toEqual([
      'cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)',
      'issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)',
      'issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)',
    ]);
    expect(errorsOf(worker({ ca: {} }))).toEqual([
      'trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, .machine.acceptedCAs)',
    ]);
  });

  it('checks KubeSpan (row 22; v1.11.3.md 11.4 with its misspelling)', () => {
    const kubespan = { enabled: true, mtu: 1000, filters: { endpoints: ['0.0.0.0/0', '!10.0.0.0/8', 'x'] } };
    expect(errorsOf(worker({ network: { kubespan } }))).toEqual([
      'kubespan link MTU must be at least 1280',
      '.cluster.discovery should be enabled when .machine.network.kubespan is enabled',
      '.cluster.id should be set when .machine.network.kubespan is enabled',
      '.cluster.secret should be set when .machine.network.kubespan is enabled',
      'KubeSpan endpoint filer is not valid: "x"',
    ]);
    expect(errorsOf(worker({ network: { kubespan: { ...kubespan, enabled: false } } }))).toEqual([]);
  });

  it('checks disks (row 23)', () => {
    const disks = [null, { device: '/dev/sdb', partitions: [{ mountpoint: '/a' }, { size: '10GB' }] }];
    expect(errorsOf(worker({ disks }))).toEqual([
      'machine.disks[0] is null',
      'partition for disk "/dev/sdb" is set to occupy full disk, but it\'s not the last partition in the list',
    ]);
  });

  it('checks the kubelet (row 24)', () => {
    const kubelet = {
      nodeIP: { validSubnets: ['!10.0.0.0/8', '10.1.2.3', '10'] },
      extraConfig: { port: 1, maxPods: 9 },
    };
    expect(errorsOf(worker({ kubelet }))).toEqual([
      'kubelet nodeIP subnet is not valid: "10"',
      'kubelet configuration field "port" can\'t be overridden',
    ]);
  });

  it('checks disk encryption, EPHEMERAL first (row 25)', () => {
    const state = { provider: 'luks2', keys: [] };
    const ephemeral = { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }, { slot: 0 }] };
    expect(errorsOf(worker({ systemDiskEncryption: { state, ephemeral } }))).toEqual([
      'partition "EPHEMERAL": encryption key slot 0 is already in use',
      'partition "EPHEMERAL": encryption key at slot 0 doesn\'t have the configuration parameters',
      'partition "STATE": no encryption keys provided',
    ]);
  });

  it('checks log destinations (row 26)', () => {
    const destinations = [{ endpoint: 'http:///x', format: 'text' }, { format: 'json_lines' }];
    expect(errorsOf(worker({ logging: { destinations } }))).toEqual([
      "empty logging endpoint's host",
      'unexpected logging endpoint scheme "http"',
      'unknown logging format "text"',
      'empty logging endpoint',
    ]);
  });

  it('warns of extensions and refuses repeated ones (row 27)', () => {
    const extensions = [{ image: 'a' }, { image: 'a' }];
    const result = check(worker({ install: { disk: '/dev/sda', extensions } }));
    expect(result.errors).toEqual(['duplicate system extension "a"']);
    expect(result.warnings).toEqual([
      '.machine.install.extensions is deprecated, please see https://www.talos.dev/latest/talos-guides/install/boot-assets/',
    ]);
  });

  it('checks labels, annotations and taints (row 28)', () => {
    const text = worker({
      nodeLabels: { '/a': '-', 'a/b/c': 'x', ok: 'fine' },
      nodeAnnotations: { 'talos.dev/owned-labels': '' },
      nodeTaints: { a: 'NoSchedule', b: 'x:NoExecute', c: 'Sometimes' },
    });
    expect(errorsOf(text)).toEqual([
      'invalid machine node labels: 3 errors occurred:\n\t* prefix cannot be empty: "/a"\n\t* label value "-" is invalid\n\t* invalid format: too many slashes: "a/b/c"\n\n',
      'invalid machine node annotations: 1 error occurred:\n\t* annotation "talos.dev/owned-labels" is reserved\n\n',
      'invalid machine node taints: 1 error occurred:\n\t* invalid taint effect: "Sometimes"\n\n',
    ]);
  });

  it('bounds annotations at 256 KiB and names at 63 characters (E.5 Labels)', () => {
    expect(errorsOf(worker({ nodeAnnotations: { a: 'x'.repeat(262144) } }))[0]).toContain(
      'total annotation size exceeds limit of 262144 bytes',
    );
    expect(errorsOf(worker({ nodeLabels: { ['n'.repeat(64)]: 'v'.repeat(64) } }))[0]).toContain('name is too long');
    expect(errorsOf(worker({ nodeLabels: { 'UPPER.example/n': '' } }))[0]).toContain(
      "domain doesn't match required format",
    );
  });

  it('ties Talos API access to RBAC, control planes and known roles (row 29; v1.11.3.md 11.4)', () => {
    const kubernetesTalosAPIAccess = { enabled: true, allowedRoles: ['os:reader', 'os:king'] };
    expect(errorsOf(worker({ features: { kubernetesTalosAPIAccess } }))).toEqual([
      'feature API RBAC should be enabled when Kubernetes Talos API Access feature is enabled',
      'feature Kubernetes Talos API Access can only be enabled on control plane machines',
      'invalid role "os:king" in allowed roles for Kubernetes Talos API Access',
    ]);
    const allowed = { rbac: true, kubernetesTalosAPIAccess: { enabled: true, allowedRoles: ['os:etcd:backup'] } };
    expect(errorsOf(controlPlane({ features: allowed }))).toEqual([]);
  });

  it('checks the address sort algorithm (row 30)', () => {
    expect(errorsOf(worker({ features: { nodeAddressSortAlgorithm: 'v3' } }))).toEqual([
      'invalid node address sort algorithm: v3 does not belong to AddressSortAlgorithm values',
    ]);
    expect(errorsOf(worker({ features: { nodeAddressSortAlgorithm: 'v2' } }))).toEqual([]);
  });

  it('refuses persist: false (row 31) and null registries (row 32)', () => {
    expect(errorsOf(worker({}, {}, { persist: false }))).toEqual(['.persist should be enabled']);
    expect(errorsOf(worker({ registries: { config: { a: null }, mirrors: { b: null } } }))).toEqual([
      'registries.config["a"] is null',
      'registries.mirrors["b"] is null',
    ]);
  });

  it('decodes runtime spec overrides as an OCI spec (row 3)', () => {
    const good = { process: { rlimits: [{ type: 'RLIMIT_NOFILE', hard: 1024, soft: 1024 }] } };
    expect(errorsOf(worker({ baseRuntimeSpecOverrides: good }))).toEqual([]);
    const bad = { process: { rlimits: [{ hard: 'many' }] } };
    expect(errorsOf(worker({ baseRuntimeSpecOverrides: bad }))[0]).toMatch(
      /^failed to unmarshal base runtime spec overrides: json: cannot unmarshal string into Go struct field /,
    );
  });

  it('warns of files and overrides only from v1.14 on (rows 2, 3; v1.11.3.md 11.4)', () => {
    const files = [{ content: '', permissions: 0o644, path: '/var/a', op: 'create' }];
    expect(check(worker({ files })).warnings).toEqual([]);
    expect(check(worker({ files }), { version: 'v1.14.0' }).warnings).toEqual([
      '.machine.files is deprecated; use dedicated configuration documents instead',
    ]);
  });

  it('says where each problem stands', () => {
    const text =
      'machine:\n  type: worker\n  ca: {crt: Zm9v}\n  network:\n    interfaces:\n      - interface: a\n        addresses:\n          - 1.2.3.4\n          - nonsense\ncluster:\n  controlPlane: {endpoint: "https://x:6443"}\n';
    const config = load(text);
    expect(config.documents).toHaveLength(1);
    expect(errorsOf(text)).toEqual(['[networking.os.device.addresses] "a": failed to parse IP address "nonsense"']);
  });
});
