import { describe, expect, it } from 'vitest';
import {
  Affiliate,
  AffiliateEndpoint,
  AffiliateUpdateRequest,
  HelloResponse,
  IpPrefix,
  KubeSpan,
  WatchResponse,
} from '../../../src/api/discovery.ts';
import { createHostCrypto } from '../../../src/host/crypto/crypto.ts';
import { sealAffiliate } from '../../../src/nodes/discovery/affiliate.ts';
import { toHex } from '../../../src/platform/bytes.ts';
import { Duration } from '../../../src/rpc/well-known.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Bytes written out by hand from the field numbers of discovery-api. */
describe('messages of the discovery service on the wire', () => {
  it('an update', () => {
    const request = AffiliateUpdateRequest.of({
      clusterId: 'c',
      affiliateId: 'a',
      affiliateData: bytes(7),
      affiliateEndpoints: [bytes(8), bytes(9)],
      ttl: Duration.of({ seconds: 1_800 }),
    });
    expect(toHex(AffiliateUpdateRequest.encode(request))).toBe('0a01631201611a01072201082201092a0308880e');
  });

  it('data that is absent is not data that is empty', () => {
    const absent = AffiliateUpdateRequest.of({ clusterId: 'c' });
    const empty = AffiliateUpdateRequest.of({ clusterId: 'c', affiliateData: bytes() });
    expect(toHex(AffiliateUpdateRequest.encode(absent))).toBe('0a0163');
    expect(toHex(AffiliateUpdateRequest.encode(empty))).toBe('0a01631a00');
    expect(AffiliateUpdateRequest.decode(AffiliateUpdateRequest.encode(absent)).affiliateData).toBe(null);
    expect(AffiliateUpdateRequest.decode(AffiliateUpdateRequest.encode(empty)).affiliateData).toEqual(bytes());
  });

  it('answers', () => {
    const hello = HelloResponse.of({ redirect: { endpoint: 'x:1' }, clientIp: bytes(10, 0, 0, 5) });
    expect(toHex(HelloResponse.encode(hello))).toBe('0a050a03783a3112040a000005');
    const gone = WatchResponse.of({ affiliates: [{ id: 'a', data: bytes(), endpoints: [] }], deleted: true });
    expect(toHex(WatchResponse.encode(gone))).toBe('0a030a01611001');
  });

  it('what members seal: KubeSpan and endpoints', () => {
    const kubespan = KubeSpan.of({
      publicKey: 'k',
      address: bytes(1),
      additionalAddresses: [IpPrefix.of({ ip: bytes(10, 244, 0, 0), bits: 24 })],
    });
    expect(toHex(Affiliate.encode(Affiliate.of({ nodeId: 'n', kubespan })))).toBe(
      '0a016e3a100a016b1201011a080a040af400001018',
    );
    const endpoint = AffiliateEndpoint.of({ ip: bytes(10, 0, 0, 1), port: 51_820 });
    expect(toHex(AffiliateEndpoint.encode(endpoint))).toBe('0a040a00000110ec9403');
  });

  it('a machine seals the message that is described here', () => {
    const crypto = createHostCrypto();
    const key = crypto.randomBytes(32);
    const { data: sealed, endpoints } = sealAffiliate(crypto, key, {
      nodeId: 'n',
      addresses: ['10.0.0.5'],
      hostname: 'h.example',
      nodename: 'h',
      machineType: 'controlplane',
      operatingSystem: 'Talos (v1.11.3)',
      kubespan: {
        publicKey: 'k',
        address: 'fd00::1',
        additionalAddresses: ['10.244.0.0/24'],
        endpoints: ['10.0.0.5:51820', '[2001:db8::1]:4'],
      },
      controlPlane: { port: 6_443 },
    });
    // A length, the message, zeros up to whole blocks.
    expect(endpoints.map((endpoint) => toHex(crypto.decryptBlocks(key, endpoint)))).toEqual([
      '0a0a040a00000510ec94030000000000',
      '140a1020010db80000000000000000000000011004'.padEnd(64, '0'),
    ]);
    expect(Affiliate.decode(crypto.open(key, sealed.slice(0, 12), sealed.slice(12)))).toEqual(
      Affiliate.of({
        nodeId: 'n',
        addresses: [bytes(10, 0, 0, 5)],
        hostname: 'h.example',
        nodename: 'h',
        machineType: 'controlplane',
        operatingSystem: 'Talos (v1.11.3)',
        kubespan: {
          publicKey: 'k',
          address: Uint8Array.of(0xfd, ...new Array<number>(14).fill(0), 1),
          additionalAddresses: [{ ip: bytes(10, 244, 0, 0), bits: 24 }],
        },
        controlPlane: { apiServerPort: 6_443 },
      }),
    );
  });
});
