import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etcdSpecController } from '../../src/nodes/controllers/etcd/spec.ts';
import { stableHostname } from '../../src/nodes/controllers/network/hostname-config.ts';
import { decodeBase62, encodeBase62 } from '../../src/nodes/discovery/base62.ts';
import {
  comparePrefixes,
  contains,
  filterIps,
  hostPrefix,
  nthAddress,
  overlaps,
  sortedUnique,
} from '../../src/nodes/net/addresses.ts';
import { type EtcdConfigSpec, EtcdConfigs, EtcdSpecs } from '../../src/nodes/resources/etcd.ts';
import { HostnameStatuses, NodeAddresses } from '../../src/nodes/resources/network.ts';
import { toHex } from '../../src/platform/bytes.ts';
import { TestWorld } from '../cosi/harness.ts';

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join('.'));

describe('IP filters (reference/controllers.md B.0.1)', () => {
  const candidates = ['10.0.0.5', '192.168.1.1', '192.168.1.50', '10.1.0.1'];

  it('orders by network first, then by input', () => {
    expect(filterIps(candidates, ['192.168.0.0/16', '10.0.0.0/8'])).toEqual([
      '192.168.1.1',
      '192.168.1.50',
      '10.0.0.5',
      '10.1.0.1',
    ]);
  });

  it('takes away only what came before', () => {
    expect(filterIps(candidates, ['0.0.0.0/0', '!10.0.0.0/8'])).toEqual(['192.168.1.1', '192.168.1.50']);
    expect(filterIps(candidates, ['!10.0.0.0/8', '10.0.0.0/16'])).toEqual(['10.0.0.5']);
    expect(filterIps(candidates, ['!10.0.0.0/8'])).toEqual([]);
    expect(filterIps(candidates, ['10.1.0.1'])).toEqual(['10.1.0.1']);
  });

  it('never invents nor doubles an address', () => {
    const networks = fc.array(
      fc.tuple(fc.boolean(), ipv4, fc.nat(32)).map(([not, a, n]) => `${not ? '!' : ''}${a}/${n}`),
    );
    fc.assert(
      fc.property(fc.uniqueArray(ipv4), networks, (addresses, list) => {
        const taken = filterIps(addresses, list);
        expect(new Set(taken).size).toBe(taken.length);
        for (const address of taken) expect(addresses).toContain(address);
      }),
    );
  });
});

describe('prefixes', () => {
  it('sort as the second algorithm does (reference/network-config.md F.1.2)', () => {
    const input = [
      '10.3.4.1/24',
      '10.3.4.5/24',
      '10.3.4.5/32',
      '1.2.3.4/26',
      '192.168.35.11/24',
      '192.168.36.10/24',
      'fd01:cafe::5054:ff:fe1f:c7bd/64',
      'fd01:cafe::f14c:9fa1:8496:557f/128',
    ];
    expect([...input].sort((a, b) => comparePrefixes('v2', a, b))).toEqual([
      '1.2.3.4/26',
      '10.3.4.5/32',
      '10.3.4.1/24',
      '10.3.4.5/24',
      '192.168.35.11/24',
      '192.168.36.10/24',
      'fd01:cafe::f14c:9fa1:8496:557f/128',
      'fd01:cafe::5054:ff:fe1f:c7bd/64',
    ]);
  });

  it('overlap exactly when one contains the start of the other', () => {
    expect(overlaps('10.0.0.10/8', '10.244.0.0/16')).toBe(true);
    expect(overlaps('10.0.0.10/24', '10.244.0.0/16')).toBe(false);
    expect(overlaps('10.244.3.0/24', '10.244.0.0/16')).toBe(true);
    expect(overlaps('fd00::1/64', '10.244.0.0/16')).toBe(false);
    fc.assert(
      fc.property(ipv4, fc.nat(32), ipv4, fc.nat(32), (a, m, b, n) => {
        expect(overlaps(`${a}/${m}`, `${b}/${n}`)).toBe(overlaps(`${b}/${n}`, `${a}/${m}`));
        if (contains(`${a}/${m}`, b)) expect(overlaps(`${a}/${m}`, hostPrefix(b))).toBe(true);
      }),
    );
  });

  it('count from the start of the network', () => {
    expect(nthAddress('10.96.0.0/12', 10)).toBe('10.96.0.10');
    expect(nthAddress('10.96.0.250/12', 300)).toBe('10.96.1.44');
    expect(nthAddress('fd00:10:96::/112', 10)).toBe('fd00:10:96::a');
  });

  it('sort by number, IPv4 first', () => {
    expect(sortedUnique(['10.0.0.11', 'fd00::1', '10.0.0.5', '9.255.0.1', '10.0.0.11'])).toEqual([
      '9.255.0.1',
      '10.0.0.5',
      '10.0.0.11',
      'fd00::1',
    ]);
  });
});

describe('names (reference/network-config.md F.2)', () => {
  it('stable hostname of an identity', () => {
    expect(stableHostname('fGdOI05hVrx3YMagLo0Bwxa2Nm9BAswWm8XLeEj0aS4')).toBe('talos-hwz-sw5');
  });

  it('machine id of an identity', () => {
    const id = decodeBase62('sou7yy34ykX3n373Zw1DXKb8zD7UnyKT6HT3QDsGH6L', 32);
    expect(toHex(id.subarray(0, 16))).toBe('be871ac0d0dd31fa4caca753b0f3f1b2');
  });

  it('identities are written with one character for five or six bits', () => {
    const id = 'sou7yy34ykX3n373Zw1DXKb8zD7UnyKT6HT3QDsGH6L';
    expect(encodeBase62(decodeBase62(id, 32))).toBe(id);
  });

  it('identities survive being written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(decodeBase62(encodeBase62(bytes), 32)).toEqual(bytes);
      }),
    );
  });
});

describe('etcd spec (reference/controllers.md B.1.2)', () => {
  const ROUTED = ['10.0.0.5/24', '192.168.1.1/24', '192.168.1.50/32', '2001:db8:85a3::8a2e:370:7334/64'];
  const V4 = ROUTED.slice(0, 3);
  const BASE: EtcdConfigSpec = {
    advertiseValidSubnets: [],
    advertiseExcludeSubnets: [],
    listenValidSubnets: [],
    listenExcludeSubnets: [],
    image: 'etcd',
    extraArgs: {},
  };

  function specOf(config: Partial<EtcdConfigSpec>, routed: readonly string[] = V4) {
    const world = new TestWorld();
    const state = world.state();
    world.runtime(state).register(etcdSpecController);
    state.create(EtcdConfigs, 'etcd', { ...BASE, ...config });
    state.create(HostnameStatuses, 'hostname', { hostname: 'cp-1', domainname: 'lab' });
    state.create(NodeAddresses, 'routed-no-k8s', { addresses: routed, sortAlgorithm: 'v1' });
    state.create(NodeAddresses, 'current-no-k8s', { addresses: ['1.3.5.7/32', ...routed], sortAlgorithm: 'v1' });
    world.advance(1_000_000);
    return state.get(EtcdSpecs, 'etcd')?.spec;
  }

  it.each([
    ['defaults', {}, ['10.0.0.5'], ['0.0.0.0'], ['0.0.0.0']],
    ['an excluded address', { advertiseExcludeSubnets: ['10.0.0.5'] }, ['192.168.1.1'], ['0.0.0.0'], ['0.0.0.0']],
    [
      'valid subnets',
      { advertiseValidSubnets: ['192.168.0.0/16', '1.3.5.7/32'] },
      ['192.168.1.1', '192.168.1.50', '1.3.5.7'],
      ['0.0.0.0'],
      ['0.0.0.0'],
    ],
    [
      'listen subnets',
      { advertiseValidSubnets: ['192.168.0.0/16', '1.3.5.7/32'], listenValidSubnets: ['192.168.0.0/16'] },
      ['192.168.1.1', '192.168.1.50', '1.3.5.7'],
      ['192.168.1.1', '192.168.1.50'],
      ['127.0.0.1', '192.168.1.1', '192.168.1.50'],
    ],
  ])('%s', (_name, config, advertised, peer, client) => {
    const spec = specOf(config)!;
    expect(spec.name).toBe('cp-1');
    expect(spec.advertisedAddresses).toEqual(advertised);
    expect(spec.listenPeerAddresses).toEqual(peer);
    expect(spec.listenClientAddresses).toEqual(client);
  });

  it('listens on the IPv6 wildcard when there is any IPv6 address (reference/v1.11.3.md 2.2)', () => {
    expect(specOf({}, ROUTED)!.listenPeerAddresses).toEqual(['::']);
  });

  it('says nothing when no address is left', () => {
    expect(specOf({ advertiseValidSubnets: ['172.16.0.0/12'] })).toBeUndefined();
  });
});
