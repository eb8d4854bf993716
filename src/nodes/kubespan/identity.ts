import { encodeBase64 } from '../../platform/base64.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import { sha256 } from '../../platform/hash.ts';
import { ipBytes, ipText } from '../../platform/x509/ip.ts';
import { clampX25519, X25519_KEY_BYTES, x25519PublicKey } from '../../platform/x25519.ts';
import type { KubeSpanIdentitySpec } from '../resources/kubespan.ts';

const ULA_BYTE = 0xfd;
/** Where an address tells what it is for, and what it says for KubeSpan. */
const PURPOSE_AT = 7;
const PURPOSE_KUBESPAN = 0x02;
const SUBNET_BYTES = 8;

/** The network that all machines of a cluster share: from its id alone (reference/network-config.md C.9). */
export function kubeSpanSubnet(clusterId: string): string {
  return `${ipText(subnetBytes(clusterId))}/64`;
}

function subnetBytes(clusterId: string): Uint8Array {
  const bytes = sha256(utf8Encode(clusterId)).slice(-16);
  bytes[0] = ULA_BYTE;
  bytes[PURPOSE_AT] = PURPOSE_KUBESPAN;
  bytes.fill(0, SUBNET_BYTES);
  return bytes;
}

/** The address of one machine: its card as EUI-64 in the network of the cluster. */
export function kubeSpanAddress(clusterId: string, mac: string): string {
  const bytes = subnetBytes(clusterId);
  const card = mac.split(':').map((part) => Number.parseInt(part, 16));
  const host = [card[0]! ^ 2, card[1]!, card[2]!, 0xff, 0xfe, card[3]!, card[4]!, card[5]!];
  bytes.set(host, SUBNET_BYTES);
  return `${ipText(bytes)}/128`;
}

/** A machine's place in the mesh, with a key of its own. */
export function newIdentity(crypto: CryptoPort, clusterId: string, mac: string): KubeSpanIdentitySpec {
  const privateKey = clampX25519(crypto.randomBytes(X25519_KEY_BYTES));
  return {
    address: kubeSpanAddress(clusterId, mac),
    subnet: kubeSpanSubnet(clusterId),
    privateKey: encodeBase64(privateKey),
    publicKey: encodeBase64(x25519PublicKey(privateKey)),
  };
}

/** Addresses of the mesh are told from others by two bytes, whatever the cluster. */
export function isKubeSpanAddress(address: string): boolean {
  const bytes = ipBytes(address);
  return bytes !== null && bytes.length === 16 && bytes[0] === ULA_BYTE && bytes[PURPOSE_AT] === PURPOSE_KUBESPAN;
}
