import { AffiliateEndpoint } from '../../api/discovery.ts';
import { CryptoError, type CryptoPort } from '../../platform/crypto.ts';
import { hostPort, parseHostPort } from '../../platform/net.ts';
import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { KUBESPAN_PORT } from '../kubespan/constants.ts';

/**
 * Where KubeSpan reaches a machine, as the discovery service carries it: a length, the message, zeros, block by block with
 * no nonce, so that the service sees which endpoints are the same (reference/network-config.md C.7).
 */

const BLOCK_BYTES = 16;

/** `endpoint`: `address:port`. */
export function sealEndpoint(crypto: CryptoPort, key: Uint8Array, endpoint: string): Uint8Array {
  const { address, port } = parseHostPort(endpoint, KUBESPAN_PORT)!;
  const message = AffiliateEndpoint.encode({ ip: ipBytes(address)!, port });
  const plain = new Uint8Array(Math.ceil((message.length + 1) / BLOCK_BYTES) * BLOCK_BYTES);
  plain[0] = message.length;
  plain.set(message, 1);
  return crypto.encryptBlocks(key, plain);
}

/** Throws CryptoError or DecodeError for what another key sealed. */
export function openEndpoint(crypto: CryptoPort, key: Uint8Array, sealed: Uint8Array): string {
  const plain = crypto.decryptBlocks(key, sealed);
  const size = plain[0] ?? 0;
  if (size >= plain.length) throw new CryptoError('decrypt-failed', 'the endpoint is shorter than it says');
  const { ip, port } = AffiliateEndpoint.decode(plain.subarray(1, 1 + size));
  if (ip.length !== 4 && ip.length !== 16) throw new CryptoError('decrypt-failed', 'the endpoint has no address');
  return hostPort({ address: ipText(ip), port });
}
