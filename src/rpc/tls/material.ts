import { type CertificateRecord, type CryptoPort, certificatesFromPem, keyPairFromPem } from '../../platform/crypto.ts';
import type { TlsClient, TlsServer } from '../../platform/rpc.ts';

/** A server's TLS settings with their PEM read. */
export interface ServerMaterial {
  readonly certificate: CertificateRecord;
  /** Authorities for client certificates; null: none are asked for. */
  readonly clientRoots: readonly CertificateRecord[] | null;
  readonly clientAuth: 'require' | 'optional';
}

/** A client's TLS settings with their PEM read. */
export interface ClientMaterial {
  readonly roots: readonly CertificateRecord[];
  readonly insecureSkipVerify: boolean;
  /** Name that the certificate must carry; null: the dialled host. */
  readonly serverName: string | null;
  readonly certificate: CertificateRecord | null;
}

/** Reads the PEM of a server. Throws CryptoError. */
export function serverMaterial(crypto: CryptoPort, tls: TlsServer): ServerMaterial {
  return {
    certificate: keyPairFromPem(crypto, tls.certificatePem, tls.keyPem).certificate,
    clientRoots: tls.clientCaPem === undefined ? null : certificatesFromPem(crypto, tls.clientCaPem),
    clientAuth: tls.clientAuth ?? 'require',
  };
}

/** Reads the PEM of a client; `systemRootsPem` is trusted when it names no authority. Throws CryptoError. */
export function clientMaterial(crypto: CryptoPort, tls: TlsClient, systemRootsPem?: string): ClientMaterial {
  const rootsPem = tls.serverCaPem ?? systemRootsPem;
  const { certificatePem, keyPem } = tls;
  const withKey = certificatePem !== undefined && keyPem !== undefined;
  return {
    roots: rootsPem === undefined ? [] : certificatesFromPem(crypto, rootsPem),
    insecureSkipVerify: tls.insecureSkipVerify ?? false,
    serverName: tls.serverName ?? null,
    certificate: withKey ? keyPairFromPem(crypto, certificatePem, keyPem).certificate : null,
  };
}
