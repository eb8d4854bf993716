import { createSimCrypto } from '../sim/crypto/crypto.ts';

/** 2020-01-01 to 2050-01-01: wide enough for every wrong clock that a scenario sets. */
const NOT_BEFORE_SEC = 1_577_836_800;
const NOT_AFTER_SEC = 2_524_608_000;

/** The certificate authority of the simulated internet, that every machine trusts. */
export interface PublicWeb {
  readonly rootPem: string;
  /** Environment of a service: TLS_CERTIFICATE and TLS_KEY for its name. */
  serve(name: string): Readonly<Record<string, string>>;
}

export function publicWeb(seed: string): PublicWeb {
  const crypto = createSimCrypto(`${seed}/public web`);
  const validity = { notBeforeSec: NOT_BEFORE_SEC, notAfterSec: NOT_AFTER_SEC };
  const authority = crypto.selfSignedAuthority({
    subject: { commonName: 'Simulated Web Root' },
    keySpec: 'ecdsa-p256',
    ...validity,
  });
  return {
    rootPem: crypto.certificateToPem(authority.certificate),
    serve(name) {
      const key = crypto.generateKey('ecdsa-p256');
      const certificate = crypto.issueCertificate({
        subject: { commonName: name },
        dnsNames: [name],
        ...validity,
        keyUsages: ['digital-signature'],
        extendedKeyUsages: ['server-auth'],
        publicKey: key.publicKey,
        signer: authority,
      });
      return { TLS_CERTIFICATE: crypto.certificateToPem(certificate), TLS_KEY: crypto.privateKeyToPem(key) };
    },
  };
}
