import type { Socket } from 'node:dgram';
import { Channel, END } from '../../platform/channel.ts';
import { NetError } from '../../platform/errors.ts';
import { type Datagram, type DatagramSocket, type Endpoint, hostPort, type Segment } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import type { HostExecutor } from '../executor.ts';
import { segmentBytes } from './segments.ts';
import type { SelfAddress } from './self.ts';

/** Datagrams that may wait unread; further ones are lost, as in a kernel. */
const RECEIVE_BUFFER = 1_024;

/** What fits into an IPv4 datagram. */
const LONGEST_PAYLOAD_BYTES = 65_507;

/** A bound UDP socket. */
export class HostDatagramSocket implements DatagramSocket {
  readonly local: Endpoint;
  readonly #socket: Socket;
  readonly #self: SelfAddress;
  readonly #inbox = new Channel<Datagram>(RECEIVE_BUFFER);
  #closed = false;

  constructor(socket: Socket, local: Endpoint, self: SelfAddress, executor: HostExecutor) {
    this.#socket = socket;
    this.local = local;
    this.#self = self;
    socket.on('message', (bytes, from) => {
      const payload = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      executor.enter(() => this.#inbox.offer({ from: { address: from.address, port: from.port }, payload }));
    });
    // A refused datagram is reported by the kernel later, as an error of the socket: senders of datagrams do not see it.
    socket.on('error', () => {});
  }

  send(to: Endpoint, payload: Segment): void {
    if (this.#closed) return;
    const bytes = segmentBytes(payload);
    if (bytes.length > LONGEST_PAYLOAD_BYTES) {
      throw new NetError('message-too-long', `write udp ${hostPort(to)}: message too long`);
    }
    this.#socket.send(bytes, to.port, this.#self.map(to.address), () => {});
  }

  *receive(): Task<Datagram> {
    const next = yield* this.#inbox.receive();
    if (next === END) throw new NetError('closed', `udp ${hostPort(this.local)}: use of closed network connection`);
    return next;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
    this.#inbox.close();
  }
}
