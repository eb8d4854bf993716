import { describe, expect, it } from 'vitest';
import { CRT, check, controlPlane, errorsOf, KEY, type Section, worker } from '../support.ts';

const cluster = (section: Section): string => controlPlane({}, section);
const ENDPOINT = { controlPlane: { endpoint: 'https://x:6443' } };

// reference/network-config.md E.5, Cluster part (row numbers in the names).
describe('cluster section', () => {
  it('checks the endpoint (row 3)', () => {
    const withEndpoint = (endpoint: string): string => cluster({ controlPlane: { endpoint } });
    expect(errorsOf(withEndpoint('https://:6443'))).toEqual([
      'invalid controlplane endpoint: hostname must not be blank',
    ]);
    expect(errorsOf(withEndpoint('https://x:99999'))).toEqual([
      'invalid controlplane endpoint: port number must be between 1 and 65535',
    ]);
    expect(errorsOf(withEndpoint('https://[fd00::1]:6443'))).toEqual([]);
    expect(errorsOf(withEndpoint('10.0.0.1'))).toEqual(['invalid controlplane endpoint: hostname must not be blank']);
  });

  it('checks the DNS domain (row 4)', () => {
    expect(errorsOf(cluster({ network: { dnsDomain: 'a b' } }))).toEqual(['"a b" is not a valid DNS name']);
    expect(errorsOf(cluster({ network: { dnsDomain: '' } }))).toEqual([]);
    expect(errorsOf(cluster({ network: { dnsDomain: 'cluster.local' } }))).toEqual([]);
  });

  it('checks the external cloud provider (row 5)', () => {
    const manifests = ['https://www.example.com/manifest1.yaml'];
    expect(errorsOf(cluster({ externalCloudProvider: { manifests } }))).toEqual([
      'external cloud provider is disabled, but manifests are provided',
    ]);
    expect(errorsOf(cluster({ externalCloudProvider: { enabled: true, manifests: ['/manifest.yaml'] } }))).toEqual([
      'invalid external cloud provider manifest url "/manifest.yaml": hostname must not be blank',
    ]);
    expect(errorsOf(cluster({ externalCloudProvider: { enabled: true, manifests } }))).toEqual([]);
  });

  it('allows etcd on control planes only and checks its networks (row 6)', () => {
    expect(errorsOf(worker({}, { etcd: {} }))).toEqual(['etcd config is only allowed on control plane machines']);
    expect(errorsOf(cluster({ etcd: {} }))).toEqual(['key/cert combination should not be empty']);
    const ca = { crt: CRT, key: KEY };
    expect(errorsOf(cluster({ etcd: { ca, subnet: '10.0.0.0/8', advertisedSubnets: ['10.0.0.0/8'] } }))).toEqual([
      "etcd subnet can't be set when advertised subnets are set",
    ]);
    expect(errorsOf(cluster({ etcd: { ca, advertisedSubnets: ['!10.0.0.0/8', 'x'] } }))).toEqual([
      'etcd advertised subnet is not valid: "x"',
      'etcd listen subnet is not valid: "x"',
    ]);
    expect(errorsOf(cluster({ etcd: { ca, listenSubnets: ['10'] } }))).toEqual([
      'etcd listen subnet is not valid: "10"',
    ]);
  });

  it('keeps the CA key off workers (row 7)', () => {
    expect(errorsOf(worker({}, { ca: { crt: CRT } }))).toEqual([]);
    expect(errorsOf(worker({}, { ca: { crt: CRT, key: KEY } }))[0]).toBe(
      'cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)',
    );
  });

  it('wants inline manifest names, each once (row 8)', () => {
    const inlineManifests = ['', 'foo', 'bar', 'foo'].map((name) => ({ name, contents: 'x' }));
    expect(errorsOf(cluster({ inlineManifests }))).toEqual([
      "inline manifest name can't be empty",
      'inline manifest name "foo" is duplicate',
    ]);
  });

  it('checks discovery when it uses the service (row 9)', () => {
    const discovery = (service: Section, enabled = true): Section => ({
      discovery: { enabled, registries: { service } },
    });
    const missing = [
      'cluster discovery service requires .cluster.id',
      'cluster discovery service requires .cluster.secret',
    ];
    expect(errorsOf(cluster(discovery({})))).toEqual(missing);
    expect(errorsOf(cluster(discovery({ disabled: true })))).toEqual([]);
    expect(errorsOf(cluster(discovery({}, false)))).toEqual([]);
    expect(errorsOf(cluster({ id: 'a', secret: 'b', ...discovery({ endpoint: 'https://d/path' }) }))).toEqual([
      'cluster discovery service path should be empty',
    ]);
    expect(errorsOf(cluster({ id: 'a', secret: 'b', ...discovery({ endpoint: 'nowhere' }) }))).toEqual([
      'cluster discovery service registry endpoint is invalid: parse "nowhere": invalid URI for request',
    ]);
  });

  it('checks the API server, first problem only (row 10)', () => {
    const authorizationConfig = [{ type: 'Webhook', name: 'w' }];
    const apiServer = (section: Section): string[] => errorsOf(cluster({ apiServer: section }));
    expect(apiServer({ authorizationConfig, extraArgs: { 'authorization-mode': 'Node' } })).toEqual([
      'authorization-mode cannot be used in conjunction with AuthorizationConfig, use eitherr AuthorizationConfig or authorization-mode',
    ]);
    expect(apiServer({ authorizationConfig, extraArgs: { 'authorization-webhook-version': 'v1' } })).toEqual([
      'authorization-webhook-* flags cannot be used in conjunction with AuthorizationConfig, use either AuthorizationConfig or authorization-webhook-* flags',
    ]);
    const prefix = 'apiserver authorization config validation failed: authorizer';
    expect(apiServer({ authorizationConfig: [{ name: 'x' }] })).toEqual([`${prefix} type must be set`]);
    expect(apiServer({ authorizationConfig: [{ type: 'Node' }] })).toEqual([`${prefix} name must be set`]);
    expect(apiServer({ authorizationConfig: [{ type: 'ABAC', name: 'x' }] })).toEqual([
      `${prefix} type ABAC is not allowed, allowed types are [Node RBAC Webhook]`,
    ]);
  });

  it('allows cpu and memory only (rows 10, 11)', () => {
    expect(
      errorsOf(
        cluster({
          apiServer: { resources: { requests: { disk: '1' } } },
          controllerManager: { resources: { limits: { gpu: '1' } } },
          scheduler: { resources: { limits: { cpu: '1', memory: '1', x: 1 } } },
        }),
      ),
    ).toEqual([
      'apiserver resource validation failed: unsupported pod resource "disk"',
      'controller-manager resource validation failed: unsupported pod resource "gpu"',
      'scheduler resource validation failed: unsupported pod resource "x"',
    ]);
  });
});

// E.5 "CNI"; applies to control planes only.
describe('network plugin', () => {
  const cni = (section: Section): { errors: string[]; warnings: string[] } =>
    check(cluster({ network: { cni: section } }));

  it('knows three names', () => {
    expect(cni({ name: 'calico' }).errors).toEqual(['cni name should be one of ["flannel", "custom", "none"]']);
    expect(errorsOf(worker({}, { ...ENDPOINT, network: { cni: { name: 'calico' } } }))).toEqual([]);
  });

  it('allows URLs for custom only, and warns when it has none', () => {
    expect(cni({ name: 'flannel', urls: ['https://x/y'] }).errors).toEqual([
      '"urls" field should be empty for "flannel" CNI',
    ]);
    expect(cni({ name: 'none', urls: ['https://x/y'] }).errors).toEqual([
      '"urls" field should be empty for "none" CNI',
    ]);
    expect(cni({ name: 'custom' }).warnings).toEqual(['"urls" field should not be empty for "custom" CNI']);
    expect(cni({ name: 'custom', urls: ['/x'] }).errors).toEqual(['hostname must not be blank']);
  });

  it('allows flannel settings for flannel only', () => {
    const flannel = { extraArgs: ['--x'] };
    expect(cni({ name: 'none', flannel }).errors).toEqual(['"flanneldExtraArgs" field should be empty for "none" CNI']);
    expect(cni({ flannel }).errors).toEqual([]);
    const later = cluster({ network: { cni: { name: 'none', flannel: { kubeNetworkPoliciesEnabled: true } } } });
    expect(errorsOf(later, { version: 'v1.12.0' })).toEqual([
      '"flannelKubeNetworkPoliciesEnabled" should not be enabled for "none" CNI',
    ]);
  });
});
