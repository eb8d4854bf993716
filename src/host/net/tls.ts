import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { certificateFromPem } from '../../platform/crypto.ts';
import type { Connection } from '../../platform/net.ts';
import type { PeerIdentity, TlsClient, TlsServer } from '../../platform/rpc.ts';
import { type Task, wait } from '../../platform/task.ts';
import { hostProblem } from '../../platform/x509/verify.ts';
import { TlsError } from '../../rpc/tls/handshake.ts';
import type { SecuredServer } from '../../rpc/tls/secure.ts';
import { createHostCrypto } from '../crypto/crypto.ts';
import type { HostExecutor } from '../executor.ts';

type PeerCertificate = ReturnType<TLSSocket['getPeerCertificate']>;

/** Node's settings for a client. */
export function clientTlsOptions(tls: TlsClient, serverName: string): ConnectionOptions {
  const verify = tls.insecureSkipVerify !== true;
  return {
    host: serverName,
    // Go, too, names the server in its first message unless it is an address.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    rejectUnauthorized: verify,
    checkServerIdentity: (_name, certificate) => (verify ? identityProblem(certificate, serverName) : undefined),
    ...(tls.serverCaPem === undefined ? {} : { ca: tls.serverCaPem }),
    ...(tls.certificatePem === undefined || tls.keyPem === undefined
      ? {}
      : { cert: tls.certificatePem, key: nodeKey(tls.keyPem) }),
  };
}

/** Node's settings for a server. */
export function serverTlsOptions(tls: TlsServer) {
  return {
    cert: tls.certificatePem,
    key: nodeKey(tls.keyPem),
    requestCert: tls.clientCaPem !== undefined,
    rejectUnauthorized: tls.clientCaPem !== undefined && tls.clientAuth !== 'optional',
    ...(tls.clientCaPem === undefined ? {} : { ca: tls.clientCaPem }),
  };
}

/** Talos labels its Ed25519 keys in a way of its own; the content is PKCS#8. */
function nodeKey(pem: string): string {
  return pem.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY');
}

/** The name check of our own code, so that its words are those of Go. */
function identityProblem(certificate: PeerCertificate, serverName: string): Error | undefined {
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const problem = hostProblem(certificateFromPem(createHostCrypto(), pem), serverName);
  return problem === null ? undefined : new TlsError(problem);
}

/** Who a TLS client proved to be; undefined when it showed nothing that counts. */
export function identityOf(socket: TLSSocket): PeerIdentity | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const organizations = (subject.O ?? []) as string | string[];
  const names = subject.CN as string | string[] | undefined;
  return {
    commonName: (typeof names === 'string' ? names : names?.[0]) ?? '',
    organizations: typeof organizations === 'string' ? [organizations] : organizations,
  };
}

const UNTRUSTED: readonly string[] = Object.freeze([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

/** An error of Node's TLS in the words of Go's. */
export function tlsErrorText(error: Error): string {
  if (error instanceof TlsError) return `tls: failed to verify certificate: ${error.message}`;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (UNTRUSTED.includes(code))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  }
  if (code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') return "tls: client didn't provide a certificate";
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'tls: first record does not look like a TLS handshake';
  }
  const alert = /ALERT_(?:ALERT_)?([A-Z_]+)$/.exec(code)?.[1];
  if (alert === undefined) return error.message;
  const words: Readonly<Record<string, string>> = {
    UNKNOWN_CA: 'unknown certificate authority',
    CERTIFICATE_EXPIRED: 'expired certificate',
  };
  return `remote error: tls: ${words[alert] ?? alert.toLowerCase().replaceAll('_', ' ')}`;
}

/** Secures a dialled socket. Throws TlsError. */
export function secureClientSocket(
  raw: Socket,
  executor: HostExecutor,
  tls: TlsClient,
  serverName: string,
  wrap: (socket: Socket) => Connection,
): Task<Connection> {
  return wait<Connection>((resume, fail) => {
    const socket = connect({ ...clientTlsOptions(tls, serverName), socket: raw });
    const failed = (error: Error): void => executor.enter(() => fail(new TlsError(tlsErrorText(error))));
    socket.once('error', failed);
    socket.once('secureConnect', () => {
      socket.removeListener('error', failed);
      executor.enter(() => resume(wrap(socket)));
    });
    return () => socket.destroy();
  });
}

/** Secures an accepted socket as a Connection. Throws TlsError. */
export function* secureServerSocket(
  raw: Socket,
  executor: HostExecutor,
  tls: TlsServer,
  wrap: (socket: Socket) => Connection,
): Task<SecuredServer> {
  const socket = yield* acceptTls(raw, executor, tls, []);
  return { connection: wrap(socket), identity: identityOf(socket) };
}

/** The server's side of a handshake. `protocols` are offered by ALPN. Throws TlsError. */
export function acceptTls(
  raw: Socket,
  executor: HostExecutor,
  tls: TlsServer,
  protocols: readonly string[],
): Task<TLSSocket> {
  return wait<TLSSocket>((resume, fail) => {
    // A server that listens nowhere: it only brings the one handshake to its end.
    const server = createServer({ ...serverTlsOptions(tls), ALPNProtocols: [...protocols] });
    server.once('secureConnection', (socket) => executor.enter(() => resume(socket)));
    server.once('tlsClientError', (error, socket) => {
      const refused = socket.authorizationError as unknown as string | null | undefined;
      const cause = typeof refused !== 'string' ? error : Object.assign(new Error(refused), { code: refused });
      executor.enter(() => fail(new TlsError(tlsErrorText(cause))));
    });
    server.emit('connection', raw);
    return () => raw.destroy();
  });
}
