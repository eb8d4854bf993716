import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runGenConfig } from '../../../src/config/generate/cli/gen-config.ts';
import { generateTalosconfig } from '../../../src/config/generate/talosconfig.ts';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import type { ConfigObject } from '../../../src/config/schema/types.ts';
import { createHostCrypto } from '../../../src/host/crypto/crypto.ts';
import { certificateFromPem, keyPairFromPem } from '../../../src/platform/crypto.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import { fileOf, NOW_SEC, SECRETS, workstation } from './helpers.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const crypto = createSimCrypto('talosconfig');

/** PEM of a base64 line of a talosconfig. */
function pemOf(text: string, key: string): string {
  const line = new RegExp(`^ {8}${key}: (\\S+)$`, 'm').exec(text);
  return Buffer.from(line?.[1] ?? '', 'base64').toString('utf8');
}

describe('talosconfig (reference/network-config.md E.8 "talosconfig"; lifecycle-api-cli.md F.4)', () => {
  const request = { crypto, nowSec: NOW_SEC, clusterName: 'demo', authority: SECRETS.certs.os };

  it('has one context without endpoints', () => {
    const text = generateTalosconfig(request);
    const bare = text.replace(/: \S{100,}/g, ': …');
    expect(bare).toBe(
      'context: demo\ncontexts:\n    demo:\n        endpoints: []\n        ca: …\n        crt: …\n        key: …\n',
    );
    expect(pemOf(text, 'ca')).toBe(SECRETS.certs.os.crt);
    expect(generateTalosconfig({ ...request, endpoints: ['10.0.0.1'] })).toContain(
      'endpoints:\n            - 10.0.0.1\n',
    );
  });

  it('has an administrator for one year, or whom one asks for', () => {
    const text = generateTalosconfig(request);
    const { certificate } = keyPairFromPem(crypto, pemOf(text, 'crt'), pemOf(text, 'key'));
    expect(certificate).toMatchObject({
      subject: { organizations: ['os:admin'] },
      notBeforeSec: NOW_SEC,
      notAfterSec: NOW_SEC + 8760 * 3600,
      keyUsages: ['digital-signature'],
      extendedKeyUsages: ['client-auth'],
      isCa: false,
      publicKey: { kind: 'ed25519' },
    });
    expect(crypto.isSignedBy(certificate, certificateFromPem(crypto, SECRETS.certs.os.crt))).toBe(true);
    const reader = generateTalosconfig({ ...request, roles: ['os:reader'], validitySec: 60 });
    expect(certificateFromPem(crypto, pemOf(reader, 'crt'))).toMatchObject({
      subject: { organizations: ['os:reader'] },
      notAfterSec: NOW_SEC + 60,
    });
  });
});

describe.skipIf(!hasOpenssl)('certificates generated outside a run', () => {
  it('openssl verifies the administrator against the authority of the machine config', () => {
    const station = { ...workstation(), crypto: createHostCrypto(), nowSec: Math.floor(Date.now() / 1000) - 5 };
    const outcome = runGenConfig({ clusterName: 'demo', endpoint: 'https://10.5.0.2:6443' }, station);
    const config = loadConfigSet(fileOf(outcome, '/home/op/controlplane.yaml'), { minor: 11 }).documents[0]!.value;
    const machine = config.machine as { ca: ConfigObject };
    const cluster = config.cluster as Record<string, ConfigObject>;
    const folder = mkdtempSync(join(tmpdir(), 'talosim-gen-'));
    const file = (name: string, pem: string): string => {
      const path = join(folder, name);
      writeFileSync(path, pem);
      return path;
    };
    const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8' });
    const decoded = (value: unknown) => Buffer.from(value as string, 'base64').toString('utf8');
    try {
      const ca = file('ca.pem', decoded(machine.ca.crt));
      const admin = file('admin.pem', pemOf(fileOf(outcome, '/home/op/talosconfig'), 'crt'));
      expect(openssl('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', ca, admin)).toContain('OK');
      expect(openssl('x509', '-in', admin, '-noout', '-subject')).toMatch(/O\s*=\s*os:admin/);
      const authorities = [cluster.ca, cluster.aggregatorCA, (cluster.etcd as unknown as { ca: ConfigObject }).ca];
      for (const [index, pair] of authorities.entries()) {
        const own = file(`own${index}.pem`, decoded(pair!.crt));
        expect(openssl('verify', '-CAfile', own, own)).toContain('OK');
        const key = file(`own${index}.key`, decoded(pair!.key));
        expect(openssl('pkey', '-in', key, '-pubout')).toBe(openssl('x509', '-in', own, '-noout', '-pubkey'));
      }
      const account = file('sa.key', decoded(cluster.serviceAccount!.key));
      expect(openssl('pkey', '-in', account, '-noout', '-text')).toMatch(/4096 bit/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
