import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../platform/clock.ts';
import { timeout } from '../../platform/combinators.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import { type Endpoint, hostPort } from '../../platform/net.ts';
import type { TlsClient } from '../../platform/rpc.ts';
import { type Task, wait } from '../../platform/task.ts';
import { dialErrorText } from '../../rpc/go-text.ts';
import { AttemptFailed, type ClientTransport, type ConnectOptions } from '../../rpc/grpc/transport.ts';
import type { HostExecutor } from '../executor.ts';
import type { HostNet } from '../net/net.ts';
import { clientTlsOptions, tlsErrorText } from '../net/tls.ts';
import { Http2Transport } from './client-transport.ts';

export interface ConnectDeps {
  readonly net: HostNet;
  readonly clock: Clock;
  readonly executor: HostExecutor;
}

/** Dials, secures, and waits for the server's settings, within the limit of one attempt. Throws AttemptFailed. */
export function* connectHttp2To(
  deps: ConnectDeps,
  options: ConnectOptions<TlsClient>,
  endpoint: Endpoint,
): Task<ClientTransport> {
  const { clock, executor } = deps;
  const deadlineUs = clock.monotonicUs() + options.connectTimeoutUs;
  const socket = yield* dial(deps, options, endpoint);
  let ready = false;
  try {
    const leftUs = Math.max(0, deadlineUs - clock.monotonicUs());
    const session = yield* timeout(clock, leftUs, introduce(executor, options.tls, endpoint, socket), 'connecting');
    ready = true;
    return new Http2Transport(session, endpoint, executor, clock, options);
  } catch (error) {
    if (error instanceof TimeoutError) throw new AttemptFailed('failed to receive server preface within timeout');
    throw error;
  } finally {
    if (!ready) socket.destroy();
  }
}

function* dial(deps: ConnectDeps, options: ConnectOptions<TlsClient>, endpoint: Endpoint): Task<Socket> {
  try {
    const socket = yield* deps.net.dialSocket(endpoint, { timeoutUs: options.connectTimeoutUs });
    socket.setNoDelay(true);
    socket.allowHalfOpen = false; // HTTP/2 has a half-close of its own
    return socket;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new AttemptFailed(`transport: Error while dialing: ${dialErrorText(endpoint, error, true)}`);
  }
}

function* introduce(
  executor: HostExecutor,
  tls: TlsClient | null,
  endpoint: Endpoint,
  raw: Socket,
): Task<ClientHttp2Session> {
  const socket = tls === null ? raw : yield* secure(executor, tls, endpoint, raw);
  return yield* settled(executor, endpoint, socket);
}

function secure(executor: HostExecutor, tls: TlsClient, endpoint: Endpoint, raw: Socket): Task<Socket> {
  return wait<Socket>((resume, fail) => {
    const options = clientTlsOptions(tls, tls.serverName ?? endpoint.address);
    const socket = connectTls({ ...options, socket: raw, ALPNProtocols: ['h2'] });
    const failed = (error: Error): void => {
      const reason = `transport: authentication handshake failed: ${tlsErrorText(error)}`;
      executor.enter(() => fail(new AttemptFailed(reason)));
    };
    socket.on('error', failed);
    socket.once('secureConnect', () => executor.enter(() => resume(socket)));
    return () => socket.destroy();
  });
}

function settled(executor: HostExecutor, endpoint: Endpoint, socket: Socket): Task<ClientHttp2Session> {
  return wait<ClientHttp2Session>((resume, fail) => {
    const session = connectHttp2(`http://${hostPort(endpoint)}`, { createConnection: () => socket });
    const ended = (reason: string): void => {
      executor.enter(() => fail(new AttemptFailed(`error reading server preface: ${reason}`)));
    };
    const closed = (): void => ended('EOF');
    session.on('error', (error) => ended(tlsErrorText(error)));
    // A session whose socket broke in the handshake never closes: the socket itself tells.
    socket.on('error', (error) => ended(tlsErrorText(error)));
    session.once('close', closed);
    session.once('remoteSettings', () => {
      session.removeListener('close', closed);
      executor.enter(() => resume(session));
    });
    return () => session.destroy();
  });
}
