/** The client configuration that goes with a generated cluster (reference/network-config.md E.8 "talosconfig"). */

import { type CryptoPort, keyPairFromPem } from '../../platform/crypto.ts';
import { emitDocument, type Out } from '../encode/emit.ts';
import { pemToBase64 } from './pem-text.ts';
import type { PemPair } from './secrets.ts';

const YEAR_SEC = 8760 * 3600;

export interface TalosconfigRequest {
  readonly crypto: CryptoPort;
  readonly nowSec: number;
  readonly clusterName: string;
  /** The Talos API authority. */
  readonly authority: PemPair;
  readonly endpoints?: readonly string[];
  /** Default `os:admin`. */
  readonly roles?: readonly string[];
  /** Default one year. */
  readonly validitySec?: number;
}

/** YAML text with one context. Throws `CryptoError` when the authority cannot be read. */
export function generateTalosconfig(request: TalosconfigRequest): string {
  const client = issueClientCertificate(request);
  const endpoints = (request.endpoints ?? []).map((endpoint): Out => ({ kind: 'string', text: endpoint }));
  const text = (pem: string): Out => ({ kind: 'string', text: pemToBase64(pem) });
  const context: Out = {
    kind: 'map',
    entries: [
      ['endpoints', { kind: 'list', items: endpoints }],
      ['ca', text(request.authority.crt)],
      ['crt', text(client.crt)],
      ['key', text(client.key)],
    ],
  };
  return emitDocument({
    kind: 'map',
    entries: [
      ['context', { kind: 'string', text: request.clusterName }],
      ['contexts', { kind: 'map', entries: [[request.clusterName, context]] }],
    ],
  });
}

/** A client certificate of the Talos API: roles are its organizations. */
function issueClientCertificate(request: TalosconfigRequest): PemPair {
  const { crypto, nowSec } = request;
  const signer = keyPairFromPem(crypto, request.authority.crt, request.authority.key);
  const key = crypto.generateKey('ed25519');
  const certificate = crypto.issueCertificate({
    subject: { organizations: request.roles ?? ['os:admin'] },
    notBeforeSec: nowSec,
    notAfterSec: nowSec + (request.validitySec ?? YEAR_SEC),
    keyUsages: ['digital-signature'],
    extendedKeyUsages: ['client-auth'],
    publicKey: key.publicKey,
    signer,
  });
  return { crt: crypto.certificateToPem(certificate), key: crypto.privateKeyToPem(key) };
}
