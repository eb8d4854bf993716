/** Kinds that came after v1.11, each with what is refused in the real words (reference/network-config.md E.4). */
import { expect, test } from 'vitest';
import { check, errorsOf, type Section, worker } from '../support.ts';

const VERSION = { version: 'v1.14.0' };
const doc = (kind: string, fields: Section = {}): string => JSON.stringify({ apiVersion: 'v1alpha1', kind, ...fields });
const only = (kind: string, fields: Section): string[] =>
  // Rules over several documents are not what is looked at here.
  errorsOf(doc(kind, fields), VERSION).filter(
    (message) => !/only allowed on control plane|should be set when/.test(message),
  );

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
const KEY32 = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

const cases: readonly (readonly [kind: string, fields: Section, messages: readonly string[]])[] = [
  ['LinkConfig', { name: 'eth0', addresses: [{ address: '10.0.0.1/24' }] }, []],
  ['LinkConfig', { name: '' }, ['name must be specified']],
  [
    'LinkConfig',
    { name: 'a', addresses: [{ address: '0.0.0.0/0' }, { address: '' }] },
    ['address 0 must be a valid IP address', 'address 1 must be specified'],
  ],
  [
    'LinkConfig',
    { name: 'a', routes: [{ destination: '0.0.0.0/0', gateway: '::', source: '0.0.0.0' }] },
    [
      'route 0 destination must be a valid IP prefix',
      'route 0 gateway must be a valid IP address',
      'route 0 source must be a valid IP address',
    ],
  ],
  ['BondConfig', { name: 'a', links: ['b'], bondMode: 'active-backup', primary: 'b' }, []],
  ['BondConfig', { name: 'a', links: [] }, ['at least one link must be specified', 'bond mode must be specified']],
  ['VLANConfig', { name: 'a', vlanID: 5, parent: 'b' }, []],
  [
    'VLANConfig',
    { name: 'a', vlanID: 4095 },
    ['vlanID must be specified and between 1 and 4094', 'parent must be specified'],
  ],
  ['VRFConfig', { name: 'a', table: 10 }, []],
  ['VRFConfig', { name: 'a' }, ['cannot create vrf with reserved table unspec']],
  ['VRFConfig', { name: 'a', table: 254 }, ['cannot create vrf with reserved table main']],
  ['VethConfig', { name: 'a', peer: { name: 'a' } }, ['name and peer name must be different']],
  [
    'VethConfig',
    { name: 'a/b', peer: { name: 'a234567890123456', addresses: [{ address: '::/0' }] } },
    ["name must not contain '/' or ':'", 'peer name must not exceed 15 bytes', 'address 0 must be a valid IP address'],
  ],
  ['WireguardConfig', { name: 'a', privateKey: KEY32, peers: [{ publicKey: KEY32 }] }, []],
  [
    'WireguardConfig',
    { name: 'a', listenPort: -1, peers: [{ presharedKey: 'AAAA', persistentKeepaliveInterval: '-1s' }] },
    [
      'wireguard private key must be specified',
      'wireguard listen port must be between 0 and 65535',
      'wireguard peer public key must be specified (peer index 0)',
      'wireguard peer preshared key is invalid (peer index 0): invalid wireguard key length',
      'wireguard peer persistent keepalive interval cannot be negative (peer index 0)',
    ],
  ],
  [
    'WireguardConfig',
    { name: 'a', privateKey: '!' },
    ['wireguard private key is invalid: illegal base64 data at input byte 0'],
  ],
  ['LinkAliasConfig', { name: 'net%d', selector: { match: 'link.driver == "a"' } }, []],
  [
    'LinkAliasConfig',
    { name: 'a', selector: { match: 'link' } },
    [
      'link selector is invalid: expression output type is talos.resource.definitions.network.LinkStatusSpec, expected bool',
    ],
  ],
  [
    'LinkAliasConfig',
    { name: '%d' },
    ['name "%d" contains an invalid format verb, use %d suffix', 'link selector is required'],
  ],
  ['DHCPv4Config', { name: 'a', clientIdentifier: 'duid' }, ["duidRaw must be set if clientIdentifier is 'duid'"]],
  ['DHCPv6Config', { name: 'a', duidRaw: '00:01' }, ["duidRaw can only be set if clientIdentifier is 'duid'"]],
  ['HostnameConfig', {}, ["either 'auto' or 'hostname' must be set"]],
  ['HostnameConfig', { auto: 'off', hostname: 'a' }, []],
  ['HostnameConfig', { auto: 'stable', hostname: 'a' }, ["'auto' and 'hostname' cannot be set at the same time"]],
  ['HostnameConfig', { auto: 'addr' }, ["invalid value for 'auto': addr"]],
  ['HostnameConfig', { hostname: '.a' }, ['invalid hostname ""']],
  ['HostnameConfig', { hostname: `a.${'b'.repeat(252)}` }, ['fqdn is too long: 254']],
  [
    'ResolverConfig',
    { hostDNS: { resolveMemberNames: true } },
    ['hostDNS.resolveMemberNames cannot be enabled when hostDNS.enabled is false'],
  ],
  [
    'ResolverConfig',
    {
      hostDNS: { enabled: true },
      nameservers: [
        { address: '1.1.1.1', protocol: 'DoT' },
        { address: '', protocol: 'Do53', tlsServerName: 'a' },
      ],
    },
    [
      'tlsServerName must be set when protocol is DoT: entry 0',
      'tlsServerName must be empty when protocol is Do53: entry 1',
      'nameserver address must be a valid IP: entry 1',
    ],
  ],
  ['StaticHostConfig', { name: 'a' }, ['name must be a valid IP address', 'at least one hostname is required']],
  [
    'TimeSyncConfig',
    { ntp: {}, ptp: {}, bootTimeout: '-1s' },
    ['bootTimeout cannot be negative', 'only one of ntp or ptp configuration can be specified'],
  ],
  [
    'KubeSpanConfig',
    { mtu: 1000, filters: { endpoints: ['!10.0.0.0/8', 'a'] } },
    ['kubespan link MTU must be at least 1280', 'KubeSpan endpoint filter is not valid: "a"'],
  ],
  ['Layer2VIPConfig', { name: '10.0.0.1' }, ['link must be specified']],
  [
    'HCloudVIPConfig',
    { name: '10.0.0', link: 'a' },
    ['name must be a valid IP address: ParseAddr("10.0.0"): IPv4 address too short', 'apiToken must be specified'],
  ],
  [
    'TCPProbeConfig',
    { name: 'a', timeout: '-1s', interval: '-2s', failureThreshold: -3 },
    [
      'TCP probe endpoint is required',
      'TCP probe timeout cannot be negative: -1s',
      'probe interval cannot be negative: -2s',
      'probe failure threshold cannot be negative: -3',
    ],
  ],
  [
    'HTTPProbeConfig',
    { name: '', url: 'ftp://a' },
    ['probe name is required', 'HTTP probe URL scheme must be http or https, got "ftp"'],
  ],
  [
    'HTTPProbeConfig',
    { name: 'a', url: 'http:///b' },
    ['HTTP probe URL must be an absolute http or https URL with a non-empty host'],
  ],
  ['BlackholeRouteConfig', { name: 'a' }, ['name must be a valid address prefix: netip.ParsePrefix("a"): no \'/\'']],
  ['RoutingRuleConfig', { name: '1000', table: 100 }, []],
  ['RoutingRuleConfig', { name: '1000', action: 'blackhole' }, []],
  [
    'RoutingRuleConfig',
    { name: 'a', fwMask: 1 },
    [
      'invalid name: must be priority parsable unsigned integer: strconv.ParseUint: parsing "a": invalid syntax',
      'priority must be between 1 and 32765 (excluding reserved priorities [0 32500 32766 32767])',
      'either table or a non-unicast action must be specified',
      'fwMask requires fwMark to be set',
    ],
  ],
  [
    'BGPInstanceConfig',
    {
      name: 'a',
      vrf: 'v',
      routerID: '::1',
      neighbors: [{ link: 'b', holdTime: '-1s' }, { link: 'b', bfd: {} }, {}],
      importRoutes: [
        { bgpInstance: 'a', prefixes: ['10.0.0.0/8', '10.1.0.0/16'] },
        { bgpInstance: 'c', prefixes: ['10.0.0.0/9', '11.0.0.1/8'] },
        { bgpInstance: 'c', prefixes: [] },
      ],
    },
    [
      'localASN must be specified',
      'routerID must be an IPv4 address',
      'neighbor[0]: holdTime must not be negative',
      'neighbor[1]: bfd is not supported for VRF-bound BGP instances',
      'neighbor[1]: duplicate neighbor "b"',
      'neighbor[2]: exactly one of address or link must be set',
      'importRoutes[0]: cannot import from the same BGP instance "a"',
      'importRoutes[0].prefixes[1]: prefix 10.1.0.0/16 overlaps prefixes[0] 10.0.0.0/8',
      'importRoutes[1].prefixes[1]: prefix 11.0.0.1/8 must be masked',
      'importRoutes[1]: prefix 10.0.0.0/9 overlaps importRoutes[0] prefix 10.0.0.0/8',
      'importRoutes[1]: prefix 10.0.0.0/9 overlaps importRoutes[0] prefix 10.1.0.0/16',
      'importRoutes[2]: at least one prefix must be specified',
      'importRoutes[2]: duplicate source BGP instance "c"',
    ],
  ],
  ['KubeClusterConfig', {}, ['clusterName must be specified', 'endpoint must be specified']],
  ['KubeNetworkConfig', { podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] }, []],
  [
    'KubeNetworkConfig',
    { nodeCIDRMaskSizeIPv6: 129, podSubnets: ['10.0.0.0/7'], serviceSubnets: ['10.96.0.0/11', 'fd00::/108'] },
    [
      'nodeCIDRMaskSizeIPv6 must be between 1 and 128',
      'pod subnets: invalid subnet: 10.0.0.0/7 is too large for the per-node pod CIDR mask size /24, the difference must be at most 16 bits',
      'service subnets: invalid subnet: 10.96.0.0/11 is too large, it must be at least /12 (at most 20 host identifier bits)',
      'the number of pod subnets must match the number of service subnets',
    ],
  ],
  [
    'KubeNetworkConfig',
    { podSubnets: ['10.0.0.0/25', '10.1.0.0/16'], serviceSubnets: ['10.96.0.0/29', '10.97.0.1/16'] },
    [
      'pod subnets: invalid subnet: 10.0.0.0/25 is smaller than the per-node pod CIDR mask size /24',
      'service subnets: invalid subnet: /29 is too small, it must be larger than /25',
    ],
  ],
  [
    'KubeNodeConfig',
    { nodeIP: { validSubnets: ['a'] }, labels: { 'a b': 'c' } },
    ['nodeIP subnet is not valid: "a"', 'invalid node labels: 1 error occurred:\n\t* name "a b" is invalid\n\n'],
  ],
  [
    'KubeletConfig',
    { config: { port: 1 } },
    ['kubelet image cannot be empty', 'kubelet configuration field "port" can\'t be overridden'],
  ],
  ['KubePrismConfig', {}, ['invalid port 0: must be in range 1-65535']],
  [
    'KubeAPIServerConfig',
    { extraArgs: { 'oidc-a': 'b', 'anonymous-auth': 'c' }, resources: { requests: { gpu: 1 } } },
    [
      'kube-apiserver image cannot be empty',
      'kube-apiserver extra argument "anonymous-auth" is not allowed: use KubeAuthenticationConfig',
      'kube-apiserver extra argument "oidc-a" is not allowed: use KubeAuthenticationConfig',
      'unsupported pod resource "gpu"',
    ],
  ],
  [
    'KubeAPIServerCAConfig',
    { issuingCA: { cert: PEM }, acceptedCAs: [KEY] },
    [
      'issuing CA: key is required',
      'accepted CA #0: unexpected PEM block type "PRIVATE KEY", expected one of ["CERTIFICATE"]',
    ],
  ],
  ['KubeAggregatorCAConfig', {}, ['issuing CA is not set']],
  ['KubeAggregatorCAConfig', { issuingCA: { cert: 'a', key: 'b' } }, ['issuing CA: certificate: no PEM blocks found']],
  ['KubeAdmissionControlConfig', {}, ['admission control plugin name is required']],
  [
    'KubeAuthorizerConfig',
    { name: '', type: '' },
    [
      'authorizer name is required',
      'authorizer type is required',
      'authorizer type  is not allowed, allowed types are [Node RBAC Webhook]',
    ],
  ],
  [
    'KubeAuthorizerConfig',
    { name: 'a', type: 'Webhook' },
    ['authorizer webhook configuration is required for Webhook authorizer type'],
  ],
  ['KubeControllerManagerConfig', {}, ['kube-controller-manager image cannot be empty']],
  ['KubeSchedulerConfig', { enabled: false }, []],
  [
    'KubeProxyConfig',
    { mode: 'a' },
    ['proxy image cannot be empty', 'invalid proxy mode "a": supported modes are iptables, ipvs and nftables'],
  ],
  ['KubeFlannelCNIConfig', {}, ['flannel backend type must be specified']],
  [
    'KubeServiceAccountConfig',
    { issuer: { privateKey: 'a' } },
    ['service issuer private key is invalid: failed to parse PEM block', 'service issuer URL is required'],
  ],
  ['KubeEtcdEncryptionConfig', { config: {} }, ['etcd encryption config is required']],
  ['KubeTalosAPIAccessConfig', { allowedRoles: ['os:meta:writer', 'a'] }, ['invalid role "a" in .allowedRoles']],
  ['KubeStaticPodConfig', { name: '' }, ['static pod name is required', 'static pod spec is required']],
  ['KubeInlineManifestConfig', { name: 'A' }, ['manifest name is invalid: domain doesn\'t match required format: "A"']],
  ['KubeExternalManifestConfig', { name: 'a', url: 'ftp://b' }, ['manifest URL scheme must be http or https: "ftp"']],
  [
    'RegistryAuthConfig',
    { name: '', username: 'a', identityToken: 'b', auth: 'c' },
    [
      'name must be specified',
      'only one of username/password or identityToken authentication can be specified',
      'only one of auth, username/password or identityToken authentication can be specified',
    ],
  ],
  [
    'RegistryMirrorConfig',
    { name: 'a', endpoints: [{ url: 'ftp://b' }, {}] },
    ['endpoints[0].url has unsupported scheme: "ftp"', 'endpoints[1].url must be specified'],
  ],
  [
    'RegistryTLSConfig',
    { name: 'a', ca: KEY, clientIdentity: { key: KEY } },
    ['ca must be a valid PEM-encoded certificate', 'client identity: certificate is required'],
  ],
  [
    'CRIBaseRuntimeSpecConfig',
    { overrides: { ociVersion: 1 } },
    [
      'failed to unmarshal base runtime spec overrides: json: cannot unmarshal number into Go struct field Spec.ociVersion of type string',
    ],
  ],
  [
    'CRICustomizationConfig',
    { name: 'customization' },
    ['name "customization" is reserved for the legacy CRI customization'],
  ],
  ['CRICustomizationConfig', { name: 'a b' }, ['invalid name: name "a b" is invalid']],
  [
    'ImageVerificationConfig',
    { rules: [{ image: 'a/b', keyless: {} }] },
    ['rule 0: verifier OIDC issuer must be specified', 'rule 0: verifier subject or subjectRegex must be specified'],
  ],
  [
    'DiscoveryServiceConfig',
    { name: 'a', endpoint: 'ftp://b' },
    ['endpoint scheme must be http://, https:// or grpc://'],
  ],
  ['DiscoveryServiceConfig', { name: 'a', endpoint: 'https:///b' }, ['endpoint host is required']],
  ['DiscoveryIdentityConfig', { clusterID: 'a', clusterSecret: KEY32 }, []],
  ['DiscoveryIdentityConfig', { clusterSecret: KEY32 }, ['clusterID is required']],
  [
    'DiscoveryIdentityConfig',
    { clusterID: 'a', clusterSecret: 'AAAA' },
    ['invalid clusterSecret: expected 32 bytes, got 3: AAAA'],
  ],
  ['EnvironmentConfig', { variables: { '1a': 'b' } }, ['invalid environment variable name: "1a"']],
  ['EtcFileConfig', { name: 'nfs/../a.conf' }, []],
  ['EtcFileConfig', { name: '/a' }, ['user etc file "/a" must be a local path']],
  ['EtcFileConfig', { name: 'a/../../b' }, ['user etc file "a/../../b" must be a local path']],
  ['EtcFileConfig', { name: 'ssl/a' }, ['user etc file "ssl/a" is managed by Talos']],
  ['KernelModuleConfig', { name: '' }, ['name is required']],
  ['OOMConfig', { sampleInterval: '-1s' }, ['OOM sample interval must be longer than 0']],
  ['SysctlConfig', { params: { '': 'a' } }, ['sysctl key cannot be empty']],
  ['UnattendedInstallConfig', {}, ['provisioning.diskSelector.match is required']],
  [
    'ContainerConfig',
    {
      name: 'A',
      image: '',
      environment: ['a'],
      mounts: [
        {},
        { tmpfs: { destination: 'a', options: ['x', 'ro', 'rw'] } },
        { tmpfs: { destination: '/b' } },
        { hostPath: { source: '/c', destination: '/b' } },
      ],
      security: { profile: 'a', capabilities: { add: ['ALL', 'CAP_A', 'A'], drop: ['A'] } },
      network: { mode: 'a' },
      resources: { limits: { memory: 'a', cpu: '1' } },
      dependsOn: { paths: ['a'], networks: ['a'], containers: [''] },
      runAs: { uid: -1 },
    },
    [
      'name "A": name can only contain lowercase ASCII letters, digits and hyphens',
      'image is required',
      'environment[0]: "a" must be in KEY=value form',
      'mounts[0]: exactly one of userVolume, tmpfs or hostPath must be set',
      'mounts[1]: tmpfs.destination "a" must be an absolute path\nunsupported mount option "x"\nmount options ro and rw are mutually exclusive',
      'mounts[3]: duplicate destination "/b"',
      'unsupported security profile "a", expected restricted or privileged',
      'capabilities.add does not accept ALL, use profile: privileged instead',
      'capabilities.add: capability "CAP_A" must be given without the CAP_ prefix',
      'capability "A" appears in both add and drop',
      'unsupported network mode "a", expected none or host',
      'limits.memory "a" is not a valid size: strconv.ParseFloat: parsing "": invalid syntax',
      'limits.cpu "1" must be expressed in millicores, e.g. 1500m',
      'dependsOn.paths entry "a" must be an absolute path',
      'unsupported dependsOn.networks condition "a"',
      'dependsOn.containers entry must not be empty',
      'runAs.uid must be non-negative, got -1',
      'container "A" depends on container "", which is not configured',
    ],
  ],
  [
    'ExternalVolumeConfig',
    { name: '', filesystemType: 'xfs' },
    ['name is required', 'name must be between 1 and 34 characters long', 'invalid filesystem type: xfs'],
  ],
  ['ExternalVolumeConfig', { name: 'a', filesystemType: 'virtiofs' }, ['virtiofs mount spec is required']],
  ['FilesystemTrimConfig', { interval: '-1s' }, ['interval cannot be negative']],
  [
    'RAIDArrayConfig',
    { name: 'a b', level: 'raid1' },
    [
      'name can only contain ASCII letters, digits, hyphens and underscores',
      'provisioning.volumeSelector.match is required',
    ],
  ],
  [
    'LVMVolumeGroupConfig',
    { name: 'a', provisioning: { volumeSelector: { match: 'volume_id == 1' } } },
    [
      "provisioning.volumeSelector.match: ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(string, int)'\n | volume_id == 1\n | ..........^",
    ],
  ],
  [
    'LVMLogicalVolumeConfig',
    { name: 'a', type: 'raid1', mirrors: 0, stripes: 2, provisioning: { minSize: '2GiB', maxSize: '1GiB' } },
    [
      'mirrors must be at least 1',
      'stripes is only valid for raid0/raid10, not raid1',
      'provisioning.volumeGroup is required',
      'provisioning.minSize must not exceed provisioning.maxSize',
    ],
  ],
  ['VolumeConfig', { name: 'STATE', provisioning: {}, mount: {} }, []],
  ['VolumeConfig', { name: 'EPHEMERAL', scrub: { interval: '5s' } }, ['scrub interval: minimum value is 10s']],
  ['UserVolumeConfig', { name: 'a', volumeType: 'directory', filesystem: {} }, []],
];

test.each(cases)('%s %j', (kind, fields, messages) => {
  expect(only(kind, fields)).toEqual(messages);
});

test.each([
  ['BGPInstanceConfig', { name: 'a', localASN: 1 }, ['BGPInstanceConfig has no neighbors configured']],
  [
    'KubeProxyConfig',
    { image: 'a:v1.30.0', mode: 'ipvs', extraArgs: { a: 'b' } },
    [
      'proxy mode "ipvs" is not recommended, please switch to nftables if possible',
      'extra arguments for kube-proxy may not work as expected, please use configuration instead',
    ],
  ],
  [
    'ContainerConfig',
    { name: 'a', image: 'b' },
    ['container "a": image "b" is not digest-pinned, the running image may change on restart'],
  ],
])('%s %j is warned of', (kind, fields, warnings) => {
  expect(check(doc(kind, fields as Section), VERSION).warnings).toEqual(warnings);
});

test.each([
  [
    'TimeSyncConfig',
    { ntp: {} },
    { time: { servers: ['a'] } },
    ['time servers cannot be specified in both v1alpha1 and new-style configuration'],
  ],
  [
    'KubeNodeConfig',
    {},
    { kubelet: { skipNodeRegistration: false } },
    ['.machine.kubelet.skipNodeRegistration is already set in v1alpha1 config'],
  ],
  ['ResolverConfig', {}, { features: { hostDNS: { enabled: true } } }, []],
  [
    'ResolverConfig',
    { hostDNS: { enabled: true } },
    { features: { hostDNS: { enabled: true } } },
    ['.machine.features.hostDNS is already set in v1alpha1 config'],
  ],
  [
    'UnattendedInstallConfig',
    { provisioning: { diskSelector: { match: 'true' } } },
    { install: { disk: 'a' } },
    ['UnattendedInstallConfig config is incompatible with v1alpha1 config (.machine.install)'],
  ],
  // Only the first clash is told.
  [
    'HostnameConfig',
    { hostname: 'a' },
    { network: { hostname: 'b' }, features: { stableHostname: true } },
    ['static hostname is already set in v1alpha1 config'],
  ],
])('%s %j beside %j', (kind, fields, machine, messages) => {
  expect(errorsOf(`${worker(machine as Section)}\n---\n${doc(kind, fields as Section)}`, VERSION)).toEqual(messages);
});
