/** Checks that need no key: time, host name, usage, naming of the authority. Texts are those of Go's crypto/x509, which operators see. */

import type { CertificateRecord, CryptoPort, ExtendedKeyUsage } from '../crypto.ts';
import { rfc3339 } from '../rfc3339.ts';
import { ipBytes, ipText } from './ip.ts';

export interface ChainQuery {
  readonly roots: readonly CertificateRecord[];
  readonly nowSec: number;
  readonly usage: ExtendedKeyUsage;
}

/** Why the chain from `certificate` to one of the roots does not hold, or null when it does. */
export function chainProblem(crypto: CryptoPort, certificate: CertificateRecord, query: ChainQuery): string | null {
  const timeProblem = validityProblem(certificate, query.nowSec);
  if (timeProblem !== null) return timeProblem;
  const issuer = query.roots.find((root) => crypto.isSignedBy(certificate, root));
  if (issuer === undefined) return 'x509: certificate signed by unknown authority';
  const issuerProblem = validityProblem(issuer, query.nowSec);
  if (issuerProblem !== null) return issuerProblem;
  const usages = certificate.extendedKeyUsages;
  if (usages.length > 0 && !usages.includes(query.usage))
    return 'x509: certificate specifies an incompatible key usage';
  return null;
}

function validityProblem(certificate: CertificateRecord, nowSec: number): string | null {
  const prefix = `x509: certificate has expired or is not yet valid: current time ${rfc3339(nowSec * 1_000_000)} is`;
  if (nowSec < certificate.notBeforeSec) return `${prefix} before ${rfc3339(certificate.notBeforeSec * 1_000_000)}`;
  if (nowSec > certificate.notAfterSec) return `${prefix} after ${rfc3339(certificate.notAfterSec * 1_000_000)}`;
  return null;
}

/** Why a server certificate is not good for `host` (a DNS name or an address), or null when it is. */
export function hostProblem(certificate: CertificateRecord, host: string): string | null {
  const bytes = ipBytes(host);
  if (bytes !== null) {
    const address = ipText(bytes);
    if (certificate.ipAddresses.includes(address)) return null;
    if (certificate.ipAddresses.length === 0) {
      return `x509: cannot validate certificate for ${address} because it doesn't contain any IP SANs`;
    }
    return `x509: certificate is valid for ${certificate.ipAddresses.join(', ')}, not ${address}`;
  }
  const wanted = host.toLowerCase();
  if (certificate.dnsNames.some((name) => matchesName(name.toLowerCase(), wanted))) return null;
  if (certificate.dnsNames.length === 0) {
    return `x509: certificate is not valid for any names, but wanted to match ${host}`;
  }
  return `x509: certificate is valid for ${certificate.dnsNames.join(', ')}, not ${host}`;
}

/** A leading `*.` stands for exactly one label. */
function matchesName(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  const dot = host.indexOf('.');
  return dot > 0 && host.slice(dot) === pattern.slice(1);
}
