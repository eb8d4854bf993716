import { mkdtempSync, rmSync } from 'node:fs';
import { request as askHttp } from 'node:http';
import { request as askHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostConnection } from '../../src/host/net/connection.ts';
import { netError } from '../../src/host/net/errors.ts';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import { utf8Encode } from '../../src/platform/bytes.ts';
import type { Connection, Listener } from '../../src/platform/net.ts';
import type { RpcError } from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { HttpConnections } from '../../src/rpc/http/connections.ts';
import { loopbackNetwork } from '../contract/worlds/loopback.ts';
import { Ask, Echo, type EchoLog, echoHandlers } from '../rpc/echo-service.ts';
import { onHost } from '../support/on-host.ts';

const MS = 1_000;
const addressOf = loopbackNetwork();
const SELF = addressOf(71);
const OTHER = addressOf(72);
const NAME = 'discovery.talos.dev';

describe('sockets of a host', () => {
  const directory = mkdtempSync(join(tmpdir(), 'talosim-net-'));
  let host: HostPlatform;
  let serverTls: { certificatePem: string; keyPem: string };

  beforeAll(() => {
    host = hostPlatform({ name: 'net', self: SELF, root: directory });
    const { crypto } = host.platform;
    const nowSec = Math.floor(host.platform.clock.nowUs() / 1_000_000);
    const key = crypto.generateKey('ecdsa-p256');
    const authority = crypto.selfSignedAuthority({
      subject: { commonName: 'authority' },
      keySpec: 'ecdsa-p256',
      notBeforeSec: nowSec - 60,
      notAfterSec: nowSec + 600,
    });
    const certificate = crypto.issueCertificate({
      subject: { commonName: NAME },
      dnsNames: [NAME],
      notBeforeSec: nowSec - 60,
      notAfterSec: nowSec + 600,
      keyUsages: ['digital-signature'],
      extendedKeyUsages: ['server-auth'],
      publicKey: key.publicKey,
      signer: authority,
    });
    serverTls = { certificatePem: crypto.certificateToPem(certificate), keyPem: crypto.privateKeyToPem(key) };
  });
  afterAll(() => {
    host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = <T>(body: () => Task<T>): Promise<T> => onHost(host, body);

  const failure = async (body: () => Task<unknown>): Promise<readonly [code: string, message: string]> => {
    const error = (await run(body).catch((thrown: unknown) => thrown)) as { code: string; message: string };
    return [error.code, error.message];
  };

  it('errors are those of a simulation, word for word', async () => {
    const { net } = host.platform;
    const listener = await run(() => net.listen({ address: '0.0.0.0', port: 0 }));
    const { port } = listener.local;
    expect(await failure(() => net.listen({ address: SELF, port }))).toEqual([
      'address-in-use',
      `listen tcp ${SELF}:${port}: bind: address already in use`,
    ]);
    listener.close();
    expect(await failure(() => listener.accept())).toEqual([
      'closed',
      `accept tcp 0.0.0.0:${port}: use of closed network connection`,
    ]);
    expect(await failure(() => net.dial({ address: SELF, port }))).toEqual([
      'refused',
      `dial tcp ${SELF}:${port}: connect: connection refused`,
    ]);
    expect(await failure(() => net.listen({ address: '192.0.2.1', port: 0 }))).toEqual([
      'address-not-available',
      'listen tcp 192.0.2.1:0: bind: cannot assign requested address',
    ]);
  });

  it('names are looked up for a dial alone; impossible addresses and ports are refused', async () => {
    const { net } = host.platform;
    const expected = ['address-not-available', expect.stringContaining('is not an IP address with a port')];
    expect((await failure(() => net.dial({ address: 'nobody.invalid', port: 1 })))[0]).toBe('unknown-host');
    expect(await failure(() => net.dial({ address: SELF, port: 70_000 }))).toEqual(expected);
    expect(await failure(() => net.listen({ address: SELF, port: -1 }))).toEqual(expected);
    expect(await failure(() => net.bindDatagram({ address: 'example.org', port: 0 }))).toEqual(expected);
  });

  it('errors of the system that have no code of their own are told in its words', () => {
    const denied = Object.assign(new Error('listen EACCES: permission denied 127.0.0.1:123'), { code: 'EACCES' });
    expect(netError(denied, 'listen tcp :123: bind')).toMatchObject({
      code: 'address-not-available',
      message: 'listen tcp :123: bind: permission denied',
    });
    const strange = Object.assign(new Error('something new'), { code: 'ENEW' });
    expect(netError(strange, 'dial')).toMatchObject({ code: 'reset', message: 'dial: something new' });
  });

  it.each([true, false])(
    'a port shared with HTTP/1.1 answers both, behind TLS (%j) too, once it is opened',
    async (secure) => {
      const { rpc, scope } = host.platform;
      const http = new HttpConnections({
        scope,
        alwaysBytes: false,
        *handler({ target }) {
          return { status: 200, body: utf8Encode(`you asked for ${target}`) };
        },
      });
      const server = await run(() =>
        rpc.serve({
          address: SELF,
          port: 0,
          handlers: echoHandlers({ lines: [] }, () => wait<never>(() => () => {})),
          otherwise: (connection, first, identity) => http.serve(connection, first, identity),
          held: true,
          ...(secure ? { tls: serverTls } : {}),
        }),
      );
      const { port } = server.local;
      const channel = rpc.channel([server.local], secure ? { tls: { insecureSkipVerify: true } } : {});
      const said = run(() => channel.unary(Echo.Say, Ask.of({ text: 'x' }), { waitForReady: true }));
      const ask = secure ? askHttps : askHttp;
      const answer = new Promise<string>((resolve, reject) => {
        ask({ host: SELF, port, path: '/health', rejectUnauthorized: false }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        })
          .on('error', reject)
          .end();
      });
      setTimeout(() => host.executor.enter(() => server.open()), 50);
      expect((await said).text).not.toBe('');
      expect(await answer).toBe('you asked for /health');
      channel.close();
      http.close();
      server.close();
    },
  );

  it('a TLS client names the server that it wants, unless that is an address', async () => {
    const names: (string | false | null)[] = [];
    const { certificatePem: cert, keyPem: key } = serverTls;
    const server = createTlsServer({ cert, key }, (socket: TLSSocket) => {
      names.push(socket.servername);
      socket.end();
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, SELF, () => resolve((server.address() as { port: number }).port));
    });
    const speak = (serverName: string): Promise<void> =>
      run(function* () {
        const raw = yield* host.platform.net.dial({ address: SELF, port });
        const secured = yield* (raw as HostConnection).secureClient({ insecureSkipVerify: true }, serverName);
        expect(yield* secured.receive()).toBe(undefined);
        secured.close();
      });
    await speak(NAME);
    await speak(SELF);
    server.close();
    expect(names).toEqual([NAME, false]);
  });

  it('a machine that stops ends its connections, whatever they carry, and takes no callback any more', async () => {
    const log: EchoLog = { lines: [] };
    const hang = () => wait<never>(() => () => {});
    const other = hostPlatform({ name: 'other', self: OTHER, root: join(directory, 'other') });
    const served = new Promise<{ readonly rpc: number; readonly plain: number }>((resolve) => {
      other.executor.enter(() => {
        other.scope.spawn('serve', function* () {
          const { rpc, net } = other.platform;
          const server = yield* rpc.serve({ address: '0.0.0.0', port: 0, handlers: echoHandlers(log, hang) });
          const listener = yield* net.listen({ address: '0.0.0.0', port: 0 });
          resolve({ rpc: server.local.port, plain: listener.local.port });
          for (;;) yield* listener.accept();
        });
      });
    });
    const ports = await served;
    const channel = host.platform.rpc.channel([{ address: OTHER, port: ports.rpc }]);
    const [rpcEnd, plainEnd] = await run(function* () {
      const stream = channel.stream(Echo.Hang);
      stream.send(Ask.empty);
      yield* stream.receive();
      const connection = yield* host.platform.net.dial({ address: OTHER, port: ports.plain });
      other.stop();
      const plain = yield* connection.receive();
      try {
        return [yield* stream.receive(), plain];
      } catch (error) {
        return [(error as RpcError).status, plain];
      }
    });
    expect([rpcEnd, plainEnd]).toEqual(['Unavailable', undefined]);
    channel.close();
  });

  it('a handshake that began before the server looked is not lost', async () => {
    const { net, clock } = host.platform;
    const listener: Listener = await run(() => net.listen({ address: SELF, port: 0 }));
    const client = connectTls({
      socket: connectTcp(listener.local.port, SELF),
      servername: NAME,
      rejectUnauthorized: false,
    });
    const heard = new Promise<string>((resolve, reject) => {
      client.once('data', (data: Uint8Array) => resolve(Buffer.from(data).toString()));
      client.once('error', reject);
    });
    await run(function* () {
      const raw: Connection = yield* listener.accept();
      yield* clock.sleep(100 * MS); // the client's first message is here by now
      const { connection } = yield* (raw as HostConnection).secureServer(serverTls);
      connection.send(Buffer.from('welcome'));
      connection.close();
    });
    expect(await heard).toBe('welcome');
    listener.close();
    client.destroy();
  });
});
