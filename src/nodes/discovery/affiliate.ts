import { Affiliate, type KubeSpan } from '../../api/discovery.ts';
import { CryptoError, type CryptoPort } from '../../platform/crypto.ts';
import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { DecodeError } from '../../rpc/wire.ts';
import { addressOf, prefixBits } from '../net/addresses.ts';
import type { AffiliateSpec, KubeSpanAffiliateSpec } from '../resources/cluster.ts';
import type { Announcement } from './client.ts';
import { openEndpoint, sealEndpoint } from './endpoint.ts';

/** What a machine tells the others through the discovery service, which sees only ciphertext (reference/network-config.md C.7). */

const NONCE_BYTES = 12;

/** Nonce, ciphertext, tag; where KubeSpan is reached goes beside it, endpoint by endpoint. */
export function sealAffiliate(crypto: CryptoPort, key: Uint8Array, affiliate: AffiliateSpec): Announcement {
  const { nodeId, hostname, nodename, machineType, operatingSystem, controlPlane, kubespan } = affiliate;
  const plain = Affiliate.encode({
    nodeId,
    hostname,
    nodename,
    machineType,
    operatingSystem,
    kubespan: kubespan === undefined ? null : kubeSpanMessage(kubespan),
    addresses: affiliate.addresses.map((address) => ipBytes(address)!),
    controlPlane: controlPlane === null ? null : { apiServerPort: controlPlane.port },
  });
  const nonce = crypto.randomBytes(NONCE_BYTES);
  const sealed = crypto.seal(key, nonce, plain);
  const out = new Uint8Array(NONCE_BYTES + sealed.length);
  out.set(nonce);
  out.set(sealed, NONCE_BYTES);
  return { data: out, endpoints: (kubespan?.endpoints ?? []).map((endpoint) => sealEndpoint(crypto, key, endpoint)) };
}

function kubeSpanMessage({ publicKey, address, additionalAddresses }: KubeSpanAffiliateSpec): KubeSpan {
  return {
    publicKey,
    address: ipBytes(address)!,
    additionalAddresses: additionalAddresses.map((prefix) => ({
      ip: ipBytes(addressOf(prefix))!,
      bits: prefixBits(prefix),
    })),
  };
}

/** Undefined for what was sealed with another key, or is no affiliate. */
export function openAffiliate(
  crypto: CryptoPort,
  key: Uint8Array,
  { data, endpoints }: Announcement,
): AffiliateSpec | undefined {
  if (data.length <= NONCE_BYTES) return undefined;
  try {
    const decoded = Affiliate.decode(crypto.open(key, data.subarray(0, NONCE_BYTES), data.subarray(NONCE_BYTES)));
    const { nodeId, hostname, nodename, operatingSystem, controlPlane, kubespan } = decoded;
    return {
      nodeId,
      hostname,
      nodename,
      operatingSystem,
      machineType: machineTypeOf(decoded.machineType),
      addresses: decoded.addresses.map(ipText),
      ...(kubespan !== null && {
        kubespan: kubeSpanOf(
          kubespan,
          endpoints.map((endpoint) => openEndpoint(crypto, key, endpoint)),
        ),
      }),
      controlPlane: controlPlane === null ? null : { port: controlPlane.apiServerPort },
    };
  } catch (error) {
    if (error instanceof CryptoError || error instanceof DecodeError) return undefined;
    throw error;
  }
}

function kubeSpanOf(
  { publicKey, address, additionalAddresses }: KubeSpan,
  endpoints: readonly string[],
): KubeSpanAffiliateSpec {
  return {
    publicKey,
    address: ipText(address),
    additionalAddresses: additionalAddresses.map(({ ip, bits }) => `${ipText(ip)}/${bits}`),
    endpoints,
  };
}

function machineTypeOf(text: string): AffiliateSpec['machineType'] {
  return text === 'init' || text === 'controlplane' ? text : 'worker';
}
