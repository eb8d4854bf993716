import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { HttpClient } from '../../src/rpc/http/client.ts';
import type { HttpError } from '../../src/rpc/http/errors.ts';
import { httpValue, partBytes, readPart } from '../../src/rpc/http/message.ts';
import { type HttpHandler, type HttpServer, serveHttp } from '../../src/rpc/http/server.ts';
import { Answer } from '../rpc/echo-service.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;
const SECOND = 1_000_000;

for (const world of WORLDS) {
  describe(`http on ${world.name}`, () => {
    let running: RunningWorld;
    let client: Peer;
    let server: Peer;
    const unwound: string[] = [];
    const call = <T>(body: () => Task<T>): Promise<T> => running.run(client, body);

    beforeAll(async () => {
      running = await world.start({ peers: 2 });
      client = running.peers[0]!;
      server = running.peers[1]!;
    });
    afterAll(() => running.stop());

    const handler: HttpHandler = function* (request, peer) {
      switch (request.target) {
        case '/echo?x=1':
          return { status: 201, headers: { from: peer.peer.address, ...request.headers }, body: request.body };
        case '/slow':
          try {
            yield* wait<void>(() => () => {});
          } finally {
            unwound.push('slow');
          }
          return { status: 200 };
        case '/who':
          return { status: 200, body: utf8Encode(peer.identity?.commonName ?? 'nobody') };
        case '/watch':
          return {
            status: 200,
            *stream(writer) {
              for (let i = 0; i < 3; i++) {
                writer.write(utf8Encode(`event ${i}\n`));
                yield* server.platform.clock.sleep(30 * MS);
              }
              writer.write(httpValue(Answer, Answer.of({ text: 'last' })));
            },
          };
        case '/held':
          return {
            status: 200,
            *stream(writer) {
              writer.write(utf8Encode('first\n'));
              yield* wait<void>(() => () => {});
            },
          };
        default:
          return { status: 404, body: utf8Encode('404 page not found\n') };
      }
    };

    const serve = (tls?: Parameters<typeof serveHttp>[1]['tls']): Promise<HttpServer> => {
      const options = { address: '0.0.0.0', port: 0, handler };
      return running.run(server, () => serveHttp(server.platform, tls === undefined ? options : { ...options, tls }));
    };

    const clientOf = (to: HttpServer): HttpClient =>
      new HttpClient(client.platform, { address: server.address, port: to.local.port });

    const failure = async (body: () => Task<unknown>): Promise<string> => {
      try {
        await call(body);
      } catch (error) {
        return (error as HttpError).reason;
      }
      throw new Error('it did not fail');
    };

    it('requests and responses', async () => {
      const http = clientOf(await serve());
      const echoed = await call(() =>
        http.request({
          method: 'PUT',
          target: '/echo?x=1',
          headers: { 'x-raft-to': 'abc' },
          body: new Uint8Array(300_000).fill(5),
        }),
      );
      expect(echoed.status).toBe(201);
      expect(echoed.headers).toMatchObject({ from: client.address, 'x-raft-to': 'abc' });
      expect(partBytes(echoed.body).length).toBe(300_000);
      const missing = await call(() => http.request({ target: '/missing' }));
      expect([missing.status, utf8Decode(partBytes(missing.body))]).toEqual([404, '404 page not found\n']);
      http.close();
    });

    it('a streamed body arrives while it is made', async () => {
      const http = clientOf(await serve());
      const seen = await call(function* () {
        const watch = yield* http.open({ target: '/watch' });
        const texts: string[] = [];
        for (let i = 0; i < 3; i++) texts.push(utf8Decode(partBytes((yield* watch.receive())!)));
        texts.push(readPart((yield* watch.receive())!, Answer).text);
        expect(yield* watch.receive()).toBe(undefined);
        return texts;
      });
      expect(seen).toEqual(['event 0\n', 'event 1\n', 'event 2\n', 'last']);
      http.close();
    });

    it('time limits and closed servers', async () => {
      const slow = await serve();
      const http = clientOf(slow);
      expect(await failure(() => http.request({ target: '/slow', timeoutUs: 100 * MS }))).toBe(
        'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      );
      await running.run(server, () => server.platform.clock.sleep(50 * MS));
      expect(unwound).toEqual(['slow']);
      const [reason] = await Promise.all([
        failure(() => http.request({ target: '/slow' })),
        running.run(server, function* () {
          yield* server.platform.clock.sleep(50 * MS);
          slow.close();
        }),
      ]);
      expect(reason).toBe('EOF');
      const { address, port } = http.endpoint;
      expect(await failure(() => http.request({ target: '/' }))).toBe(
        `dial tcp ${address}:${port}: connect: connection refused`,
      );
    });

    it('a client that closes fails what it has under way', async () => {
      const http = clientOf(await serve());
      const closing = running.run(client, function* () {
        yield* client.platform.clock.sleep(50 * MS);
        http.close();
      });
      const reasons = await Promise.all([
        failure(() => http.request({ target: '/slow' })),
        failure(function* () {
          const held = yield* http.open({ target: '/held' });
          while ((yield* held.receive()) !== undefined);
        }),
        closing,
      ]);
      for (const reason of reasons.slice(0, 2))
        expect(reason).toMatch(/^read tcp .*: use of closed network connection$/);
      expect(await failure(() => http.request({ target: '/' }))).toBe('http: client is closed');
    });

    it('over TLS with the identity of the client', async () => {
      const { crypto, clock } = client.platform;
      const nowSec = Math.floor(clock.nowUs() / SECOND);
      const validity = { notBeforeSec: nowSec - 60, notAfterSec: nowSec + 600 };
      const ca = crypto.selfSignedAuthority({
        subject: { organizations: ['etcd'] },
        keySpec: 'ecdsa-p256',
        ...validity,
      });
      const key = crypto.generateKey('ecdsa-p256');
      const certificate = crypto.issueCertificate({
        subject: { commonName: 'cp-1' },
        ipAddresses: [server.address],
        ...validity,
        keyUsages: ['digital-signature'],
        extendedKeyUsages: ['server-auth', 'client-auth'],
        publicKey: key.publicKey,
        signer: ca,
      });
      const own = { certificatePem: crypto.certificateToPem(certificate), keyPem: crypto.privateKeyToPem(key) };
      const caPem = crypto.certificateToPem(ca.certificate);
      const secured = await serve({ ...own, clientCaPem: caPem });
      const to = { address: server.address, port: secured.local.port };
      const known = new HttpClient(client.platform, to, { tls: { ...own, serverCaPem: caPem } });
      expect(utf8Decode(partBytes((await call(() => known.request({ target: '/who' }))).body))).toBe('cp-1');
      const nameless = new HttpClient(client.platform, to, { tls: { serverCaPem: caPem } });
      expect(await failure(() => nameless.request({ target: '/who' }))).toBe('remote error: tls: certificate required');
      const doubtful = new HttpClient(client.platform, to, { tls: own });
      expect(await failure(() => doubtful.request({ target: '/who' }))).toBe(
        'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      );
    });
  });
}
