import type { Clock } from '../../platform/clock.ts';
import {
  type CryptoPort,
  type ExtendedKeyUsage,
  type KeyPair,
  type KeySpec,
  keyPairFromPem,
} from '../../platform/crypto.ts';
import { ipBytes } from '../../platform/x509/ip.ts';
import type { CertificateAndKey } from '../config/settings.ts';

const HOUR_SEC = 3600;
export const YEAR_HOURS = 8_760;
export const TEN_YEARS_HOURS = 87_600;

export interface CertificateWish {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Addresses and names; which is which is seen from the text. */
  readonly names?: readonly string[];
  readonly hours: number;
  readonly usages: readonly ExtendedKeyUsage[];
  readonly keySpec: KeySpec;
}

/** Issues certificates of one authority. */
export class Issuer {
  #crypto: CryptoPort;
  #clock: Clock;
  #authority: KeyPair;

  /** CryptoError when the PEM texts are no pair. */
  constructor(crypto: CryptoPort, clock: Clock, authority: CertificateAndKey) {
    this.#crypto = crypto;
    this.#clock = clock;
    this.#authority = keyPairFromPem(crypto, authority.crt, authority.key);
  }

  /** A fresh key with its certificate, as PEM. */
  issue(wish: CertificateWish): CertificateAndKey {
    const key = this.#crypto.generateKey(wish.keySpec);
    const names = [...new Set(wish.names ?? [])];
    const nowSec = Math.floor(this.#clock.nowUs() / 1_000_000);
    const certificate = this.#crypto.issueCertificate({
      subject: { commonName: wish.commonName, organizations: wish.organizations ?? [] },
      dnsNames: names.filter((name) => ipBytes(name) === null),
      ipAddresses: names.filter((name) => ipBytes(name) !== null),
      notBeforeSec: nowSec,
      notAfterSec: nowSec + wish.hours * HOUR_SEC,
      keyUsages: ['digital-signature', 'key-encipherment'],
      extendedKeyUsages: wish.usages,
      publicKey: key.publicKey,
      signer: this.#authority,
    });
    return { crt: this.#crypto.certificateToPem(certificate), key: this.#crypto.privateKeyToPem(key) };
  }
}
