import type { Clock } from '../../platform/clock.ts';
import type { CertificateRecord, CryptoPort, DistinguishedName } from '../../platform/crypto.ts';
import { NetError, TimeoutError } from '../../platform/errors.ts';
import type { Connection, Segment } from '../../platform/net.ts';
import type { PeerIdentity } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { chainProblem, hostProblem } from '../../platform/x509/verify.ts';
import { readErrorText } from '../go-text.ts';
import type { ClientMaterial, ServerMaterial } from './material.ts';

/**
 * A model of the TLS 1.3 handshake over a simulated connection: one round trip, certificates as records, the checks
 * and the error texts of Go's crypto/tls. A server's refusal of a client certificate reaches the client only with its
 * first read, as in the protocol.
 */

interface ClientHello {
  readonly kind: 'tls-client-hello';
  readonly serverName: string;
}

interface ServerHello {
  readonly kind: 'tls-server-hello';
  readonly certificate: CertificateRecord;
  /** Subjects of acceptable client authorities; null when no client certificate is asked for. */
  readonly acceptableAuthorities: readonly DistinguishedName[] | null;
}

interface ClientFinished {
  readonly kind: 'tls-client-finished';
  readonly certificate: CertificateRecord | null;
}

/** Ends a connection that is (being) secured, with the reason as Go names it. */
export interface TlsAlert {
  readonly kind: 'tls-alert';
  readonly description: string;
}

type HandshakeMessage = ClientHello | ServerHello | ClientFinished | TlsAlert;

/** The handshake failed; the message is what Go's `Handshake` returns. */
export class TlsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TlsError';
  }
}

/** What a side says of another that does not speak TLS. */
export const NOT_TLS = 'tls: first record does not look like a TLS handshake';

/** Whether a handshake failed by what the other side did or left undone; anything else is a defect. */
export function isHandshakeFailure(error: unknown): error is TlsError | NetError | TimeoutError {
  return error instanceof TlsError || error instanceof NetError || error instanceof TimeoutError;
}

export interface HandshakeDeps {
  readonly clock: Clock;
  readonly crypto: CryptoPort;
  /** Processor time each side spends on signatures and key agreement. */
  readonly tlsCpuUs: number;
}

/** What TLS 1.3 adds to a segment: 22 bytes for each record of up to 16 KiB. */
export function tlsOverheadBytes(sizeBytes: number): number {
  return 22 * (1 + Math.floor(sizeBytes / 16_384));
}

const CLIENT_HELLO_BYTES = 260;
const SERVER_HELLO_BYTES = 230;
const FINISHED_BYTES = 74;
const ALERT_BYTES = 24;
const CERTIFICATE_BYTES = 700;

function certificateSizeBytes(certificate: CertificateRecord | null): number {
  if (certificate === null) return 0;
  return certificate.der === null ? CERTIFICATE_BYTES : certificate.der.length;
}

function segment(message: HandshakeMessage, sizeBytes: number): Segment {
  return { object: message, sizeBytes };
}

/** Reads a segment as a TLS alert: what a secured connection may still bring in place of data. */
export function asAlert(received: Segment): TlsAlert | undefined {
  if (received instanceof Uint8Array) return undefined;
  const message = received.object as Partial<TlsAlert> | null;
  return message?.kind === 'tls-alert' ? (message as TlsAlert) : undefined;
}

/** The client's side; returns the server's certificate. `host` is what was dialled. Throws TlsError, NetError. */
export function* clientHandshake(
  connection: Connection,
  material: ClientMaterial,
  host: string,
  deps: HandshakeDeps,
): Task<CertificateRecord> {
  const serverName = material.serverName ?? host;
  connection.send(segment({ kind: 'tls-client-hello', serverName }, CLIENT_HELLO_BYTES + serverName.length));
  const answer = yield* receiveMessage(connection);
  if (answer.kind === 'tls-alert') throw new TlsError(`remote error: tls: ${answer.description}`);
  if (answer.kind !== 'tls-server-hello') throw new TlsError(NOT_TLS);
  yield* deps.clock.sleep(deps.tlsCpuUs);
  const problem = serverProblem(answer.certificate, material, serverName, deps);
  if (problem !== null) {
    connection.send(segment({ kind: 'tls-alert', description: 'bad certificate' }, ALERT_BYTES));
    throw new TlsError(`tls: failed to verify certificate: ${problem}`);
  }
  const certificate = chooseCertificate(material.certificate, answer.acceptableAuthorities);
  connection.send(
    segment({ kind: 'tls-client-finished', certificate }, FINISHED_BYTES + certificateSizeBytes(certificate)),
  );
  return answer.certificate;
}

function serverProblem(
  certificate: CertificateRecord,
  material: ClientMaterial,
  serverName: string,
  deps: HandshakeDeps,
): string | null {
  if (material.insecureSkipVerify) return null;
  const nowSec = Math.floor(deps.clock.nowUs() / 1_000_000);
  return (
    chainProblem(deps.crypto, certificate, { roots: material.roots, nowSec, usage: 'server-auth' }) ??
    hostProblem(certificate, serverName)
  );
}

/** A client keeps its certificate to itself when the server does not name the certificate's issuer. */
function chooseCertificate(
  own: CertificateRecord | null,
  acceptable: readonly DistinguishedName[] | null,
): CertificateRecord | null {
  if (own === null || acceptable === null) return null;
  return acceptable.some((name) => sameName(name, own.issuer)) ? own : null;
}

function sameName(a: DistinguishedName, b: DistinguishedName): boolean {
  return a.commonName === b.commonName && a.organizations.join('\n') === b.organizations.join('\n');
}

/** The server's side; returns who the client proved to be. Throws TlsError, NetError. */
export function* serverHandshake(
  connection: Connection,
  material: ServerMaterial,
  deps: HandshakeDeps,
): Task<PeerIdentity | undefined> {
  const hello = yield* receiveMessage(connection);
  if (hello.kind !== 'tls-client-hello') throw new TlsError(NOT_TLS);
  yield* deps.clock.sleep(deps.tlsCpuUs);
  const { certificate, clientRoots } = material;
  const acceptableAuthorities = clientRoots === null ? null : clientRoots.map((root) => root.subject);
  connection.send(
    segment(
      { kind: 'tls-server-hello', certificate, acceptableAuthorities },
      SERVER_HELLO_BYTES + certificateSizeBytes(certificate),
    ),
  );
  const finished = yield* receiveMessage(connection);
  if (finished.kind === 'tls-alert') throw new TlsError(`remote error: tls: ${finished.description}`);
  if (finished.kind !== 'tls-client-finished') throw new TlsError('tls: unexpected message');
  return identify(connection, finished.certificate, material, deps);
}

function identify(
  connection: Connection,
  certificate: CertificateRecord | null,
  material: ServerMaterial,
  deps: HandshakeDeps,
): PeerIdentity | undefined {
  const { clientRoots, clientAuth } = material;
  if (clientRoots === null) return undefined;
  const required = clientAuth === 'require';
  if (certificate === null) {
    if (!required) return undefined;
    throw refuse(connection, 'certificate required', "tls: client didn't provide a certificate");
  }
  const nowSec = Math.floor(deps.clock.nowUs() / 1_000_000);
  const problem = chainProblem(deps.crypto, certificate, { roots: clientRoots, nowSec, usage: 'client-auth' });
  if (problem === null) {
    return { commonName: certificate.subject.commonName, organizations: certificate.subject.organizations };
  }
  if (!required) return undefined;
  throw refuse(connection, alertFor(problem), `tls: failed to verify certificate: ${problem}`);
}

function refuse(connection: Connection, alert: string, reason: string): TlsError {
  connection.send(segment({ kind: 'tls-alert', description: alert }, ALERT_BYTES));
  return new TlsError(reason);
}

function alertFor(problem: string): string {
  if (problem.includes('unknown authority')) return 'unknown certificate authority';
  return problem.includes('expired') ? 'expired certificate' : 'bad certificate';
}

const HANDSHAKE_KINDS: readonly string[] = Object.freeze([
  'tls-client-hello',
  'tls-server-hello',
  'tls-client-finished',
  'tls-alert',
]);

function* receiveMessage(connection: Connection): Task<HandshakeMessage> {
  const received = yield* connection.receive();
  if (received === undefined) throw new TlsError(readErrorText(connection.local, connection.remote, undefined));
  if (!(received instanceof Uint8Array)) {
    const message = received.object as HandshakeMessage;
    if (HANDSHAKE_KINDS.includes(message.kind)) return message;
  }
  throw new TlsError(NOT_TLS);
}
