import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAffiliate, sealAffiliate } from '../../src/nodes/discovery/affiliate.ts';
import type { AffiliateSpec } from '../../src/nodes/resources/cluster.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';

const crypto = createSimCrypto('affiliates');
const key = crypto.randomBytes(32);

const affiliates: fc.Arbitrary<AffiliateSpec> = fc.record({
  nodeId: fc.string(),
  addresses: fc.subarray(['10.0.0.5', '10.0.0.10', 'fd00::1']),
  hostname: fc.string(),
  nodename: fc.string(),
  operatingSystem: fc.constant('Talos (v1.11.3)'),
  machineType: fc.constantFrom('init' as const, 'controlplane' as const, 'worker' as const),
  controlPlane: fc.option(fc.record({ port: fc.constantFrom(6443, 7443) })),
});

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
    for (const index of [0, 12, sealed.length - 1]) {
      const damaged = Uint8Array.from(sealed);
      damaged[index]! ^= 1;
      expect(openAffiliate(crypto, key, damaged)).toBeUndefined();
    }
    expect(openAffiliate(crypto, key, sealed.subarray(0, 10))).toBeUndefined();
  });
});
