import type { Connection, Segment, SizedObject } from '../../platform/net.ts';
import type { Metadata, PeerIdentity, StatusName } from '../../platform/rpc.ts';
import { Dispatcher, type ServerShared, type ServerWire } from '../grpc/dispatcher.ts';
import type { Payload } from '../grpc/payload.ts';
import { tlsOverheadBytes } from '../tls/handshake.ts';
import {
  CREDIT_BYTES,
  dataSizeBytes,
  FIRST_CALL_EXTRA_BYTES,
  type Frame,
  PING_BYTES,
  replySizeBytes,
  SETTINGS_BYTES,
  statusSizeBytes,
} from './frames.ts';

/** One accepted connection: hands frames to the dispatcher and writes its answers. */
export class ServerConnection implements ServerWire {
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;
  readonly #secure: boolean;
  readonly #onClosed: (connection: ServerConnection) => void;
  #answered = false;
  #closed = false;

  constructor(
    connection: Connection,
    shared: ServerShared,
    secure: boolean,
    identity: PeerIdentity | undefined,
    onClosed: (connection: ServerConnection) => void,
  ) {
    this.#connection = connection;
    this.#secure = secure;
    this.#onClosed = onClosed;
    const ends = { peer: connection.remote, local: connection.local };
    this.#dispatcher = new Dispatcher(shared, identity === undefined ? ends : { ...ends, identity }, this);
  }

  start(): void {
    this.#send({ kind: 'settings' }, SETTINGS_BYTES);
    this.#connection.consume(
      (segment) => this.#onSegment(segment),
      () => this.close(),
    );
  }

  /** Ends every call and closes the connection. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dispatcher.abandonAll();
    this.#connection.close();
    this.#onClosed(this);
  }

  #onSegment(segment: Segment): void {
    if (this.#closed) return;
    const frame = (segment as SizedObject).object as Frame | undefined;
    switch (frame?.kind) {
      case 'call':
        this.#dispatcher.start(frame);
        break;
      case 'message':
        this.#dispatcher.find(frame.stream)?.onMessage(frame.payload);
        break;
      case 'half-close':
        this.#dispatcher.find(frame.stream)?.onHalfClose();
        break;
      case 'reset':
        this.#dispatcher.reset(frame.stream);
        break;
      case 'credit':
        this.#dispatcher.find(frame.stream)?.onCredit(frame.bytes);
        break;
      case 'ping':
        if (!frame.ack) this.#send({ kind: 'ping', ack: true }, PING_BYTES);
        break;
      case 'preface':
        break;
      default:
        this.close(); // not HTTP/2
    }
  }

  message(stream: number, payload: Payload): void {
    this.#send({ kind: 'message', stream, payload }, dataSizeBytes(payload));
  }

  reply(stream: number, payload: Payload): void {
    this.#send({ kind: 'reply', stream, payload }, replySizeBytes(payload));
  }

  status(stream: number, status: StatusName, message: string, metadata: Metadata): void {
    const frame = { kind: 'status', stream, status, message, metadata } as const;
    this.#send(frame, statusSizeBytes(frame));
  }

  credit(stream: number, bytes: number): void {
    this.#send({ kind: 'credit', stream, bytes }, CREDIT_BYTES);
  }

  #send(frame: Frame, sizeBytes: number): void {
    if (this.#closed) return;
    let size = sizeBytes;
    if (!this.#answered && frame.kind !== 'settings') {
      this.#answered = true;
      size += FIRST_CALL_EXTRA_BYTES;
    }
    if (this.#secure) size += tlsOverheadBytes(size);
    this.#connection.send({ object: frame, sizeBytes: size });
  }
}
