import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAffiliate, sealAffiliate } from '../../src/nodes/discovery/affiliate.ts';
import type { AffiliateSpec } from '../../src/nodes/resources/cluster.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';

const crypto = createSimCrypto('affiliates');
const key = crypto.randomBytes(32);

const everything = fc.record({
  nodeId: fc.string(),
  addresses: fc.subarray(['10.0.0.5', '10.0.0.10', 'fd00::1']),
  hostname: fc.string(),
  nodename: fc.string(),
  operatingSystem: fc.constant('Talos (v1.11.3)'),
  machineType: fc.constantFrom('init' as const, 'controlplane' as const, 'worker' as const),
  kubespan: fc.record({
    publicKey: fc.string(),
    address: fc.constant('fd00::1'),
    additionalAddresses: fc.subarray(['10.244.0.0/24', 'fd01::/64']),
    endpoints: fc.subarray(['10.0.0.5:51820', '[fd00::1]:51820', '203.0.113.9:1024']),
  }),
  controlPlane: fc.option(fc.record({ port: fc.constantFrom(6443, 7443) })),
});
const affiliates: fc.Arbitrary<AffiliateSpec> = fc.oneof(
  everything,
  everything.map(({ kubespan: _, ...plain }) => plain),
);

describe('what machines tell each other through the discovery service', () => {
  it('survives sealing', () => {
    fc.assert(
      fc.property(affiliates, (spec) => {
        expect(openAffiliate(crypto, key, sealAffiliate(crypto, key, spec))).toEqual(spec);
      }),
    );
  });

  it('is not readable with another key, nor when it was changed or cut', () => {
    const [spec] = fc.sample(affiliates, { numRuns: 1, seed: 7 });
    const sealed = sealAffiliate(crypto, key, spec!);
    expect(openAffiliate(crypto, crypto.randomBytes(32), sealed)).toBeUndefined();
    const { data, endpoints } = sealed;
    for (const index of [0, 12, data.length - 1]) {
      const damaged = Uint8Array.from(data);
      damaged[index]! ^= 1;
      expect(openAffiliate(crypto, key, { data: damaged, endpoints })).toBeUndefined();
    }
    expect(openAffiliate(crypto, key, { data: data.subarray(0, 10), endpoints })).toBeUndefined();
  });
});
