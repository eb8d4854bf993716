import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHostCrypto } from '../../../src/host/crypto/crypto.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import {
  type CryptoPort,
  certificateFromPem,
  type KeyPair,
  type KeySpec,
  keyPairFromPem,
  privateKeyFromPem,
} from '../../../src/platform/crypto.ts';
import { chainProblem, hostProblem } from '../../../src/platform/x509/verify.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';

const NOW_SEC = 1_760_000_000;
const YEAR_SEC = 31_536_000;
const SPECS: readonly KeySpec[] = ['ed25519', 'ecdsa-p256', 'rsa-2048', 'rsa-4096'];

function authority(crypto: CryptoPort, keySpec: KeySpec, organization = 'talos'): KeyPair {
  return crypto.selfSignedAuthority({
    subject: { organizations: [organization] },
    keySpec,
    notBeforeSec: NOW_SEC,
    notAfterSec: NOW_SEC + 10 * YEAR_SEC,
  });
}

function serverCertificate(crypto: CryptoPort, signer: KeyPair) {
  const key = crypto.generateKey('ed25519');
  const certificate = crypto.issueCertificate({
    subject: { commonName: 'cp-1' },
    dnsNames: ['cp-1', '*.lab'],
    ipAddresses: ['10.0.0.10', 'fd00::1'],
    notBeforeSec: NOW_SEC,
    notAfterSec: NOW_SEC + 86_400,
    keyUsages: ['digital-signature'],
    extendedKeyUsages: ['server-auth'],
    publicKey: key.publicKey,
    signer,
  });
  return { certificate, key };
}

describe('seeded crypto', () => {
  it('is a function of its seed', () => {
    const story = (seed: string) => {
      const crypto = createSimCrypto(seed);
      const ca = authority(crypto, 'ed25519');
      const leaf = serverCertificate(crypto, ca);
      return [
        crypto.randomBytes(5).join(),
        crypto.certificateToPem(leaf.certificate),
        crypto.privateKeyToPem(leaf.key),
      ];
    };
    expect(story('run 1/cp-1')).toEqual(story('run 1/cp-1'));
    expect(story('run 1/cp-1')).not.toEqual(story('run 1/cp-2'));
  });

  it('makes certificates without encoding them', () => {
    const crypto = createSimCrypto('lazy');
    expect(authority(crypto, 'ecdsa-p256').certificate.der).toBeNull();
  });

  it('reads back from PEM what it issued, and recognises who signed it', () => {
    for (const spec of SPECS) {
      const crypto = createSimCrypto(`round ${spec}`);
      const ca = authority(crypto, spec);
      const leaf = serverCertificate(crypto, ca);
      const readCa = keyPairFromPem(crypto, crypto.certificateToPem(ca.certificate), crypto.privateKeyToPem(ca.key));
      const readLeaf = certificateFromPem(crypto, crypto.certificateToPem(leaf.certificate));
      expect(readCa.key).toEqual(ca.key);
      for (const [read, made] of [
        [readLeaf, leaf.certificate],
        [readCa.certificate, ca.certificate],
      ] as const) {
        const { der, subject, issuer, ...rest } = made;
        expect(read).toMatchObject(rest);
        expect(read.subject.commonName).toBe(subject.commonName);
        expect(read.issuer.organizations).toEqual(issuer.organizations);
        expect(crypto.certificateToPem(read)).toBe(crypto.certificateToPem(made));
      }
      expect(crypto.isSignedBy(readLeaf, ca.certificate)).toBe(true);
      expect(crypto.isSignedBy(leaf.certificate, readCa.certificate)).toBe(true);
      expect(crypto.isSignedBy(leaf.certificate, authority(crypto, spec).certificate)).toBe(false);
    }
  });

  it('renders PEM that real tools can parse', () => {
    const crypto = createSimCrypto('format');
    const host = createHostCrypto();
    const leaf = serverCertificate(crypto, authority(crypto, 'ecdsa-p256'));
    const read = certificateFromPem(host, crypto.certificateToPem(leaf.certificate));
    expect(read).toMatchObject({
      serial: leaf.certificate.serial,
      dnsNames: ['cp-1', '*.lab'],
      ipAddresses: ['10.0.0.10', 'fd00::1'],
    });
  });

  it('takes real keys and certificates, as a config generated outside has them', () => {
    const host = createHostCrypto();
    const crypto = createSimCrypto('foreign');
    for (const spec of ['ed25519', 'ecdsa-p256', 'rsa-2048'] as const) {
      const real = authority(host, spec);
      const admin = serverCertificate(host, real);
      const ca = keyPairFromPem(crypto, host.certificateToPem(real.certificate), host.privateKeyToPem(real.key));
      expect(ca.key.publicKey).toEqual(real.key.publicKey);
      expect(
        crypto.isSignedBy(certificateFromPem(crypto, host.certificateToPem(admin.certificate)), ca.certificate),
      ).toBe(true);
      const issued = serverCertificate(crypto, ca);
      expect(crypto.isSignedBy(issued.certificate, ca.certificate)).toBe(true);
    }
  });

  it('derives the public half of real Ed25519 keys as node:crypto does', () => {
    const host = createHostCrypto();
    const crypto = createSimCrypto('ed');
    for (let i = 0; i < 5; i++) {
      const real = host.generateKey('ed25519');
      expect(privateKeyFromPem(crypto, host.privateKeyToPem(real)).publicKey.keyId).toBe(real.publicKey.keyId);
    }
  });

  it('gives one owner different RSA keys from the pool', () => {
    const crypto = createSimCrypto('pool');
    const ids = Array.from({ length: 6 }, () => crypto.generateKey('rsa-4096').publicKey.keyId);
    expect(new Set(ids).size).toBe(6);
  });

  it('signs so that only the same key and data verify', () => {
    const crypto = createSimCrypto('sign');
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.constantFrom(...SPECS), (a, b, spec) => {
        const key = crypto.generateKey(spec);
        const signature = crypto.sign(key, a);
        expect(crypto.verify(key.publicKey, a, signature)).toBe(true);
        expect(crypto.verify(key.publicKey, b, signature)).toBe(a.join() === b.join());
        expect(crypto.verify(crypto.generateKey('ed25519').publicKey, a, signature)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('passes signing requests on', () => {
    const crypto = createSimCrypto('csr');
    const key = crypto.generateKey('ed25519');
    const [item] = crypto.parsePem(
      crypto.createSigningRequest({
        subject: { organizations: ['o'], commonName: 'w1' },
        dnsNames: ['w1'],
        ipAddresses: ['::1'],
        key,
      }),
    );
    expect(item).toMatchObject({
      type: 'signing-request',
      request: {
        subject: { organizations: ['o'], commonName: 'w1' },
        dnsNames: ['w1'],
        ipAddresses: ['::1'],
        publicKey: key.publicKey,
      },
    });
  });

  it('seals and encrypts blocks invertibly, with the sizes of AES', () => {
    const crypto = createSimCrypto('cipher');
    const key = crypto.randomBytes(32);
    const nonce = crypto.randomBytes(12);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(), (data, at) => {
        const sealed = crypto.seal(key, nonce, data);
        expect(sealed.length).toBe(data.length + 16);
        expect(crypto.open(key, nonce, sealed)).toEqual(data);
        sealed[at % sealed.length] = sealed[at % sealed.length]! ^ 0x40;
        expect(() => crypto.open(key, nonce, sealed)).toThrowError(/message authentication failed/);
        const block = data.slice(0, data.length - (data.length % 16));
        expect(crypto.decryptBlocks(key, crypto.encryptBlocks(key, block))).toEqual(block);
      }),
      { numRuns: 50 },
    );
    const equal = crypto.encryptBlocks(key, utf8Encode('0123456789abcdef0123456789abcdef'));
    expect(equal.subarray(0, 16)).toEqual(equal.subarray(16));
  });

  it('reports broken chains in the words of Go', () => {
    const crypto = createSimCrypto('chain');
    const ca = authority(crypto, 'ed25519');
    const { certificate } = serverCertificate(crypto, ca);
    const query = { roots: [ca.certificate], nowSec: NOW_SEC, usage: 'server-auth' as const };
    expect(chainProblem(crypto, certificate, query)).toBeNull();
    expect(chainProblem(crypto, certificate, { ...query, roots: [] })).toBe(
      'x509: certificate signed by unknown authority',
    );
    expect(chainProblem(crypto, certificate, { ...query, nowSec: NOW_SEC + 86_401 })).toBe(
      'x509: certificate has expired or is not yet valid: current time 2025-10-10T08:53:21Z is after 2025-10-10T08:53:20Z',
    );
    expect(chainProblem(crypto, certificate, { ...query, nowSec: NOW_SEC - 1 })).toContain(
      'is before 2025-10-09T08:53:20Z',
    );
    expect(chainProblem(crypto, certificate, { ...query, usage: 'client-auth' })).toContain('incompatible key usage');
    expect(hostProblem(certificate, 'fd00:0::1')).toBeNull();
    expect(hostProblem(certificate, 'a.lab')).toBeNull();
    expect(hostProblem(certificate, 'a.b.lab')).toBe('x509: certificate is valid for cp-1, *.lab, not a.b.lab');
    expect(hostProblem(certificate, '10.0.0.5')).toBe(
      'x509: certificate is valid for 10.0.0.10, fd00::1, not 10.0.0.5',
    );
  });
});
