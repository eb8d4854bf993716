import { describe, expect, it } from 'vitest';
import { MAIN, patch, problem, values } from './helpers.ts';

const VOLUME = `
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning:
  diskSelector: {match: disk.size > 100u * GB}
  minSize: 20GiB
  maxSize: 50GiB
`;

describe('several documents (E.10 "Strategic merge", F.5.5, F.5.7)', () => {
  it('erases selector and minSize when a patch of the same volume omits them (F.5.7 quirk)', () => {
    const change = 'apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nfilesystem: {type: ext4}\n';
    expect(values(patch(VOLUME, change))).toEqual([
      {
        kind: 'UserVolumeConfig',
        name: 'data',
        value: expect.objectContaining({ provisioning: { maxSize: '50GiB' }, filesystem: { type: 'ext4' } }),
      },
    ]);
  });

  it('matches kind and name; other documents are appended, the legacy one stays first (F.5.5)', () => {
    const config = `${VOLUME}---\nmachine: {type: worker}\n`;
    const change = `${VOLUME.replace('name: data', 'name: other')}---\napiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n`;
    const documents = values(patch(config, change)).map(({ kind, name }) => `${kind}/${name}`);
    expect(documents).toEqual(['v1alpha1/', 'UserVolumeConfig/data', 'UserVolumeConfig/other', 'WatchdogTimerConfig/']);
  });

  it('replaces rules and ports of the firewall, merges configFiles by mount path (E.10 replace fields, custom mergers)', () => {
    const rule = (ports: string, subnet: string) =>
      `apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: api\nportSelector: {ports: [${ports}], protocol: tcp}\ningress: [{subnet: ${subnet}}]\n`;
    expect(values(patch(rule('6443', '10.0.0.0/8'), rule('50000', '10.1.0.0/16')))).toEqual(
      values(rule('50000', '10.1.0.0/16')),
    );
    const service = (files: string) =>
      `apiVersion: v1alpha1\nkind: ExtensionServiceConfig\nname: x\nconfigFiles: ${files}\n`;
    const merged = patch(
      service('[{content: a, mountPath: /a}]'),
      service('[{content: A, mountPath: /a}, {content: b, mountPath: /b}]'),
    );
    expect(values(merged)).toEqual(values(service('[{content: A, mountPath: /a}, {content: b, mountPath: /b}]')));
  });

  it('kinds after v1.11 merge by general rules, in the order of their fields (F.5.5)', () => {
    const config = `
apiVersion: v1alpha1
kind: LinkConfig
name: ens3
mtu: 1500
addresses: [{address: 10.9.1.5/24}]
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
`;
    const change = `
apiVersion: v1alpha1
kind: LinkConfig
name: ens3
mtu: 9000
addresses: [{address: 10.9.1.6/24}]
---
{apiVersion: v1alpha1, kind: LinkConfig, name: ens4, up: true}
---
{apiVersion: v1alpha1, kind: HostnameConfig, hostname: bee}
`;
    expect(patch(config, change, MAIN)).toBe(`apiVersion: v1alpha1
kind: LinkConfig
name: ens3
mtu: 9000
addresses:
    - address: 10.9.1.5/24
    - address: 10.9.1.6/24
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
hostname: bee
---
apiVersion: v1alpha1
kind: LinkConfig
name: ens4
up: true
`);
    expect(problem(config, change)).toBe('"LinkConfig" "v1alpha1": not registered');
  });

  it('the same document twice in one patch: refused up to v1.11, merged one after the other from v1.12 on (11.5)', () => {
    const mirror = (body: string) => `apiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: registry.k8s.io\n${body}`;
    const config = mirror('endpoints: [{url: http://172.20.0.1:5001}]\n');
    const change = [
      mirror('endpoints: {$patch: delete}\n'),
      mirror('endpoints: [{url: http://172.20.0.251:50001}]\n'),
      mirror('skipFallback: true\n'),
    ].join('---\n');
    expect(patch(config, change, MAIN)).toBe(`apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: registry.k8s.io
endpoints:
    - url: http://172.20.0.251:50001
skipFallback: true
`);
    const twice = `${VOLUME}---${VOLUME}`;
    expect(problem(VOLUME, twice)).toBe('duplicate document v1alpha1/UserVolumeConfig/data is not allowed');
    expect(problem('machine: {}\n', twice, MAIN)).toBe('no problem');
  });

  it('refuses results that cannot be constructed (E.6, "Already at construction")', () => {
    const existing = `apiVersion: v1alpha1\nkind: ExistingVolumeConfig\nname: data\ndiscovery: {volumeSelector: {match: "true"}}\n`;
    expect(problem(VOLUME, existing)).toMatch(/^conflicting documents: /);
  });
});

it.each([
  [
    'ResolverConfig',
    {},
    { nameservers: [{ address: '10.0.0.1' }], searchDomains: { domains: ['a'] } },
    { nameservers: [{ address: '10.0.0.2' }], searchDomains: { domains: ['b'] } },
    { nameservers: [{ address: '10.0.0.1' }, { address: '10.0.0.2' }], searchDomains: { domains: ['a', 'b'] } },
  ],
  [
    'RegistryMirrorConfig',
    { name: 'a' },
    { endpoints: [{ url: 'https://a' }] },
    { endpoints: [{ url: 'https://b' }] },
    { endpoints: [{ url: 'https://a' }, { url: 'https://b' }] },
  ],
  [
    'KubeAuditPolicyConfig',
    {},
    { configuration: { a: 1, b: 2 } },
    { configuration: { b: 3 } },
    { configuration: { b: 3 } },
  ],
  [
    'KubeAdmissionControlConfig',
    { name: 'a' },
    { configuration: { a: [1] } },
    { configuration: { a: [2] } },
    { configuration: { a: [1, 2] } },
  ],
])(
  '%s: lists are appended unless the reference says that they are replaced (E.10 "Replace fields")',
  (kind, named, left, right, merged) => {
    const header = { apiVersion: 'v1alpha1', kind, ...named };
    const text = patch(JSON.stringify({ ...header, ...left }), JSON.stringify({ ...header, ...right }), MAIN);
    expect(values(text, MAIN)[0]!.value).toMatchObject(merged);
    for (const [key, value] of Object.entries(merged)) expect(values(text, MAIN)[0]!.value[key]).toEqual(value);
  },
);
