import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { HttpClient, type HttpClientOptions } from '../../src/rpc/http/client.ts';
import type { HttpError } from '../../src/rpc/http/errors.ts';
import {
  ChunkFrame,
  type HttpFrame,
  httpValue,
  partBytes,
  RequestFrame,
  ResponseFrame,
  readPart,
} from '../../src/rpc/http/message.ts';
import { FrameReader, HttpSyntaxError } from '../../src/rpc/http/parser.ts';
import { type HttpHandler, type HttpServeOptions, type HttpServer, serveHttp } from '../../src/rpc/http/server.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import { Answer } from './echo-service.ts';
import { TinyWorld } from './tiny-world.ts';

const SERVER = { address: '10.0.0.10', port: 2380 };
const crypto = createSimCrypto('http tests');

class Bench {
  readonly world = new TinyWorld();
  readonly unwound: string[] = [];
  readonly alwaysBytes: boolean;

  constructor(alwaysBytes: boolean) {
    this.alwaysBytes = alwaysBytes;
  }

  deps(address: string) {
    const { clock, root } = this.world;
    const { alwaysBytes } = this;
    return { net: this.world.net(address), clock, crypto, scope: root.child(address), alwaysBytes };
  }

  serve(handler: HttpHandler = this.handler(), options: Partial<HttpServeOptions> = {}): HttpServer {
    return this.world.run(() => serveHttp(this.deps(SERVER.address), { ...SERVER, handler, ...options }));
  }

  client(options: HttpClientOptions = {}): HttpClient {
    return new HttpClient(this.deps('10.0.0.2'), SERVER, options);
  }

  fails(body: () => Task<unknown>): string {
    try {
      this.world.run(body);
    } catch (error) {
      return (error as HttpError).message;
    }
    throw new Error('it did not fail');
  }

  handler(): HttpHandler {
    const { clock } = this.world;
    const { unwound } = this;
    return function* (request, peer) {
      switch (request.target) {
        case '/version':
          return { status: 200, body: utf8Encode('{"etcdserver":"3.6.5"}') };
        case '/echo':
          return { status: 201, headers: { from: peer.peer.address, ...request.headers }, body: request.body };
        case '/value':
          return { status: 200, body: httpValue(Answer, Answer.of({ text: 'typed' })) };
        case '/slow':
          try {
            yield* wait<void>(() => () => {});
          } finally {
            unwound.push('slow');
          }
          return { status: 200 };
        case '/watch':
          return {
            status: 200,
            *stream(writer) {
              try {
                for (let i = 0; i < 3; i++) {
                  writer.write(utf8Encode(`event ${i}\n`));
                  yield* clock.sleep(1_000_000);
                }
                writer.write(httpValue(Answer, Answer.of({ text: 'last' })));
              } finally {
                unwound.push('watch');
              }
            },
          };
        default:
          return { status: 404, body: utf8Encode('404 page not found\n') };
      }
    };
  }
}

describe.each([false, true])('HTTP (as bytes: %s)', (alwaysBytes) => {
  it('requests and responses, one connection for all', () => {
    const bench = new Bench(alwaysBytes);
    bench.serve();
    const client = bench.client();
    bench.world.run(function* () {
      const version = yield* client.request({ target: '/version' });
      expect([version.status, utf8Decode(partBytes(version.body))]).toEqual([200, '{"etcdserver":"3.6.5"}']);
      const echo = yield* client.request({
        method: 'POST',
        target: '/echo',
        headers: { 'x-etcd-cluster-id': 'abc' },
        body: utf8Encode('some body'),
      });
      expect([echo.status, utf8Decode(partBytes(echo.body))]).toEqual([201, 'some body']);
      expect(echo.headers).toMatchObject({ from: '10.0.0.2', 'x-etcd-cluster-id': 'abc', host: '10.0.0.10:2380' });
      expect(readPart((yield* client.request({ target: '/value' })).body, Answer).text).toBe('typed');
      expect((yield* client.request({ target: '/nothing' })).status).toBe(404);
    });
    expect(bench.world.dials.length).toBe(1);
    bench.world.advanceBy(100_000_000);
    bench.world.run(() => client.request({ target: '/version' }));
    expect(bench.world.dials.length).toBe(2);
  });

  it('a streamed body arrives piece by piece and leaves the connection usable', () => {
    const bench = new Bench(alwaysBytes);
    bench.serve();
    const client = bench.client();
    bench.world.run(function* () {
      const watch = yield* client.open({ target: '/watch' });
      const startUs = bench.world.nowUs;
      expect(utf8Decode(partBytes((yield* watch.receive())!))).toBe('event 0\n');
      expect(bench.world.nowUs - startUs).toBeLessThan(1_000);
      yield* watch.receive();
      yield* watch.receive();
      expect(readPart((yield* watch.receive())!, Answer).text).toBe('last');
      expect(yield* watch.receive()).toBe(undefined);
      const whole = yield* client.request({ target: '/watch' });
      expect(utf8Decode(partBytes(whole.body)).startsWith('event 0\nevent 1\nevent 2\n')).toBe(true);
    });
    expect([bench.world.dials.length, bench.unwound]).toEqual([1, ['watch', 'watch']]);
  });

  it('pieces can be consumed by a callback, and given up', () => {
    const bench = new Bench(alwaysBytes);
    bench.serve();
    const client = bench.client();
    const seen: string[] = [];
    const watch = bench.world.run(() => client.open({ target: '/watch' }));
    watch.consume(
      (part) => seen.push(utf8Decode(partBytes(part))),
      () => seen.push('end'),
    );
    bench.world.advanceBy(1_500_000);
    watch.close();
    bench.world.advanceBy(1_000_000);
    expect([seen, bench.unwound]).toEqual([['event 0\n', 'event 1\n'], ['watch']]);
  });

  it('errors are worded as Go words them', () => {
    const bench = new Bench(alwaysBytes);
    const client = bench.client();
    expect(bench.fails(() => client.request({ target: '/members' }))).toBe(
      'Get "http://10.0.0.10:2380/members": dial tcp 10.0.0.10:2380: connect: connection refused',
    );
    const server = bench.serve();
    const slow = (): Task<unknown> => client.request({ target: '/slow', timeoutUs: 2_000_000 });
    expect(bench.fails(slow)).toBe(
      'Get "http://10.0.0.10:2380/slow": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    );
    bench.world.advanceBy(1_000);
    expect(bench.unwound).toEqual(['slow']);
    bench.world.after(500_000, () => server.close());
    expect(bench.fails(slow)).toBe('Get "http://10.0.0.10:2380/slow": EOF');
  });

  it('a server may hang up before the connection is used', () => {
    const bench = new Bench(alwaysBytes);
    bench.world.run(function* () {
      const listener = yield* bench.world.net(SERVER.address).listen(SERVER);
      bench.world.root.spawn('hangs up', function* () {
        (yield* listener.accept()).close();
      });
    });
    const deps = bench.deps('10.0.0.2');
    const net = {
      ...deps.net,
      *dial(...args: Parameters<typeof deps.net.dial>): ReturnType<typeof deps.net.dial> {
        const connection = yield* deps.net.dial(...args);
        yield* deps.clock.sleep(1_000_000);
        return connection;
      },
    };
    const client = new HttpClient({ ...deps, net }, SERVER);
    expect(bench.fails(() => client.request({ target: '/version' }))).toBe('Get "http://10.0.0.10:2380/version": EOF');
  });

  it('a broken stream says so', () => {
    const bench = new Bench(alwaysBytes);
    const server = bench.serve();
    const client = bench.client();
    const error = bench.fails(function* () {
      const watch = yield* client.open({ target: '/watch' });
      yield* watch.receive();
      server.close();
      yield* watch.receive();
    });
    expect(error).toBe('Get "http://10.0.0.10:2380/watch": unexpected EOF');
  });

  it('a kept connection that the server closed is replaced unnoticed', () => {
    const bench = new Bench(alwaysBytes);
    bench.serve().close();
    const server = bench.serve();
    const client = bench.client();
    bench.world.run(() => client.request({ target: '/version' }));
    server.close();
    bench.serve();
    expect(bench.world.run(() => client.request({ target: '/version' })).status).toBe(200);
  });

  it('over TLS, with the identity of the client', () => {
    const bench = new Bench(alwaysBytes);
    const nowSec = 1_700_000_000;
    const validity = { notBeforeSec: nowSec - 60, notAfterSec: nowSec + 60 };
    const ca = crypto.selfSignedAuthority({ subject: { organizations: ['etcd'] }, keySpec: 'ed25519', ...validity });
    const key = crypto.generateKey('ed25519');
    const certificate = crypto.issueCertificate({
      subject: { commonName: 'cp-1' },
      ipAddresses: [SERVER.address],
      ...validity,
      keyUsages: ['digital-signature'],
      extendedKeyUsages: ['server-auth', 'client-auth'],
      publicKey: key.publicKey,
      signer: ca,
    });
    const own = { certificatePem: crypto.certificateToPem(certificate), keyPem: crypto.privateKeyToPem(key) };
    const caPem = crypto.certificateToPem(ca.certificate);
    const rejected: string[] = [];
    bench.serve(
      function* (_request, peer) {
        return { status: 200, body: utf8Encode(peer.identity?.commonName ?? 'nobody') };
      },
      { tls: { ...own, clientCaPem: caPem }, onRejected: (_peer, reason) => rejected.push(reason) },
    );
    const client = bench.client({ tls: { ...own, serverCaPem: caPem } });
    const response = bench.world.run(() => client.request({ target: '/members' }));
    expect(utf8Decode(partBytes(response.body))).toBe('cp-1');
    const stranger = bench.client({ tls: { serverCaPem: caPem } });
    expect(bench.fails(() => stranger.request({ target: '/members' }))).toBe(
      'Get "https://10.0.0.10:2380/members": remote error: tls: certificate required',
    );
    expect(rejected).toEqual(["tls: client didn't provide a certificate"]);
  });
});

describe('HTTP on the wire', () => {
  it('is parsed whatever way it is cut into segments', () => {
    const frames: HttpFrame[] = [
      new RequestFrame({ method: 'POST', target: '/a?b=c', headers: { host: 'h' }, body: utf8Encode('body\r\n\r\n') }),
      new ResponseFrame(200, { 'content-type': 'text/plain' }, utf8Encode('hello')),
      new ResponseFrame(200, {}, null),
      new ChunkFrame(utf8Encode('piece')),
      new ChunkFrame(utf8Encode('x'.repeat(300))),
      new ChunkFrame(null),
      new ResponseFrame(404, {}, new Uint8Array(0)),
    ];
    const wire = frames.map((frame) => frame.renderBytes());
    expect(wire.map((bytes) => bytes.length)).toEqual(frames.map((frame) => frame.sizeBytes()));
    const whole = Uint8Array.from(wire.flatMap((bytes) => [...bytes]));
    const render = (list: readonly HttpFrame[]): string[] => list.map((frame) => utf8Decode(frame.renderBytes()));
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 20 }), (cuts) => {
        const seen: HttpFrame[] = [];
        const reader = new FrameReader((frame) => seen.push(frame));
        const points = [...new Set([0, ...cuts, whole.length])].sort((a, b) => a - b);
        for (let i = 1; i < points.length; i++) reader.feed(whole.slice(points[i - 1], points[i]));
        expect(render(seen)).toEqual(render(frames));
        expect(reader.end()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('takes as many bytes as is said beforehand', () => {
    const name = fc.constantFrom('host', 'content-type', 'content-length', 'x-ü');
    const headers = fc.dictionary(name, fc.string({ unit: 'binary' }), { maxKeys: 4 });
    const body = fc.uint8Array({ maxLength: 1200 });
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE');
    const status = fc.oneof(fc.constantFrom(200, 201, 404, 503), fc.integer({ min: 100, max: 599 }));
    const frame = fc.oneof(
      fc
        .record({ method, target: fc.string({ unit: 'binary' }), headers, body })
        .map((request) => new RequestFrame(request)),
      fc.tuple(status, headers, fc.option(body)).map((parts) => new ResponseFrame(...parts)),
      fc.option(body).map((part) => new ChunkFrame(part)),
    );
    fc.assert(
      fc.property(frame, (any) => {
        expect(any.sizeBytes()).toBe(any.renderBytes().length);
      }),
    );
  });

  it('an interim response is passed over', () => {
    const seen: HttpFrame[] = [];
    const reader = new FrameReader((frame) => seen.push(frame));
    reader.feed(utf8Encode('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    expect(seen.map((frame) => (frame instanceof ResponseFrame ? frame.status : frame.kind))).toEqual([200]);
  });

  it('a body without a length ends with the connection; a cut one is noticed', () => {
    const seen: HttpFrame[] = [];
    const reader = new FrameReader((frame) => seen.push(frame));
    reader.feed(utf8Encode('HTTP/1.0 200 OK\r\n\r\nto the end'));
    expect(reader.end()).toBe(true);
    expect(seen.map((frame) => frame.kind)).toEqual(['http-response', 'http-chunk', 'http-chunk']);
    const cut = new FrameReader(() => {});
    cut.feed(utf8Encode('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc'));
    expect(cut.end()).toBe(false);
  });

  it('refuses what it does not understand', () => {
    const reader = (): FrameReader => new FrameReader(() => {});
    expect(() => reader().feed({ object: { kind: 'settings' }, sizeBytes: 9 })).toThrow(HttpSyntaxError);
    expect(() => reader().feed(utf8Encode('GARBAGE\r\n\r\n'))).toThrow(HttpSyntaxError);
    expect(() => reader().feed(utf8Encode('POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n'))).toThrow(
      'chunked requests are not supported',
    );
    const chunk = (size: string): Uint8Array =>
      utf8Encode(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\nabc\r\n`);
    expect(() => reader().feed(chunk('-3'))).toThrow('malformed chunked encoding');
    expect(() => reader().feed(chunk('zz'))).toThrow('malformed chunked encoding');
    expect(() => reader().feed(utf8Encode(`GET / HTTP/1.1\r\nx: ${'y'.repeat(1_048_576)}`))).toThrow('header too long');
  });
});
