import { encodeBase64 } from '../../../src/platform/base64.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { CryptoPort, KeyPair } from '../../../src/platform/crypto.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';

/** Simulated clocks start here. */
const NOW_SEC = 1_759_276_800;
const YEAR_SEC = 31_536_000;

export interface Identity {
  readonly crt: string;
  readonly key: string;
}

/** One authority for everything in a small cluster, and what it signs. */
export class Pki {
  readonly #crypto: CryptoPort;
  readonly #authority: KeyPair;
  readonly ca: Identity;

  constructor(seed = 'test-pki') {
    this.#crypto = createSimCrypto(seed);
    this.#authority = this.#crypto.selfSignedAuthority({
      subject: { commonName: 'kubernetes' },
      keySpec: 'ecdsa-p256',
      notBeforeSec: NOW_SEC - YEAR_SEC,
      notAfterSec: NOW_SEC + 10 * YEAR_SEC,
    });
    this.ca = {
      crt: this.#crypto.certificateToPem(this.#authority.certificate),
      key: this.#crypto.privateKeyToPem(this.#authority.key),
    };
  }

  issue(commonName: string, organizations: readonly string[], addresses: readonly string[] = []): Identity {
    const key = this.#crypto.generateKey('ecdsa-p256');
    const certificate = this.#crypto.issueCertificate({
      subject: { commonName, organizations },
      notBeforeSec: NOW_SEC - YEAR_SEC,
      notAfterSec: NOW_SEC + 10 * YEAR_SEC,
      keyUsages: ['digital-signature', 'key-encipherment'],
      extendedKeyUsages: ['server-auth', 'client-auth'],
      dnsNames: ['localhost'],
      ipAddresses: addresses,
      publicKey: key.publicKey,
      signer: this.#authority,
    });
    return { crt: this.#crypto.certificateToPem(certificate), key: this.#crypto.privateKeyToPem(key) };
  }

  /** A kubeconfig with everything in it. */
  kubeconfig(server: string, user: Identity | string): string {
    const base64 = (text: string): string => encodeBase64(utf8Encode(text));
    const credentials =
      typeof user === 'string'
        ? `token: ${user}`
        : `client-certificate-data: ${base64(user.crt)}\n    client-key-data: ${base64(user.key)}`;
    return `apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(this.ca.crt)}
users:
- name: me
  user:
    ${credentials}
contexts:
- name: me@local
  context:
    cluster: local
    user: me
current-context: me@local
`;
  }
}
