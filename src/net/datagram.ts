import { NetError } from '../platform/errors.ts';
import {
  type Datagram,
  type DatagramSocket,
  type Endpoint,
  hostPort,
  type Segment,
  segmentSizeBytes,
} from '../platform/net.ts';
import type { Task } from '../platform/task.ts';
import { Waiting } from '../platform/waiting.ts';
import { canonicalAddress, isUnspecified } from './address.ts';
import type { Namespace } from './namespace.ts';
import { Packet } from './packet.ts';
import type { SocketProcess } from './process.ts';

/** Largest payload: a 64 KiB IP packet without the headers. */
const DATAGRAM_LIMIT_BYTES = 65_507;
/** Ethernet, IP and UDP headers. */
export const HEADER_BYTES = 42;
/** net.core.rmem_default: what arrives beyond it is dropped. */
const RECEIVE_BUFFER_BYTES = 212_992;

/** What takes the datagrams of a port: a socket, or a part of the kernel itself. */
export interface DatagramReceiver {
  input(packet: Packet): void;
  /** The kernel is gone. */
  vanish(): void;
}

/** A UDP socket: what is sent may be lost, doubled or overtaken; nobody is told. */
export class UdpSocket implements DatagramSocket, DatagramReceiver {
  readonly local: Endpoint;
  readonly namespace: Namespace;
  readonly process: SocketProcess;
  #queue: Datagram[] = [];
  #queuedBytes = 0;
  readonly #readers = new Waiting();
  #closed = false;

  constructor(namespace: Namespace, process: SocketProcess, local: Endpoint) {
    this.namespace = namespace;
    this.process = process;
    this.local = local;
    process.datagrams.add(this);
  }

  /** NetError `message-too-long` beyond 65,507 bytes, `closed`. Larger than the MTU goes in fragments: all must arrive. */
  send(to: Endpoint, payload: Segment): void {
    this.#requireOpen();
    const sizeBytes = segmentSizeBytes(payload);
    if (sizeBytes > DATAGRAM_LIMIT_BYTES) {
      throw new NetError('message-too-long', `write udp ${hostPort(to)}: message too long`);
    }
    const target = canonicalAddress(to.address);
    const bound = this.local.address;
    const source = isUnspecified(bound) ? this.namespace.sourceFor(target) : bound;
    if (source === undefined) return;
    this.namespace.kernel.transmit(
      new Packet({
        kind: 'datagram',
        from: { address: source, port: this.local.port },
        to: { address: target, port: to.port },
        origin: this.namespace,
        payload,
        sizeBytes: sizeBytes + HEADER_BYTES,
      }),
    );
  }

  #requireOpen(): void {
    if (this.#closed) throw new NetError('closed', `udp ${hostPort(this.local)}: use of closed network connection`);
  }

  input(packet: Packet): void {
    if (this.#queuedBytes + packet.sizeBytes > RECEIVE_BUFFER_BYTES) return;
    this.#queuedBytes += packet.sizeBytes;
    this.#queue.push({ from: packet.from, payload: packet.payload! });
    this.#readers.wake();
  }

  *receive(): Task<Datagram> {
    for (;;) {
      this.#requireOpen();
      const datagram = this.#queue.shift();
      if (datagram !== undefined) {
        this.#queuedBytes -= segmentSizeBytes(datagram.payload) + HEADER_BYTES;
        return datagram;
      }
      yield* this.#readers.woken();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.namespace.datagrams.remove(this.local.address, this.local.port);
    this.process.datagrams.delete(this);
    this.#readers.wake();
  }

  /** The kernel is gone. */
  vanish(): void {
    this.#closed = true;
    this.#readers.forget();
    this.#queue = [];
  }
}
