import { mkdtempSync, rmSync } from 'node:fs';
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import { framed } from '../../src/host/rpc/wire.ts';
import type { RpcChannel, RpcError, RpcServer } from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { loopbackNetwork } from '../contract/worlds/loopback.ts';
import { Answer, Ask, Echo, type EchoLog, echoHandlers } from '../rpc/echo-service.ts';
import { onHost } from '../support/on-host.ts';

const SELF = loopbackNetwork()(51);
const MS = 1_000;

/** Peers that do what no good gRPC library does, spoken to by Node's bare HTTP/2. */
describe('gRPC with peers that misbehave', () => {
  const directory = mkdtempSync(join(tmpdir(), 'talosim-wire-'));
  const log: EchoLog = { lines: [] };
  let host: HostPlatform;
  let server: RpcServer;

  const run = <T>(body: () => Task<T>): Promise<T> => onHost(host, body);

  beforeAll(async () => {
    host = hostPlatform({ name: 'wire', self: SELF, root: directory });
    const handlers = echoHandlers(log, () => wait<never>(() => () => {}));
    server = await run(() => host.platform.rpc.serve({ address: '0.0.0.0', port: 0, handlers }));
  });
  afterAll(() => {
    host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  describe('clients', () => {
    /** Headers and trailers of the answer to one POST. */
    const post = (headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<IncomingHttpHeaders> =>
      new Promise((resolve, reject) => {
        const session = connectHttp2(`http://${SELF}:${server.local.port}`);
        session.on('error', reject);
        const request = session.request({
          ':method': 'POST',
          ':path': Echo.Say.path,
          'content-type': 'application/grpc',
          te: 'trailers',
          ...headers,
        });
        let seen: IncomingHttpHeaders = {};
        const take = (more: IncomingHttpHeaders): void => {
          seen = { ...seen, ...more };
        };
        request.on('response', take).on('trailers', take).on('error', reject);
        request.on('close', () => {
          session.close();
          resolve(seen);
        });
        request.resume();
        request.end(body);
      });

    const compressed = (body: Uint8Array): Uint8Array => {
      const message = framed(body);
      message[0] = 1;
      return message;
    };
    const ask = Ask.encode(Ask.of({ text: 'you' }));

    it('what is not gRPC is answered with 415', async () => {
      expect(await post({ 'content-type': 'application/json' }, ask)).toMatchObject({ ':status': 415 });
    });

    it('gzip is understood, another compression and damage are refused in the words of grpc-go', async () => {
      expect(await post({ 'grpc-encoding': 'gzip' }, compressed(gzipSync(ask)))).toMatchObject({ 'grpc-status': '0' });
      expect(await post({ 'grpc-encoding': 'snappy' }, compressed(ask))).toMatchObject({
        'grpc-status': '12',
        'grpc-message': 'grpc: Decompressor is not installed for grpc-encoding "snappy"',
      });
      expect(await post({ 'grpc-encoding': 'gzip' }, compressed(ask))).toMatchObject({
        'grpc-status': '13',
        'grpc-message': 'grpc: failed to decompress the received message: gzip: invalid header',
      });
    });

    it('bytes that are no message of the method end the call, not the server', async () => {
      expect(await post({}, framed(Uint8Array.of(0xff, 0xff)))).toMatchObject({ 'grpc-status': '13' });
      expect(await post({}, framed(ask))).toMatchObject({ 'grpc-status': '0' });
    });
  });

  describe('servers', () => {
    let foreign: Http2Server;
    let behave: (stream: ServerHttp2Stream, path: string) => void;
    let channel: RpcChannel;
    let port: number;

    beforeAll(async () => {
      foreign = createHttp2Server();
      foreign.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        behave(stream, String(headers[':path']));
      });
      await new Promise<void>((resolve) => {
        foreign.listen(0, SELF, () => resolve());
      });
      port = (foreign.address() as AddressInfo).port;
      channel = host.platform.rpc.channel([{ address: SELF, port }]);
    });
    afterAll(() => {
      channel.close();
      foreign.close();
    });

    const failure = async (): Promise<string> => {
      const error = await run(() => channel.unary(Echo.Say, Ask.empty, { timeoutUs: 5_000 * MS })).catch(
        (thrown: unknown) => thrown,
      );
      return (error as RpcError).describe();
    };

    it('errors of HTTP become statuses', async () => {
      behave = (stream) => {
        stream.respond({ ':status': 503, 'content-type': 'text/html' });
        stream.end('<html>');
      };
      expect(await failure()).toBe(
        'rpc error: code = Unavailable desc = unexpected HTTP status code received from server: 503 (Service Unavailable); transport: received unexpected content-type "text/html"',
      );
      behave = (stream) => stream.respond({ ':status': 404 }, { endStream: true });
      expect(await failure()).toBe(
        'rpc error: code = Unimplemented desc = unexpected HTTP status code received from server: 404 (Not Found); transport: missing HTTP content-type',
      );
    });

    it('resets of a stream become statuses', async () => {
      const reset = (code: number): Promise<string> => {
        behave = (stream) => stream.close(code);
        return failure();
      };
      const text = 'stream terminated by RST_STREAM with error code';
      expect(await reset(constants.NGHTTP2_ENHANCE_YOUR_CALM)).toBe(
        `rpc error: code = ResourceExhausted desc = ${text}: ENHANCE_YOUR_CALM`,
      );
      expect(await reset(constants.NGHTTP2_INTERNAL_ERROR)).toBe(
        `rpc error: code = Internal desc = ${text}: INTERNAL_ERROR`,
      );
      expect(await reset(constants.NGHTTP2_FLOW_CONTROL_ERROR)).toBe(
        `rpc error: code = ResourceExhausted desc = ${text}: FLOW_CONTROL_ERROR`,
      );
    });

    it('a refused stream was not looked at: the call is made once more', async () => {
      let calls = 0;
      behave = (stream) => {
        if (++calls === 1) {
          stream.close(constants.NGHTTP2_REFUSED_STREAM);
          return;
        }
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.end(framed(Answer.encode(Answer.of({ text: 'second try' }))));
      };
      const answer = await run(() => channel.unary(Echo.Say, Ask.empty, { timeoutUs: 5_000 * MS }));
      expect([answer.text, calls]).toEqual(['second try', 2]);
    });

    it('a connection that nobody answers on is given up by a ping, and made anew', async () => {
      behave = (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      };
      const through: Socket[] = [];
      const middle = createTcpServer((from) => {
        const to = connectTcp(port, SELF);
        for (const socket of [from, to]) socket.on('error', () => {});
        from.pipe(to).pipe(from);
        through.push(from, to);
      });
      await new Promise<void>((resolve) => {
        middle.listen(0, SELF, () => resolve());
      });
      const silent = host.platform.rpc.channel([{ address: SELF, port: (middle.address() as AddressInfo).port }], {
        keepaliveTimeUs: 100 * MS,
        keepaliveTimeoutUs: 400 * MS,
        backoffBaseUs: 10 * MS,
      });
      const error = await run(function* () {
        const stream = silent.stream(Echo.Hang);
        stream.send(Ask.empty);
        yield* host.platform.clock.sleep(350 * MS); // pings are answered
        expect(silent.state()).toBe('ready');
        for (const socket of through) socket.unpipe().pause();
        try {
          return yield* stream.receive();
        } catch (thrown) {
          return (thrown as RpcError).describe();
        }
      });
      expect(error).toBe('rpc error: code = Unavailable desc = keepalive ping failed to receive ACK within timeout');
      behave = (stream) =>
        stream.respond({ ':status': 200, 'grpc-status': '5', 'grpc-message': 'no such thing' }, { endStream: true });
      const again = await run(() =>
        silent.unary(Echo.Say, Ask.empty, { waitForReady: true, timeoutUs: 5_000 * MS }),
      ).catch((thrown: unknown) => (thrown as RpcError).describe());
      expect(again).toBe('rpc error: code = NotFound desc = no such thing');
      silent.close();
      for (const socket of through) socket.destroy();
      middle.close();
    });
  });
});
