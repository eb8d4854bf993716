/** Validation of side documents (reference/network-config.md E.4, E.6; v1.11.3.md 11.1, 11.4). */
import { describe, expect, test } from 'vitest';
import { check, errorsOf, loadErrors, type Section, worker } from '../support.ts';

const doc = (kind: string, fields: Section = {}): string => JSON.stringify({ apiVersion: 'v1alpha1', kind, ...fields });
const of = (kind: string, fields: Section = {}, version?: string): string[] =>
  errorsOf(doc(kind, fields), version === undefined ? {} : { version });

describe('NetworkRuleConfig', () => {
  const rule = (ports: (number | string)[], ingress: Section[] = [{ subnet: '10.0.0.0/8' }]): Section => ({
    name: 'a',
    portSelector: { ports, protocol: 'tcp' },
    ingress,
  });

  test('a good one', () => {
    expect(of('NetworkRuleConfig', rule([80, '8000-8100']))).toEqual([]);
  });

  test.each([
    ['no name', { ...rule([80]), name: '' }, 'name is required'],
    ['no ports', rule([]), 'portSelector.ports is required'],
    ['ports that overlap', rule(['80-90', 85]), 'invalid port range: 85-85, overlaps with 80-90'],
    ['a range the wrong way round', rule(['90-80']), 'invalid port range: 90-80'],
    ['no subnet', rule([80], [{ subnet: '' }]), 'invalid subnet: invalid Prefix'],
  ])('%s', (_, fields, message) => {
    expect(of('NetworkRuleConfig', fields as Section)).toEqual([message]);
  });
});

describe('WatchdogTimerConfig', () => {
  test.each([
    [{ device: '/dev/watchdog0' }, []],
    [{ device: '/dev/watchdog0', timeout: '10s' }, []],
    [{}, ['watchdog device: empty value']],
    [{ device: 'a', timeout: '5s' }, ['watchdog timeout: minimum value is 10s']],
  ])('%j', (fields, messages) => {
    expect(of('WatchdogTimerConfig', fields as Section)).toEqual(messages);
  });
});

describe('KmsgLogConfig, EventSinkConfig, SideroLinkConfig', () => {
  test.each([
    ['KmsgLogConfig', { name: 'a', url: 'tcp://10.0.0.1:514' }, []],
    ['KmsgLogConfig', { name: '', url: 'tcp://10.0.0.1:514' }, ['name is required']],
    ['KmsgLogConfig', { name: 'a', url: '' }, ['url is required']],
    ['KmsgLogConfig', { name: 'a', url: 'https://a:1' }, ['url scheme must be tcp:// or udp://']],
    ['KmsgLogConfig', { name: 'a', url: 'tcp://a:1/b' }, ['url path must be empty']],
    ['KmsgLogConfig', { name: 'a', url: 'udp://a' }, ['url port is required']],
    ['EventSinkConfig', { endpoint: '10.0.0.1:4000' }, []],
    ['EventSinkConfig', { endpoint: '10.0.0.1' }, ['event sink endpoint: address 10.0.0.1: missing port in address']],
    [
      'EventSinkConfig',
      { endpoint: 'fd00::1:1' },
      ['event sink endpoint: address fd00::1:1: too many colons in address'],
    ],
    ['SideroLinkConfig', { apiUrl: 'grpc://a:1?jointoken=b' }, []],
    ['SideroLinkConfig', { apiUrl: '' }, ['apiUrl is required']],
    ['SideroLinkConfig', { apiUrl: 'http://a' }, ['apiUrl scheme must be https:// or grpc://']],
    ['SideroLinkConfig', { apiUrl: 'https://a/b' }, ['apiUrl path must be empty']],
  ])('%s %j', (kind, fields, messages) => {
    expect(of(kind, fields as Section)).toEqual(messages);
  });
});

describe('ExtensionServiceConfig', () => {
  const file: Section = { content: 'a', mountPath: '/b' };

  test.each([
    [{ name: 'a', configFiles: [file] }, []],
    [{ name: 'a', environment: ['A=b'] }, []],
    [{ name: 'a' }, ['no config files found for extension "a"']],
    [{ name: '', configFiles: [file] }, ['name is required']],
    [{ name: 'a', configFiles: [{ ...file, content: '' }] }, ['extension content is required for extension "a"']],
    [{ name: 'a', configFiles: [{ ...file, mountPath: '' }] }, ['extension mount path is required for extension "a"']],
  ])('%j', (fields, messages) => {
    expect(of('ExtensionServiceConfig', fields as Section)).toEqual(messages);
  });
});

describe('volumes', () => {
  const selector: Section = { diskSelector: { match: 'disk.transport == "nvme"' } };
  const keys = [{ slot: 0, nodeID: {} }];

  test('a system volume is one of the known ones', () => {
    expect(of('VolumeConfig', { name: 'EPHEMERAL', provisioning: { maxSize: '50GiB' } })).toEqual([]);
    expect(of('VolumeConfig', { name: '' })).toHaveLength(1);
    expect(of('VolumeConfig', { name: 'OTHER' })).toHaveLength(1);
  });

  test('STATE takes encryption but no provisioning', () => {
    expect(of('VolumeConfig', { name: 'STATE', encryption: { provider: 'luks2', keys } })).toEqual([]);
    expect(of('VolumeConfig', { name: 'STATE', provisioning: { minSize: '1GB' } })).toHaveLength(1);
  });

  test('encryption needs a provider, keys and distinct slots', () => {
    const encrypted = (encryption: Section): string[] => of('VolumeConfig', { name: 'EPHEMERAL', encryption });
    expect(encrypted({ provider: 'luks2', keys })).toEqual([]);
    expect(encrypted({ provider: 'luks2' })).toHaveLength(1);
    expect(encrypted({ provider: 'luks2', keys: [...keys, ...keys] })).toHaveLength(1);
    expect(encrypted({ provider: 'luks2', keys: [{ slot: 0 }] })).toHaveLength(1);
  });

  test.each(['UserVolumeConfig', 'RawVolumeConfig', 'SwapVolumeConfig'])('%s needs a selector and a size', (kind) => {
    expect(of(kind, { name: 'data', provisioning: { ...selector, minSize: '10GB' } })).toEqual([]);
    expect(of(kind, { name: 'data', provisioning: { minSize: '10GB' } })).toEqual(['disk selector is required']);
    expect(of(kind, { name: 'data', provisioning: selector })).toEqual(['min size or max size is required']);
    expect(of(kind, { name: 'data', provisioning: { ...selector, minSize: '10GB', maxSize: '5GB' } })).toHaveLength(1);
  });

  test('names have 1 to 34 characters of a small alphabet', () => {
    const named = (name: string): string[] =>
      of('UserVolumeConfig', { name, provisioning: { ...selector, minSize: '10GB' } });
    expect(named('a'.repeat(34))).toEqual([]);
    for (const name of ['', 'a'.repeat(35), 'a_b', 'a/b', 'ä']) {
      expect(named(name)).not.toEqual([]);
    }
  });

  test('a selector must compile', () => {
    const [message] = of('UserVolumeConfig', {
      name: 'data',
      provisioning: { diskSelector: { match: 'disk.siz > 1u' }, minSize: '10GB' },
    });
    expect(message).toContain("undefined field 'siz'");
  });

  test('an existing volume needs a selector', () => {
    const match = 'volume.partition_label == "x"';
    expect(of('ExistingVolumeConfig', { name: 'data', discovery: { volumeSelector: { match } } })).toEqual([]);
    expect(of('ExistingVolumeConfig', { name: 'data' })).toHaveLength(1);
  });

  test('zswap takes percents', () => {
    expect(of('ZswapConfig', { maxPoolPercent: 100 })).toEqual([]);
    expect(of('ZswapConfig', { maxPoolPercent: 101 })).toHaveLength(1);
    expect(of('ZswapConfig', { maxPoolPercent: -1 })).toHaveLength(1);
  });

  test('encryption in both places (v1.11.3.md 11.4)', () => {
    const legacy = worker({ systemDiskEncryption: { state: { provider: 'luks2', keys } } });
    const both = `${legacy}\n---\n${doc('VolumeConfig', { name: 'STATE', encryption: { provider: 'luks2', keys } })}`;
    expect(errorsOf(both)).toEqual([
      'system disk encryption for "STATE" is configured in both v1alpha1.Config and VolumeConfig',
    ]);
    expect(errorsOf(both.replace('"STATE"', '"EPHEMERAL"'))).toEqual([]);
  });
});

describe('documents of later releases (E.4)', () => {
  test('a bond for LACP without timers is warned of', () => {
    const bond = doc('BondConfig', { name: 'a', links: ['b'], bondMode: '802.3ad', miimon: 100 });
    expect(check(bond, { version: 'v1.12.0' }).warnings).toEqual([
      'updelay was not specified for 802.3ad bond',
      'downdelay was not specified for 802.3ad bond',
    ]);
  });

  test('what a document takes over must not stand in the legacy one', () => {
    const text = `${worker({ network: { hostname: 'a' } })}\n---\n${doc('HostnameConfig', { hostname: 'b' })}`;
    expect(errorsOf(text, { version: 'v1.12.0' })).toEqual(['static hostname is already set in v1alpha1 config']);
  });

  test('control plane documents on a worker are named together (E.6)', () => {
    const kinds = ['KubeSchedulerConfig', 'KubeAuditPolicyConfig'].map((kind) =>
      doc(kind, { image: 'a' }).replace(/,"image":"a"/, ''),
    );
    expect(errorsOf(`${worker()}\n---\n${kinds.join('\n---\n')}`, { version: 'v1.14.0' })).toContain(
      'the following document kinds are only allowed on control plane machines: [KubeAuditPolicyConfig KubeSchedulerConfig]',
    );
  });
});

describe('rules over all documents of later releases (E.6)', () => {
  const LATER = { version: 'v1.14.0' };
  const together = (...texts: string[]): string => texts.join('\n---\n');

  test('container mode needs the resolver on the host, and that it forwards', () => {
    const inContainer = (dns?: Section): string[] =>
      errorsOf(together(worker(), ...(dns === undefined ? [] : [doc('ResolverConfig', { hostDNS: dns })])), {
        ...LATER,
        mode: 'container',
      });
    expect(inContainer()).toEqual(['hostDNS config is required in container mode']);
    expect(inContainer({ enabled: false })).toEqual(['hostDNS config is required in container mode']);
    expect(inContainer({ enabled: true })).toEqual(['forwardKubeDNSToHost must be enabled in container mode']);
    expect(inContainer({ enabled: true, forwardKubeDNSToHost: true })).toEqual([]);
    expect(errorsOf(worker(), LATER)).toEqual([]);
  });

  test('encrypted name servers need the resolver on the host', () => {
    const servers = { nameservers: [{ address: '1.1.1.1', protocol: 'DoT', tlsServerName: 'a' }] };
    expect(of('ResolverConfig', servers, 'v1.14.0')).toEqual([
      'hostDNS must be enabled when using non-default DNS protocols',
    ]);
    expect(of('ResolverConfig', { ...servers, hostDNS: { enabled: true } }, 'v1.14.0')).toEqual([]);
  });

  test('containers wait for containers that exist, and not in a circle', () => {
    const container = (name: string, ...others: string[]): string =>
      doc('ContainerConfig', { name, image: `a@sha256:${'0'.repeat(64)}`, dependsOn: { containers: others } });
    const problems = (...texts: string[]): string[] => errorsOf(together(...texts), LATER);
    expect(problems(container('a', 'b'), container('b'))).toEqual([]);
    expect(problems(container('a', 'b'))).toEqual(['container "a" depends on container "b", which is not configured']);
    expect(problems(container('a', 'b'), container('b', 'c'), container('c', 'a'))).toEqual([
      'container dependsOn cycle detected: a -> b -> c -> a',
    ]);
  });

  test('the peer of a veth pair is a link too', () => {
    const pair = (name: string, peer: string): string => doc('VethConfig', { name, peer: { name: peer } });
    const found = loadErrors(together(pair('a', 'b'), doc('LinkConfig', { name: 'b' })), 'v1.14.0');
    expect(found).toEqual([
      'config.yaml:1:1: peer.name: conflicting documents: LinkConfig/b and the peer of VethConfig/a (give one of them another name)',
    ]);
    expect(loadErrors(together(pair('a', 'b'), pair('c', 'b')), 'v1.14.0')).toHaveLength(1);
    expect(loadErrors(together(pair('a', 'b'), pair('c', 'd')), 'v1.14.0')).toEqual([]);
  });

  test('a user volume may name no file system: it is the zero value, hence the default', () => {
    const volume = {
      name: 'a',
      provisioning: { diskSelector: { match: 'true' }, minSize: '1GiB' },
      filesystem: { type: 'none' },
    };
    expect(of('UserVolumeConfig', volume, 'v1.14.0')).toEqual([]);
    expect(of('UserVolumeConfig', volume)).toEqual([]);
    expect(of('UserVolumeConfig', { ...volume, filesystem: { type: 'vfat' } })).toEqual([
      'unsupported filesystem type: vfat',
    ]);
  });
});
