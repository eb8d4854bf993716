import type { Packet } from '../packet.ts';

/** What WireGuard devices say to each other, with the sizes of the real messages. Forged ones are not modelled. */
export type WireguardMessage = Initiation | Response | Transport;

/** The first half of a handshake. */
export interface Initiation {
  readonly type: 'initiation';
  /** Public keys of both ends. */
  readonly from: string;
  readonly to: string;
  /** Index under which the initiator will know the session. */
  readonly sender: number;
  /** Has to grow, so that nobody can replay an old one. */
  readonly timestampUs: number;
}

/** The second half. */
export interface Response {
  readonly type: 'response';
  readonly sender: number;
  readonly receiver: number;
  readonly presharedKey: string;
}

/** A packet inside the tunnel, or (without one) a keepalive. */
export interface Transport {
  readonly type: 'transport';
  readonly receiver: number;
  /** Number of the message in its session: one is taken once. */
  readonly counter: number;
  readonly inner: Packet | undefined;
}

const INITIATION_BYTES = 148;
const RESPONSE_BYTES = 92;
/** Type, receiver, counter and tag of a transport message. */
const TRANSPORT_BYTES = 32;
/** Payloads are padded to this. */
const PADDING_BYTES = 16;
const ETHERNET_BYTES = 14;

/** Size as the kernel counts it: without UDP and IP. */
export function messageSizeBytes(message: WireguardMessage): number {
  if (message.type === 'initiation') return INITIATION_BYTES;
  if (message.type === 'response') return RESPONSE_BYTES;
  if (message.inner === undefined) return TRANSPORT_BYTES;
  return TRANSPORT_BYTES + Math.ceil((message.inner.sizeBytes - ETHERNET_BYTES) / PADDING_BYTES) * PADDING_BYTES;
}
