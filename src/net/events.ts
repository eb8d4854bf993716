import { eventKind } from '../platform/log.ts';

/** A connection was established, seen by the side that dialled. Endpoints as `10.0.0.10:2379`. */
export const connectionOpened = eventKind<{ local: string; remote: string }>('net.connection.opened');

/** A dial failed; `reason` is the code of the NetError. */
export const connectionRefused = eventKind<{ remote: string; reason: string }>('net.connection.refused');

/** An established connection broke on this side: `reset` or `timeout`. */
export const connectionBroken = eventKind<{ local: string; remote: string; reason: string }>('net.connection.broken');

/** A kernel now believes that `mac` answers for `address`. */
export const neighbourLearned = eventKind<{ link: string; address: string; mac: string }>('net.neighbour.learned');

/** Nobody answered for `address`: no route to host. */
export const neighbourFailed = eventKind<{ link: string; address: string }>('net.neighbour.failed');

export const addressAdded = eventKind<{ link: string; address: string }>('net.address.added');
export const addressRemoved = eventKind<{ link: string; address: string }>('net.address.removed');

/** A gratuitous ARP (or unsolicited neighbour advertisement) was sent. */
export const addressAnnounced = eventKind<{ link: string; address: string; mac: string }>('net.address.announced');

/** A WireGuard link and a peer of it (its public key) agreed on new keys; `endpoint`: where the peer was heard. */
export const wireguardHandshake = eventKind<{ link: string; peer: string; endpoint: string }>(
  'net.wireguard.handshake',
);

export const linkChanged = eventKind<{ link: string; up: boolean }>('net.link.changed');

/** A fault of the network began or ended; `id` pairs the two, `from` and `to` are node names or `*`. */
export const faultStarted = eventKind<{
  id: number;
  fault: string;
  from: readonly string[];
  to: readonly string[];
}>('net.fault.started');
export const faultHealed = eventKind<{ id: number; fault: string }>('net.fault.healed');
