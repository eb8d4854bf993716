import { type Endpoint, hostPort, type WireguardPeerConfig, type WireguardPeerState } from '../../platform/net.ts';
import { wireguardHandshake } from '../events.ts';
import type { Packet } from '../packet.ts';
import {
  KEEPALIVE_TIMEOUT_US,
  MAX_ATTEMPTS,
  MAX_JITTER_US,
  MAX_STAGED,
  REJECT_AFTER_US,
  REKEY_AFTER_US,
  REKEY_TIMEOUT_US,
} from './constants.ts';
import type { WireguardDevice } from './device.ts';
import { LazyTimer } from './lazy-timer.ts';
import { type Initiation, messageSizeBytes, type Response, type Transport, type WireguardMessage } from './messages.ts';
import { Session } from './session.ts';

/** One peer of a device: its handshakes, its sessions, and where it was heard last. */
export class WireguardPeer {
  readonly publicKey: string;
  readonly #device: WireguardDevice;
  #config: WireguardPeerConfig;
  #endpoint: Endpoint | undefined;
  #current: Session | undefined;
  #previous: Session | undefined;
  /** A handshake that the other end began, until its first message proves that it has the keys. */
  #unconfirmed: Session | undefined;
  /** Index of our own handshake while it waits for the answer. */
  #pendingIndex: number | undefined;
  #lastInitiationUs = Number.NEGATIVE_INFINITY;
  #newestTimestampUs = -1;
  #attempts = 0;
  #staged: Packet[] = [];
  #lastHandshakeAtUs: number | undefined;
  #receivedBytes = 0;
  #sentBytes = 0;
  readonly #retransmit: LazyTimer;
  readonly #passiveKeepalive: LazyTimer;
  readonly #persistentKeepalive: LazyTimer;
  readonly #noAnswer: LazyTimer;
  readonly #forgetKeys: LazyTimer;

  constructor(device: WireguardDevice, config: WireguardPeerConfig) {
    this.publicKey = config.publicKey;
    this.#device = device;
    this.#config = { ...config, keepaliveUs: 0 };
    const { kernel } = device;
    this.#retransmit = new LazyTimer(kernel, () => this.#retry());
    this.#passiveKeepalive = new LazyTimer(kernel, () => this.#keepalive());
    this.#persistentKeepalive = new LazyTimer(kernel, () => this.#keepalive());
    this.#noAnswer = new LazyTimer(kernel, () => this.#initiate());
    this.#forgetKeys = new LazyTimer(kernel, () => this.#dropSessions());
    this.configure(config);
  }

  get state(): WireguardPeerState {
    const heardAtUs = this.#lastHandshakeAtUs;
    return {
      publicKey: this.publicKey,
      endpoint: this.#endpoint ?? null,
      handshakeAgeUs: heardAtUs === undefined ? null : this.#device.kernel.nowUs() - heardAtUs,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
    };
  }

  get allowedIps(): readonly string[] {
    return this.#config.allowedIps;
  }

  /** An endpoint that is null leaves the one in use, which the peer may have changed itself by roaming. */
  configure(config: WireguardPeerConfig): void {
    const begins = this.#config.keepaliveUs === 0 && config.keepaliveUs > 0;
    this.#config = config;
    if (config.endpoint !== null) this.#endpoint = config.endpoint;
    if (begins) this.#keepalive();
  }

  /** Takes a packet of this machine in: it goes at once, or when a handshake gave keys for it. */
  send(packet: Packet): void {
    if (this.#endpoint === undefined) {
      packet.lost();
      return;
    }
    if (this.#staged.length >= MAX_STAGED) this.#staged.shift()!.lost();
    this.#staged.push(packet);
    this.#sendStaged();
  }

  #sendStaged(): void {
    const session = this.#usable();
    if (session === undefined) {
      this.#initiate();
      return;
    }
    for (const packet of this.#staged.splice(0)) this.#transport(session, packet);
  }

  #usable(): Session | undefined {
    return this.#isFresh(this.#current) ? this.#current : undefined;
  }

  #isFresh(session: Session | undefined): boolean {
    return session !== undefined && this.#device.kernel.nowUs() - session.createdAtUs < REJECT_AFTER_US;
  }

  #keepalive(): void {
    const session = this.#usable();
    if (this.#staged.length > 0 || session === undefined) this.#sendStaged();
    else this.#transport(session, undefined);
  }

  #transport(session: Session, inner: Packet | undefined): void {
    this.#emit({ type: 'transport', receiver: session.remoteIndex, counter: session.nextCounter(), inner });
    if (inner !== undefined && !this.#noAnswer.pending) {
      this.#noAnswer.arm(KEEPALIVE_TIMEOUT_US + REKEY_TIMEOUT_US + this.#jitterUs());
    }
    if (session.isInitiator && this.#device.kernel.nowUs() - session.createdAtUs > REKEY_AFTER_US) this.#initiate();
  }

  #emit(message: WireguardMessage): void {
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    this.#sentBytes += messageSizeBytes(message);
    this.#passiveKeepalive.disarm();
    this.#traversed();
    this.#device.emit(message, endpoint);
  }

  /** Something genuine went either way: the mapping of a NAT on the way is fresh again. */
  #traversed(): void {
    if (this.#config.keepaliveUs > 0) this.#persistentKeepalive.arm(this.#config.keepaliveUs);
  }

  #heard(from: Endpoint, message: WireguardMessage): void {
    this.#endpoint = from;
    this.#receivedBytes += messageSizeBytes(message);
    this.#noAnswer.disarm();
    this.#traversed();
  }

  #jitterUs(): number {
    return this.#device.draws.int(0, MAX_JITTER_US);
  }

  // Handshakes.

  /** Begins a handshake, but not more often than every five seconds. */
  #initiate(isRetry = false): void {
    const nowUs = this.#device.kernel.nowUs();
    if (!isRetry) this.#attempts = 0;
    if (this.#endpoint === undefined || nowUs - this.#lastInitiationUs < REKEY_TIMEOUT_US) return;
    this.#lastInitiationUs = nowUs;
    this.#device.release(this.#pendingIndex);
    const sender = this.#device.claimIndex(this);
    this.#pendingIndex = sender;
    this.#emit({
      type: 'initiation',
      from: this.#device.publicKey,
      to: this.publicKey,
      sender,
      timestampUs: nowUs,
    });
    this.#retransmit.arm(REKEY_TIMEOUT_US + this.#jitterUs());
  }

  #retry(): void {
    if (this.#attempts++ <= MAX_ATTEMPTS) {
      this.#initiate(true);
      return;
    }
    this.#passiveKeepalive.disarm();
    for (const packet of this.#staged.splice(0)) packet.lost();
    if (!this.#forgetKeys.pending) this.#forgetKeys.arm(3 * REJECT_AFTER_US);
  }

  /** The other end begins a handshake. */
  initiated(message: Initiation, from: Endpoint): void {
    if (message.timestampUs <= this.#newestTimestampUs) return;
    this.#newestTimestampUs = message.timestampUs;
    this.#heard(from, message);
    this.#device.release(this.#unconfirmed?.localIndex);
    const localIndex = this.#device.claimIndex(this);
    this.#unconfirmed = new Session(localIndex, message.sender, this.#device.kernel.nowUs(), false);
    this.#forgetKeys.arm(3 * REJECT_AFTER_US);
    const { presharedKey } = this.#config;
    this.#emit({ type: 'response', sender: localIndex, receiver: message.sender, presharedKey });
  }

  /** The other end answers ours. */
  answered(message: Response, from: Endpoint): void {
    if (message.receiver !== this.#pendingIndex || message.presharedKey !== this.#config.presharedKey) return;
    this.#heard(from, message);
    this.#pendingIndex = undefined;
    this.#begin(new Session(message.receiver, message.sender, this.#device.kernel.nowUs(), true));
    this.#keepalive();
  }

  /** A session is proven at both ends: what waited may go. */
  #begin(session: Session): void {
    this.#device.release(this.#previous?.localIndex);
    this.#previous = this.#current;
    this.#current = session;
    this.#retransmit.disarm();
    this.#attempts = 0;
    this.#lastHandshakeAtUs = this.#device.kernel.nowUs();
    this.#forgetKeys.arm(3 * REJECT_AFTER_US);
    this.#device.kernel.report(wireguardHandshake, () => ({
      link: this.#device.name,
      peer: this.publicKey,
      endpoint: hostPort(this.#endpoint!),
    }));
  }

  /** A message within a session; undefined when it is not genuine, else the packet in it (null in a keepalive). */
  opened(message: Transport, from: Endpoint): Packet | null | undefined {
    const session = [this.#current, this.#unconfirmed, this.#previous].find(
      (candidate) => candidate?.localIndex === message.receiver,
    );
    if (session === undefined || !this.#isFresh(session) || !session.accepts(message.counter)) return undefined;
    this.#heard(from, message);
    if (session === this.#unconfirmed) {
      this.#unconfirmed = undefined;
      this.#begin(session);
      this.#sendStaged();
    }
    this.#renewInTime(session);
    if (message.inner === undefined) return null;
    if (!this.#passiveKeepalive.pending) this.#passiveKeepalive.arm(KEEPALIVE_TIMEOUT_US);
    return message.inner;
  }

  /** An initiator that only receives has to renew before the other end must be silent. */
  #renewInTime(session: Session): void {
    const limitUs = REJECT_AFTER_US - KEEPALIVE_TIMEOUT_US - REKEY_TIMEOUT_US;
    const isOld = this.#device.kernel.nowUs() - session.createdAtUs > limitUs;
    if (session === this.#current && session.isInitiator && isOld) this.#initiate();
  }

  #dropSessions(): void {
    for (const session of [this.#current, this.#previous, this.#unconfirmed]) this.#device.release(session?.localIndex);
    this.#current = undefined;
    this.#previous = undefined;
    this.#unconfirmed = undefined;
  }

  /** The peer is taken off the device. */
  end(): void {
    this.#dropSessions();
    this.#device.release(this.#pendingIndex);
    for (const timer of [this.#retransmit, this.#passiveKeepalive, this.#persistentKeepalive]) timer.end();
    this.#noAnswer.end();
    this.#forgetKeys.end();
    for (const packet of this.#staged.splice(0)) packet.lost();
  }
}
