import { Affiliate } from '../../api/discovery.ts';
import { CryptoError, type CryptoPort } from '../../platform/crypto.ts';
import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { DecodeError } from '../../rpc/wire.ts';
import type { AffiliateSpec } from '../resources/cluster.ts';

/** What a machine tells the others through the discovery service, which sees only ciphertext (reference/network-config.md C.7). */

const NONCE_BYTES = 12;

/** Nonce, ciphertext, tag. */
export function sealAffiliate(crypto: CryptoPort, key: Uint8Array, affiliate: AffiliateSpec): Uint8Array {
  const { nodeId, hostname, nodename, machineType, operatingSystem, controlPlane } = affiliate;
  const plain = Affiliate.encode({
    nodeId,
    hostname,
    nodename,
    machineType,
    operatingSystem,
    kubespan: null,
    addresses: affiliate.addresses.map((address) => ipBytes(address)!),
    controlPlane: controlPlane === null ? null : { apiServerPort: controlPlane.port },
  });
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const sealed = crypto.seal(key, nonce, plain);
  const out = new Uint8Array(NONCE_BYTES + sealed.length);
  out.set(nonce);
  out.set(sealed, NONCE_BYTES);
  return out;
}

/** Undefined for what was sealed with another key, or is no affiliate. */
export function openAffiliate(crypto: CryptoPort, key: Uint8Array, data: Uint8Array): AffiliateSpec | undefined {
  if (data.length <= NONCE_BYTES) return undefined;
  try {
    const decoded = Affiliate.decode(crypto.open(key, data.subarray(0, NONCE_BYTES), data.subarray(NONCE_BYTES)));
    const { nodeId, hostname, nodename, operatingSystem, controlPlane } = decoded;
    return {
      nodeId,
      hostname,
      nodename,
      operatingSystem,
      machineType: machineTypeOf(decoded.machineType),
      addresses: decoded.addresses.map(ipText),
      controlPlane: controlPlane === null ? null : { port: controlPlane.apiServerPort },
    };
  } catch (error) {
    if (error instanceof CryptoError || error instanceof DecodeError) return undefined;
    throw error;
  }
}

function machineTypeOf(text: string): AffiliateSpec['machineType'] {
  return text === 'init' || text === 'controlplane' ? text : 'worker';
}
