import { describe, expect, it } from 'vitest';
import { generateConfigText } from '../../../src/config/generate/generate.ts';
import {
  generateSecrets,
  randomToken,
  type SecretsBundle,
  validateSecrets,
} from '../../../src/config/generate/secrets.ts';
import { secretsOfConfig } from '../../../src/config/generate/secrets-import.ts';
import { secretsOfYaml, secretsToYaml } from '../../../src/config/generate/secrets-yaml.ts';
import { loadConfigSet } from '../../../src/config/patch/config-set.ts';
import { certificateFromPem, privateKeyFromPem } from '../../../src/platform/crypto.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import { inputFor, NOW_SEC, SECRETS } from './helpers.ts';

const crypto = createSimCrypto('secrets');
const make = (contract: number, seed = 'secrets') =>
  generateSecrets({ crypto: createSimCrypto(seed), nowSec: NOW_SEC, contract });

describe('secrets bundle (reference/network-config.md E.9)', () => {
  it('has tokens, random secrets and authorities of these forms', () => {
    const bundle = make(11);
    expect(bundle.cluster.id).toMatch(/^[\w-]{43}=$/);
    expect(bundle.cluster.secret).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(bundle.trustdToken).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
    expect(bundle.secrets.bootstrapToken).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
    const authorities = { etcd: ['etcd'], k8s: ['kubernetes'], k8sAggregator: [], os: ['talos'] };
    for (const [name, organizations] of Object.entries(authorities)) {
      const { crt } = bundle.certs[name as 'etcd' | 'k8s' | 'k8sAggregator' | 'os'];
      const certificate = certificateFromPem(crypto, crt);
      expect(certificate.subject.organizations ?? []).toEqual(organizations);
      expect(certificate.isCa).toBe(true);
      expect([certificate.notBeforeSec, certificate.notAfterSec]).toEqual([NOW_SEC, NOW_SEC + 87_600 * 3600]);
      expect([...certificate.keyUsages].sort()).toEqual(['cert-sign', 'digital-signature']);
      expect([...certificate.extendedKeyUsages].sort()).toEqual(['client-auth', 'server-auth']);
      expect(certificate.publicKey.kind).toBe(name === 'os' ? 'ed25519' : 'ecdsa-p256');
    }
  });

  it('chooses secret and key kind by contract', () => {
    const kind = (contract: number) => {
      const { secrets, certs } = make(contract);
      const used = secrets.secretboxEncryptionSecret === '' ? 'aescbc' : 'secretbox';
      expect((secrets.secretboxEncryptionSecret === '') !== (secrets.aescbcEncryptionSecret === '')).toBe(true);
      return [used, privateKeyFromPem(crypto, certs.k8sServiceAccountKey).publicKey.kind];
    };
    expect(kind(2)).toEqual(['aescbc', 'ecdsa-p256']);
    expect(kind(3)).toEqual(['secretbox', 'ecdsa-p256']);
    expect(kind(6)).toEqual(['secretbox', 'ecdsa-p256']);
    expect(kind(7)).toEqual(['secretbox', 'rsa']);
    expect(make(14).cluster.id).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it('is the same for the same seed and another one for another', () => {
    expect(secretsToYaml(make(11))).toBe(secretsToYaml(make(11)));
    expect(secretsToYaml(make(11, 'other'))).not.toBe(secretsToYaml(make(11)));
  });

  it('draws every token character', () => {
    const seen = new Set(Array.from({ length: 60 }, () => randomToken(crypto).replace('.', '')).join(''));
    expect(seen.size).toBe(36);
  });

  it('passes through secrets.yaml unchanged', () => {
    for (const contract of [2, 11, 15]) {
      const bundle = make(contract);
      const text = secretsToYaml(bundle);
      expect(secretsOfYaml(text)).toEqual(bundle);
      expect(text.split('\n').filter((line) => /^\S/.test(line))).toEqual([
        'cluster:',
        'secrets:',
        'trustdinfo:',
        'certs:',
      ]);
    }
  });

  it('refuses secrets.yaml that is no YAML, has lists for texts or bad base64', () => {
    expect(secretsOfYaml('a: [')).toHaveProperty('error');
    expect(secretsOfYaml('')).toEqual({ error: 'EOF' });
    expect(secretsOfYaml('cluster: {id: [a]}')).toEqual({ error: 'cluster.id: a text is expected' });
    expect(secretsOfYaml('certs: {os: {crt: "***"}}')).toEqual({ error: 'certs.os.crt: illegal base64 data' });
  });
});

describe('validation of a bundle (reference/network-config.md E.9 "Bundle validation")', () => {
  it('accepts generated ones', () => {
    for (const contract of [2, 7, 11, 15]) expect(validateSecrets(make(contract), crypto)).toEqual([]);
  });

  it('lists everything that is missing', () => {
    expect(validateSecrets(secretsOfYaml('{}') as SecretsBundle, crypto)).toEqual([
      'cluster.id is required',
      'cluster.secret is required',
      'secrets.bootstraptoken is required',
      'one of [secrets.secretboxencryptionsecret, secrets.aescbcencryptionsecret] is required',
      'trustdinfo.token is required',
      'certs.etcd is required',
      'certs.k8s is required',
      'certs.k8saggregator is required',
      'certs.os is required',
      'certs.k8sserviceaccount is required',
    ]);
  });

  it('allows only one encryption secret and wants readable pairs that belong together', () => {
    const both = { ...SECRETS, secrets: { ...SECRETS.secrets, aescbcEncryptionSecret: 'YQ==' } };
    expect(validateSecrets(both, crypto)).toEqual([
      'only one of [secrets.secretboxencryptionsecret, secrets.aescbcencryptionsecret] is allowed',
    ]);
    const { etcd, k8s } = SECRETS.certs;
    const swapped = { ...SECRETS, certs: { ...SECRETS.certs, k8s: { crt: k8s.crt, key: etcd.key } } };
    expect(validateSecrets(swapped, crypto)).toEqual([expect.stringMatching(/^certs\.k8s is invalid: /)]);
    const broken = { ...SECRETS, certs: { ...SECRETS.certs, k8sServiceAccountKey: 'oops' } };
    expect(validateSecrets(broken, crypto)).toEqual([
      expect.stringMatching(/^certs\.k8sserviceaccount\.key is invalid: /),
    ]);
  });
});

describe('secrets out of a machine config (reference/lifecycle-api-cli.md F.2 "gen secrets")', () => {
  it('a control plane config of every contract gives its bundle back', () => {
    for (const contract of [1, 3, 8, 11, 12, 13, 14, 15]) {
      const secrets = make(contract);
      const text = generateConfigText({ ...inputFor(contract), secrets }, 'controlplane');
      expect(secretsOfConfig(loadConfigSet(text, { minor: Math.max(contract, 11) }))).toEqual(secrets);
    }
  });

  it('what a worker does not have stays empty', () => {
    const text = generateConfigText(inputFor(11), 'worker');
    const bundle = secretsOfConfig(loadConfigSet(text, { minor: 11 }));
    expect(bundle.certs.os).toEqual({ crt: SECRETS.certs.os.crt, key: '' });
    expect(bundle.certs.etcd).toEqual({ crt: '', key: '' });
  });
});
