/** The secrets bundle of a cluster (reference/network-config.md E.9). */

import { encodeBase64, encodeBase64Url } from '../../platform/base64.ts';
import type { CryptoPort, KeySpec } from '../../platform/crypto.ts';
import { CryptoError, keyPairFromPem, privateKeyFromPem } from '../../platform/crypto.ts';
import { type Contract, gatesOf } from './contract.ts';

export interface PemPair {
  /** PEM of the certificate. */
  readonly crt: string;
  /** PEM of the key; empty where it is not given away. */
  readonly key: string;
}

/** PEM texts and tokens; empty text where a bundle that was read lacks something. */
export interface SecretsBundle {
  readonly cluster: { readonly id: string; readonly secret: string };
  readonly secrets: {
    readonly bootstrapToken: string;
    readonly aescbcEncryptionSecret: string;
    readonly secretboxEncryptionSecret: string;
  };
  readonly trustdToken: string;
  readonly certs: {
    readonly etcd: PemPair;
    readonly k8s: PemPair;
    readonly k8sAggregator: PemPair;
    readonly k8sServiceAccountKey: string;
    readonly os: PemPair;
  };
}

export interface SecretsRequest {
  readonly crypto: CryptoPort;
  /** Seconds since the Unix epoch: authorities are valid from now on. */
  readonly nowSec: number;
  readonly contract: Contract;
}

const AUTHORITY_VALIDITY_SEC = 87_600 * 3600;
const SECRET_SIZE_BYTES = 32;

/** Everything that is not given already is made anew. */
export function generateSecrets(request: SecretsRequest, given: Partial<GivenSecrets> = {}): SecretsBundle {
  const { crypto, contract } = request;
  const gates = gatesOf(contract);
  const certs = {
    etcd: given.etcd ?? authority(request, 'ecdsa-p256', 'etcd'),
    k8s: given.k8s ?? authority(request, 'ecdsa-p256', 'kubernetes'),
    // A common name is meant to be in here, but the real tool drops it: the subject is empty (quirk).
    k8sAggregator: given.k8sAggregator ?? authority(request, 'ecdsa-p256', ''),
    k8sServiceAccountKey:
      given.k8sServiceAccountKey ??
      crypto.privateKeyToPem(crypto.generateKey(gates.rsaServiceAccountKey ? 'rsa-4096' : 'ecdsa-p256')),
    os: authority(request, 'ed25519', 'talos'),
  };
  const bootstrapToken = given.bootstrapToken || randomToken(crypto);
  const encryptionSecret = encodeBase64(crypto.randomBytes(SECRET_SIZE_BYTES));
  const trustdToken = randomToken(crypto);
  return {
    cluster: { id: clusterId(crypto, contract), secret: encodeBase64(crypto.randomBytes(SECRET_SIZE_BYTES)) },
    secrets: {
      bootstrapToken,
      aescbcEncryptionSecret: gates.secretbox ? '' : encryptionSecret,
      secretboxEncryptionSecret: gates.secretbox ? encryptionSecret : '',
    },
    trustdToken,
    certs,
  };
}

/** What an existing Kubernetes cluster brings along. */
export interface GivenSecrets {
  readonly etcd: PemPair;
  readonly k8s: PemPair;
  readonly k8sAggregator: PemPair;
  readonly k8sServiceAccountKey: string;
  readonly bootstrapToken: string;
}

/** URL alphabet up to v1.13, then the standard one; nobody checks it (reference E.9; lifecycle-api-cli.md F.4). */
function clusterId(crypto: CryptoPort, contract: Contract): string {
  const bytes = crypto.randomBytes(SECRET_SIZE_BYTES);
  return contract < 14 ? encodeBase64Url(bytes) : encodeBase64(bytes);
}

function authority(request: SecretsRequest, keySpec: KeySpec, organization: string): PemPair {
  const { crypto, nowSec } = request;
  const pair = crypto.selfSignedAuthority({
    subject: organization === '' ? {} : { organizations: [organization] },
    keySpec,
    notBeforeSec: nowSec,
    notAfterSec: nowSec + AUTHORITY_VALIDITY_SEC,
  });
  return { crt: crypto.certificateToPem(pair.certificate), key: crypto.privateKeyToPem(pair.key) };
}

const TOKEN_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** Largest multiple of the alphabet's size in a byte: larger bytes would favour some characters. */
const TOKEN_BYTE_LIMIT = 252;

/** `abcdef.0123456789abcdef`: the form of kubeadm and trustd tokens. */
export function randomToken(crypto: CryptoPort): string {
  return `${randomText(crypto, 6)}.${randomText(crypto, 16)}`;
}

function randomText(crypto: CryptoPort, size: number): string {
  let text = '';
  while (text.length < size) {
    for (const byte of crypto.randomBytes(32)) {
      if (byte < TOKEN_BYTE_LIMIT && text.length < size) text += TOKEN_ALPHABET[byte % TOKEN_ALPHABET.length]!;
    }
  }
  return text;
}

/** Everything that is wrong with a bundle, in the words of the real tool. */
export function validateSecrets(bundle: SecretsBundle, crypto: CryptoPort): string[] {
  const problems: string[] = [];
  const { cluster, secrets, certs } = bundle;
  if (cluster.id === '') problems.push('cluster.id is required');
  if (cluster.secret === '') problems.push('cluster.secret is required');
  if (secrets.bootstrapToken === '') problems.push('secrets.bootstraptoken is required');
  const both = '[secrets.secretboxencryptionsecret, secrets.aescbcencryptionsecret]';
  const given = [secrets.aescbcEncryptionSecret, secrets.secretboxEncryptionSecret].filter((secret) => secret !== '');
  if (given.length === 0) problems.push(`one of ${both} is required`);
  if (given.length === 2) problems.push(`only one of ${both} is allowed`);
  if (bundle.trustdToken === '') problems.push('trustdinfo.token is required');
  problems.push(...pairProblems(crypto, 'certs.etcd', certs.etcd));
  problems.push(...pairProblems(crypto, 'certs.k8s', certs.k8s));
  problems.push(...pairProblems(crypto, 'certs.k8saggregator', certs.k8sAggregator));
  problems.push(...pairProblems(crypto, 'certs.os', certs.os));
  problems.push(...keyProblems(crypto, certs.k8sServiceAccountKey));
  return problems;
}

function pairProblems(crypto: CryptoPort, name: string, pair: PemPair): string[] {
  if (pair.crt === '' && pair.key === '') return [`${name} is required`];
  const problem = cryptoProblem(() => keyPairFromPem(crypto, pair.crt, pair.key));
  return problem === null ? [] : [`${name} is invalid: ${problem}`];
}

function keyProblems(crypto: CryptoPort, key: string): string[] {
  if (key === '') return ['certs.k8sserviceaccount is required'];
  const problem = cryptoProblem(() => privateKeyFromPem(crypto, key));
  return problem === null ? [] : [`certs.k8sserviceaccount.key is invalid: ${problem}`];
}

function cryptoProblem(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof CryptoError) return error.message;
    throw error;
  }
}
