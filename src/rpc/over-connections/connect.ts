import { timeout } from '../../platform/combinators.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import type { Connection, DialOptions, Endpoint, Segment } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';
import { dialErrorText, readErrorText } from '../go-text.ts';
import { AttemptFailed, type ClientTransport, type ConnectOptions } from '../grpc/transport.ts';
import { asAlert, clientHandshake, TlsError } from '../tls/handshake.ts';
import type { ClientMaterial } from '../tls/material.ts';
import { ConnectionTransport } from './client-transport.ts';
import type { RpcDeps } from './deps.ts';
import { type Frame, PREFACE_BYTES } from './frames.ts';

/** Dials, secures, and waits for the server's settings, within the limit of one attempt. Throws AttemptFailed. */
export function* connectOver(deps: RpcDeps, options: ConnectOptions, endpoint: Endpoint): Task<ClientTransport> {
  const { clock } = deps;
  const deadlineUs = clock.monotonicUs() + options.connectTimeoutUs;
  const connection = yield* dial(deps, options, endpoint);
  let ready = false;
  try {
    const leftUs = Math.max(0, deadlineUs - clock.monotonicUs());
    yield* timeout(clock, leftUs, introduce(deps, options, endpoint, connection), 'connecting');
    ready = true;
    return new ConnectionTransport(connection, clock, { ...options, secure: options.tls !== null });
  } catch (error) {
    if (error instanceof TimeoutError) throw new AttemptFailed('failed to receive server preface within timeout');
    throw error;
  } finally {
    if (!ready) connection.close();
  }
}

function* dial(deps: RpcDeps, options: ConnectOptions, endpoint: Endpoint): Task<Connection> {
  const dialOptions: DialOptions = {
    timeoutUs: options.connectTimeoutUs,
    ...(options.keepaliveTimeUs > 0 ? { userTimeoutUs: options.keepaliveTimeoutUs } : {}),
  };
  try {
    return yield* deps.net.dial(endpoint, dialOptions);
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new AttemptFailed(`transport: Error while dialing: ${dialErrorText(endpoint, error, true)}`);
  }
}

/** TLS, then HTTP/2: the connection is ready once the server's settings are there. */
function* introduce(deps: RpcDeps, options: ConnectOptions, endpoint: Endpoint, connection: Connection): Task<void> {
  if (options.tls !== null) yield* secure(deps, options.tls, endpoint, connection);
  connection.send({ object: { kind: 'preface' } satisfies Frame, sizeBytes: PREFACE_BYTES });
  const problem = yield* settingsProblem(connection);
  if (problem !== undefined) throw new AttemptFailed(`error reading server preface: ${problem}`);
}

function* secure(deps: RpcDeps, material: ClientMaterial, endpoint: Endpoint, connection: Connection): Task<void> {
  try {
    yield* clientHandshake(connection, material, endpoint.address, deps);
  } catch (error) {
    if (!(error instanceof TlsError || error instanceof NetError)) throw error;
    const reason = readErrorText(connection.local, connection.remote, error);
    throw new AttemptFailed(`transport: authentication handshake failed: ${reason}`);
  }
}

function* settingsProblem(connection: Connection): Task<string | undefined> {
  const { local, remote } = connection;
  let received: Segment | undefined;
  try {
    received = yield* connection.receive();
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return readErrorText(local, remote, error);
  }
  if (received === undefined) return readErrorText(local, remote, undefined);
  const alert = asAlert(received);
  if (alert !== undefined) return `remote error: tls: ${alert.description}`;
  const settings = !(received instanceof Uint8Array) && (received.object as Frame | null)?.kind === 'settings';
  return settings ? undefined : 'http2: frame too large';
}
