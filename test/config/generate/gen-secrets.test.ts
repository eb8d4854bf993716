import { describe, expect, it } from 'vitest';
import { type GenSecretsOptions, runGenSecrets } from '../../../src/config/generate/cli/gen-secrets.ts';
import { generateConfigText } from '../../../src/config/generate/generate.ts';
import { type SecretsBundle, validateSecrets } from '../../../src/config/generate/secrets.ts';
import { secretsOfYaml } from '../../../src/config/generate/secrets-yaml.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import { fileOf, inputFor, SECRETS, toolOf, workstation } from './helpers.ts';

const PKI = {
  'pki/ca.crt': SECRETS.certs.k8s.crt,
  'pki/ca.key': SECRETS.certs.k8s.key,
  'pki/etcd/ca.crt': SECRETS.certs.etcd.crt,
  'pki/etcd/ca.key': SECRETS.certs.etcd.key,
  'pki/front-proxy-ca.crt': SECRETS.certs.k8sAggregator.crt,
  'pki/front-proxy-ca.key': SECRETS.certs.k8sAggregator.key,
  'pki/sa.key': SECRETS.certs.k8sServiceAccountKey,
};

function bundleOf(options: GenSecretsOptions, files: Record<string, string> = {}): SecretsBundle {
  const outcome = runGenSecrets(options, workstation(files));
  expect(outcome).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  return secretsOfYaml(fileOf(outcome, 'secrets.yaml')) as SecretsBundle;
}

function problem(options: GenSecretsOptions, files: Record<string, string> = {}): string {
  const outcome = runGenSecrets(options, workstation(files));
  expect(outcome).toMatchObject({ exitCode: 1, files: [], stdout: '' });
  return outcome.stderr;
}

describe('gen secrets (reference/lifecycle-api-cli.md F.4; v1.11.3.md 11.6)', () => {
  it('silently writes secrets.yaml for the owner alone', () => {
    const outcome = runGenSecrets({}, workstation());
    expect(outcome).toMatchObject({
      files: [{ path: 'secrets.yaml', mode: 0o600 }],
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    expect(validateSecrets(bundleOf({}), createSimCrypto('check'))).toEqual([]);
  });

  it('does not overwrite without --force', () => {
    const files = { 'secrets.yaml': 'old', 'other.yaml': 'old' };
    expect(problem({}, files)).toBe('file "secrets.yaml" already exists, use --force to overwrite\n');
    expect(problem({ outputFile: 'other.yaml' }, files)).toContain('file "other.yaml" already exists');
    expect(runGenSecrets({ force: true }, workstation(files))).toMatchObject({
      exitCode: 0,
      files: [{ path: 'secrets.yaml' }],
    });
  });

  it('- is a file of that name in v1.11 and standard output from v1.12 on', () => {
    const old = runGenSecrets({ outputFile: '-' }, workstation());
    expect([old.stdout, old.files.map((file) => file.path)]).toEqual(['', ['-']]);
    const now = runGenSecrets({ outputFile: '-' }, workstation({}, toolOf(12)));
    expect(now.files).toEqual([]);
    expect(now.stdout).toContain('trustdinfo:\n');
  });

  it('makes what the contract of --talos-version wants', () => {
    expect(bundleOf({ talosVersion: 'v1.2' }).secrets.aescbcEncryptionSecret).not.toBe('');
    expect(bundleOf({ talosVersion: 'v1.3' }).secrets.secretboxEncryptionSecret).not.toBe('');
    expect(problem({ talosVersion: 'latest' })).toBe('invalid talos-version: error parsing version "latest"\n');
  });

  it('takes over the authorities of a Kubernetes cluster', () => {
    const bundle = bundleOf({ fromKubernetesPki: 'pki', kubernetesBootstrapToken: 'abcdef.0123456789abcdef' }, PKI);
    expect(bundle.certs).toMatchObject({ ...SECRETS.certs, os: { crt: expect.any(String) } });
    expect(bundle.certs.os).not.toEqual(SECRETS.certs.os);
    expect(bundle.secrets.bootstrapToken).toBe('abcdef.0123456789abcdef');
  });

  it('names the file of the cluster that is absent or broken', () => {
    const { 'pki/sa.key': _, ...rest } = PKI;
    expect(problem({ fromKubernetesPki: 'pki' }, rest)).toBe(
      'failed to create secrets bundle: open pki/sa.key: no such file or directory\n',
    );
    expect(problem({ fromKubernetesPki: 'pki' }, { ...PKI, 'pki/ca.key': 'oops' })).toMatch(
      /^failed to create secrets bundle: /,
    );
  });

  it('imports a control plane config', () => {
    const text = generateConfigText(inputFor(11), 'controlplane');
    expect(bundleOf({ fromControlplaneConfig: 'cp.yaml' }, { 'cp.yaml': text })).toEqual(SECRETS);
    expect(problem({ fromControlplaneConfig: 'cp.yaml' })).toContain('open cp.yaml: no such file or directory');
    expect(problem({ fromControlplaneConfig: 'cp.yaml' }, { 'cp.yaml': 'machine: {bogus: 1}\n' })).toContain(
      'unknown keys',
    );
  });
});
