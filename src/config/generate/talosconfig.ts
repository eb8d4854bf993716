/** The client configuration that goes with a generated cluster (reference/network-config.md E.8 "talosconfig"). */

import { type CryptoPort, keyPairFromPem } from '../../platform/crypto.ts';
import { emitDocument } from '../encode/emit.ts';
import { plainOut } from '../encode/plain.ts';
import type { ConfigObject } from '../schema/types.ts';
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
  return talosconfigYaml({
    context: request.clusterName,
    contexts: {
      [request.clusterName]: {
        endpoints: request.endpoints ?? [],
        ca: pemToBase64(request.authority.crt),
        crt: pemToBase64(client.crt),
        key: pemToBase64(client.key),
      },
    },
  });
}

/** A context of a talosconfig; certificates and keys are base64 of PEM. */
export interface TalosconfigContext {
  readonly endpoints: readonly string[];
  readonly nodes?: readonly string[] | undefined;
  readonly ca?: string | undefined;
  readonly crt?: string | undefined;
  readonly key?: string | undefined;
}

/** The file as the real tool writes it: contexts by name, what is absent left out (reference/lifecycle-api-cli.md F.5). */
export function talosconfigYaml(config: {
  readonly context: string;
  readonly contexts: Readonly<Record<string, TalosconfigContext>>;
}): string {
  const names = Object.keys(config.contexts).toSorted();
  const contexts = Object.fromEntries(names.map((name) => [name, present(config.contexts[name]!)]));
  return emitDocument(plainOut({ context: config.context, contexts }));
}

function present({ endpoints, nodes = [], ca, crt, key }: TalosconfigContext): ConfigObject {
  return {
    endpoints,
    ...(nodes.length > 0 && { nodes }),
    ...(ca !== undefined && { ca }),
    ...(crt !== undefined && { crt }),
    ...(key !== undefined && { key }),
  };
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
