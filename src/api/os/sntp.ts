/** Simple Network Time Protocol, version 4 (RFC 4330): one packet each way. */

const PACKET_BYTES = 48;
/** Seconds from 1900, where NTP counts from, to 1970. */
const EPOCH_SEC = 2_208_988_800;

export interface SntpReply {
  /** When the client sent the request, as the client wrote it; microseconds since 1970. */
  readonly originUs: number;
  readonly receivedUs: number;
  readonly transmittedUs: number;
  readonly stratum: number;
}

/** A request that carries the client's time. */
export function encodeRequest(nowUs: number): Uint8Array {
  const packet = new Uint8Array(PACKET_BYTES);
  packet[0] = 0x23; // no warning, version 4, client
  writeTime(packet, 40, nowUs);
  return packet;
}

/** The client's time of a request; undefined when it is none. */
export function decodeRequest(packet: Uint8Array): number | undefined {
  if (packet.length < PACKET_BYTES || (packet[0]! & 7) !== 3) return undefined;
  return readTime(packet, 40);
}

export function encodeReply(reply: SntpReply): Uint8Array {
  const packet = new Uint8Array(PACKET_BYTES);
  packet[0] = 0x24; // no warning, version 4, server
  packet[1] = reply.stratum;
  writeTime(packet, 16, reply.transmittedUs);
  writeTime(packet, 24, reply.originUs);
  writeTime(packet, 32, reply.receivedUs);
  writeTime(packet, 40, reply.transmittedUs);
  return packet;
}

export function decodeReply(packet: Uint8Array): SntpReply | undefined {
  if (packet.length < PACKET_BYTES || (packet[0]! & 7) !== 4) return undefined;
  return {
    originUs: readTime(packet, 24),
    receivedUs: readTime(packet, 32),
    transmittedUs: readTime(packet, 40),
    stratum: packet[1]!,
  };
}

function writeTime(packet: Uint8Array, at: number, timeUs: number): void {
  const view = new DataView(packet.buffer, packet.byteOffset);
  const seconds = Math.floor(timeUs / 1_000_000);
  view.setUint32(at, (seconds + EPOCH_SEC) % 0x100000000);
  // The nearest fraction: reading it back gives the same microsecond.
  view.setUint32(at + 4, Math.round(((timeUs - seconds * 1_000_000) * 0x100000000) / 1_000_000) >>> 0);
}

function readTime(packet: Uint8Array, at: number): number {
  const view = new DataView(packet.buffer, packet.byteOffset);
  const seconds = view.getUint32(at) - EPOCH_SEC;
  return seconds * 1_000_000 + Math.round((view.getUint32(at + 4) * 1_000_000) / 0x100000000);
}
