import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostCrypto } from '../../../src/host/crypto/crypto.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { KeyPair, KeySpec } from '../../../src/platform/crypto.ts';

const crypto = createHostCrypto();
const NOW_SEC = Math.floor(Date.now() / 1000);
const TEN_YEARS_SEC = 87_600 * 3600;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'talosim-crypto-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function authority(keySpec: KeySpec, organization: string): KeyPair {
  return crypto.selfSignedAuthority({
    subject: { organizations: [organization] },
    keySpec,
    notBeforeSec: NOW_SEC - 60,
    notAfterSec: NOW_SEC + TEN_YEARS_SEC,
  });
}

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe.skipIf(!hasOpenssl)('real X.509 that openssl accepts', () => {
  for (const caSpec of ['ed25519', 'ecdsa-p256', 'rsa-2048'] as const) {
    for (const leafSpec of ['ed25519', 'ecdsa-p256'] as const) {
      it(`verifies a ${leafSpec} certificate issued by a ${caSpec} authority`, () => {
        const ca = authority(caSpec, 'talos');
        const key = crypto.generateKey(leafSpec);
        const leaf = crypto.issueCertificate({
          subject: { organizations: ['os:admin', 'os:reader'], commonName: 'cp-1' },
          dnsNames: ['cp-1', 'cp-1.example.com'],
          ipAddresses: ['10.0.0.10', 'fd00::10'],
          notBeforeSec: NOW_SEC - 60,
          notAfterSec: NOW_SEC + 86_400,
          keyUsages: ['digital-signature'],
          extendedKeyUsages: ['server-auth', 'client-auth'],
          publicKey: key.publicKey,
          signer: ca,
        });
        const caFile = file('ca.pem', crypto.certificateToPem(ca.certificate));
        const leafFile = file('leaf.pem', crypto.certificateToPem(leaf));
        expect(openssl('verify', '-x509_strict', '-CAfile', caFile, leafFile)).toContain('OK');
        expect(
          openssl('verify', '-purpose', 'sslserver', '-verify_ip', 'fd00::10', '-CAfile', caFile, leafFile),
        ).toContain('OK');
        expect(openssl('verify', '-verify_hostname', 'cp-1.example.com', '-CAfile', caFile, leafFile)).toContain('OK');
        expect(openssl('verify', '-CAfile', caFile, caFile)).toContain('OK');
        const other = file('other.pem', crypto.certificateToPem(authority(caSpec, 'talos').certificate));
        expect(spawnSync('openssl', ['verify', '-CAfile', other, leafFile]).status).not.toBe(0);
      });
    }
  }

  it('prints an authority with the fields that Talos gives it (network-config.md E.9)', () => {
    const ca = authority('ed25519', 'talos');
    const text = openssl('x509', '-noout', '-text', '-in', file('ca.pem', crypto.certificateToPem(ca.certificate)));
    expect(text).toContain('Issuer: O = talos');
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Certificate Sign\n/);
    expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication, TLS Web Client Authentication\n/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE\n/);
    expect(text).toMatch(/Subject Key Identifier:\s+([0-9A-F]{2}:){19}[0-9A-F]{2}/);
  });

  it('writes private keys that openssl reads', () => {
    const keys = [crypto.generateKey('ecdsa-p256'), crypto.generateKey('rsa-2048')];
    for (const key of keys) {
      openssl('pkey', '-noout', '-check', '-in', file('key.pem', crypto.privateKeyToPem(key)));
    }
    const ed = crypto.privateKeyToPem(crypto.generateKey('ed25519'));
    expect(ed).toMatch(/^-----BEGIN ED25519 PRIVATE KEY-----\n/);
    openssl('pkey', '-noout', '-in', file('key.pem', ed.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY')));
  });

  it('writes signing requests that openssl verifies, and reads those of openssl', () => {
    const key = crypto.generateKey('ecdsa-p256');
    const input = {
      subject: { organizations: ['system:nodes'], commonName: 'system:node:w1' },
      dnsNames: ['w1'],
      ipAddresses: ['10.0.0.21'],
      key,
    };
    const path = file('csr.pem', crypto.createSigningRequest(input));
    expect(openssl('req', '-noout', '-verify', '-text', '-in', path)).toContain('DNS:w1, IP Address:10.0.0.21');
    const pem = openssl(
      'req',
      '-new',
      '-sha512',
      '-key',
      file('k.pem', crypto.privateKeyToPem(key)),
      '-subj',
      '/O=a/CN=b',
      '-addext',
      'subjectAltName=DNS:x,IP:::1',
    );
    const [item] = crypto.parsePem(pem);
    expect(item).toMatchObject({ type: 'signing-request', request: { dnsNames: ['x'], ipAddresses: ['::1'] } });
  });
});

describe('host crypto', () => {
  it('reads back what it wrote', () => {
    for (const spec of ['ed25519', 'ecdsa-p256', 'rsa-2048'] as const) {
      const ca = authority(spec, 'etcd');
      const pem =
        crypto.certificateToPem(ca.certificate) +
        crypto.privateKeyToPem(ca.key) +
        crypto.publicKeyToPem(ca.key.publicKey);
      const [certificate, key, publicKey] = crypto.parsePem(pem);
      expect(certificate).toMatchObject({
        type: 'certificate',
        certificate: {
          serial: ca.certificate.serial,
          subject: { organizations: ['etcd'], commonName: '' },
          notBeforeSec: ca.certificate.notBeforeSec,
          notAfterSec: ca.certificate.notAfterSec,
          isCa: true,
          keyUsages: ['digital-signature', 'cert-sign'],
          subjectKeyId: ca.key.publicKey.keyId,
          issuerKeyId: ca.key.publicKey.keyId,
          signedBy: ca.key.kind,
        },
      });
      expect(key).toEqual({ type: 'private-key', key: ca.key });
      expect(publicKey).toEqual({ type: 'public-key', publicKey: ca.key.publicKey });
      const data = utf8Encode('hello');
      expect(crypto.verify(ca.key.publicKey, data, crypto.sign(ca.key, data))).toBe(true);
      expect(crypto.verify(ca.key.publicKey, utf8Encode('hullo'), crypto.sign(ca.key, data))).toBe(false);
    }
  });

  it('refuses a signing request whose signature does not fit', () => {
    const pem = crypto.createSigningRequest({ subject: { commonName: 'a' }, key: crypto.generateKey('ed25519') });
    const other = crypto.createSigningRequest({ subject: { commonName: 'b' }, key: crypto.generateKey('ed25519') });
    const lines = pem.split('\n');
    const mixed = [...lines.slice(0, -3), ...other.split('\n').slice(-3)].join('\n');
    expect(() => crypto.parsePem(mixed)).toThrowError(/signature of the signing request/);
  });

  it('seals, opens, and notices a changed byte', () => {
    const key = crypto.randomBytes(32);
    const nonce = crypto.randomBytes(12);
    const sealed = crypto.seal(key, nonce, utf8Encode('affiliate'));
    expect(sealed.length).toBe(9 + 16);
    expect(crypto.open(key, nonce, sealed)).toEqual(utf8Encode('affiliate'));
    sealed[0] = sealed[0]! ^ 1;
    expect(() => crypto.open(key, nonce, sealed)).toThrowError(/message authentication failed/);
    const blocks = crypto.encryptBlocks(key, new Uint8Array(32));
    expect(blocks.subarray(0, 16)).toEqual(blocks.subarray(16));
    expect(crypto.decryptBlocks(key, blocks)).toEqual(new Uint8Array(32));
  });
});
