import type { Endpoint } from '../../platform/net.ts';
import type { Metadata, StatusName } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { ClientMaterial } from '../tls/material.ts';
import type { Payload } from './payload.ts';

/** What a client call hears of its stream. */
export interface StreamSink {
  onMessage(payload: Payload): void;
  /** A message and the end with OK in one. */
  onReply(payload: Payload): void;
  /** The end. The transport has forgotten the stream. */
  onStatus(status: StatusName, message: string, metadata: Metadata): void;
  onCredit(bytes: number): void;
  /** The server never looked at the call: it may be made again elsewhere. The transport has forgotten the stream. */
  onUnprocessed(text: string): void;
}

/** One established HTTP/2 connection as its client sees it: the streams that are open on it. */
export interface ClientTransport {
  /** Starts to read. `onClosed` is called once, with what ended the connection. */
  start(onClosed: (text: string) => void): void;
  /** Opens a stream with its first message. Gives its number, or 0 when the connection is broken already. */
  open(
    sink: StreamSink,
    path: string,
    metadata: Metadata,
    timeoutUs: number,
    payload: Payload | null,
    end: boolean,
  ): number;
  message(stream: number, payload: Payload): void;
  halfClose(stream: number): void;
  /** This much was read: the server may send as much again. */
  credit(stream: number, bytes: number): void;
  /** Ends a stream from this side; the server is told. */
  reset(stream: number): void;
  /** Forgets a stream without a word: its owner was killed. */
  forget(stream: number): void;
  /** Closes as soon as no stream is left. */
  drain(): void;
  /** Closes now; open streams end with `status` (default Unavailable) and `text`. */
  close(text: string, status?: StatusName): void;
}

export interface ConnectOptions<Tls = ClientMaterial> {
  /** Null: plain text. */
  readonly tls: Tls | null;
  /** 0: no keepalive. */
  readonly keepaliveTimeUs: number;
  readonly keepaliveTimeoutUs: number;
  readonly backoffBaseUs: number;
  readonly backoffMaxUs: number;
  readonly connectTimeoutUs: number;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
}

/** Why an attempt failed, as the description inside grpc-go's connection error. */
export class AttemptFailed extends Error {}

/** Brings a connection up, ready for calls. Throws AttemptFailed. */
export type Connect = (endpoint: Endpoint) => Task<ClientTransport>;
