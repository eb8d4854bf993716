import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request as httpRequest, type RequestOptions, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { NetError } from '../../src/platform/errors.ts';
import type { Task } from '../../src/platform/task.ts';
import { HttpClient } from '../../src/rpc/http/client.ts';
import type { HttpError } from '../../src/rpc/http/errors.ts';
import { partBytes } from '../../src/rpc/http/message.ts';
import { type HttpServer, serveHttp } from '../../src/rpc/http/server.ts';
import { loopbackNetwork } from '../contract/worlds/loopback.ts';
import { onHost } from '../support/on-host.ts';

const SELF = loopbackNetwork()(81);
const MS = 1_000;

describe('HTTP/1.1 with the programs of others', () => {
  const directory = mkdtempSync(join(tmpdir(), 'talosim-http-'));
  let host: HostPlatform;

  const run = <T>(body: () => Task<T>): Promise<T> => onHost(host, body);

  beforeAll(() => {
    host = hostPlatform({ name: 'http', self: SELF, root: directory });
  });
  afterAll(() => {
    host.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  describe('our server, asked by Node.js', () => {
    let server: HttpServer;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    beforeAll(async () => {
      server = await run(() =>
        serveHttp(host.platform, {
          address: '0.0.0.0',
          port: 0,
          *handler({ method, target, headers, body }) {
            if (target === '/stream') {
              return {
                status: 200,
                *stream(writer) {
                  for (let i = 0; i < 3; i++) {
                    writer.write(utf8Encode(`${i} `));
                    yield* writer.drained(0);
                  }
                },
              };
            }
            if (target === '/nothing') return { status: 204 };
            if (target === '/broken')
              throw new NetError('refused', 'dial tcp 10.0.0.1:2379: connect: connection refused');
            const text = `${method} ${target} ${headers['x-name'] ?? ''} ${utf8Decode(partBytes(body))}`;
            return { status: 200, headers: { 'content-type': 'text/plain' }, body: utf8Encode(text) };
          },
        }),
      );
    });
    afterAll(() => {
      agent.destroy();
      server.close();
    });

    interface Answered {
      readonly status: number;
      readonly text: string;
      /** Of the client's socket: tells whether a connection was used again. */
      readonly clientPort: number;
    }

    const ask = (options: RequestOptions, body?: string): Promise<Answered> =>
      new Promise((resolve, reject) => {
        const request = httpRequest({ host: SELF, port: server.local.port, agent, ...options }, (response) => {
          const clientPort = (response.socket.address() as AddressInfo).port;
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text, clientPort }));
        });
        request.on('error', reject);
        if (body !== undefined) request.setHeader('content-length', Buffer.byteLength(body));
        request.end(body);
      });

    it('bodies, heads, streams and nothing, over one connection', async () => {
      const answers = [
        await ask({ path: '/a?b=c', headers: { 'X-Name': 'n' } }),
        await ask({ method: 'PUT', path: '/put' }, 'ü'.repeat(40_000)),
        await ask({ method: 'HEAD', path: '/head' }),
        await ask({ method: 'HEAD', path: '/stream' }),
        await ask({ path: '/stream' }),
        await ask({ path: '/nothing' }),
        await ask({ path: '/broken' }),
      ];
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [200, 'GET /a?b=c n '],
        [200, `PUT /put  ${'ü'.repeat(40_000)}`],
        [200, ''],
        [200, ''],
        [200, '0 1 2 '],
        [204, ''],
        [500, 'dial tcp 10.0.0.1:2379: connect: connection refused\n'],
      ]);
      expect(new Set(answers.map(({ clientPort }) => clientPort)).size).toBe(1);
    });

    /** What comes back until the server closes. */
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(server.local.port, SELF);
        let answer = '';
        socket.setEncoding('utf8');
        socket.on('data', (part: string) => {
          answer += part;
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(answer));
        socket.write(text);
      });

    it('closes when asked to, answers several requests that came at once in their order', async () => {
      const answer = await raw('GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n');
      expect(answer.match(/GET \/\d/g)).toEqual(['GET /1', 'GET /2']);
    });

    it('refuses what is no request, and says why', async () => {
      expect(await raw('HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*400 Bad Request: malformed/);
      expect(await raw('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).toMatch(/a request was expected$/);
      expect(await raw('GET / HTTP/1.1\r\nno colon\r\n\r\n')).toMatch(/malformed MIME header line: no colon$/);
      expect(await raw('PUT / HTTP/1.1\r\ncontent-length: -1\r\n\r\n')).toMatch(/bad Content-Length$/);
      const chunked = 'PUT / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n';
      expect(await raw(chunked)).toMatch(/chunked requests are not supported$/);
    });
  });

  describe('our client, answered by Node.js', () => {
    let server: Server;
    let client: HttpClient;
    let connections = 0;

    beforeAll(async () => {
      server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://x');
        if (pathname === '/early') response.writeProcessing();
        if (pathname === '/nothing') response.writeHead(204);
        if (pathname === '/chunks') {
          response.write('one ');
          setTimeout(() => response.end('two'), 20);
          return;
        }
        if (pathname === '/cut') {
          response.write('one ');
          setTimeout(() => response.destroy(), 20);
          return;
        }
        if (pathname === '/close') response.setHeader('connection', 'close');
        request.setEncoding('utf8');
        let text = '';
        request.on('data', (part: string) => {
          text += part;
        });
        request.on('end', () => response.end(pathname === '/nothing' ? undefined : `${request.method} ${text}`));
      });
      server.on('connection', () => {
        connections++;
      });
      await new Promise<void>((resolve) => {
        server.listen(0, SELF, () => resolve());
      });
      client = new HttpClient(host.platform, { address: SELF, port: (server.address() as AddressInfo).port });
    });
    afterAll(() => {
      client.close();
      server.close();
    });

    const ask = async (target: string, body?: string): Promise<readonly [number, string]> => {
      const options = { target, method: body === undefined ? 'GET' : 'POST', timeoutUs: 5_000 * MS };
      const { status, body: answer } = await run(() =>
        client.request(body === undefined ? options : { ...options, body: utf8Encode(body) }),
      );
      return [status, utf8Decode(partBytes(answer))];
    };

    it('bodies of every kind, over one connection', async () => {
      connections = 0;
      expect(await ask('/a')).toEqual([200, 'GET ']);
      expect(await ask('/b', 'x'.repeat(300_000))).toEqual([200, `POST ${'x'.repeat(300_000)}`]);
      expect(await ask('/chunks')).toEqual([200, 'one two']);
      expect(await ask('/nothing')).toEqual([204, '']);
      expect(await ask('/early')).toEqual([200, 'GET ']);
      expect(connections).toBe(1);
    });

    it('a server that closes is dialled again; a body that is cut off is an error', async () => {
      connections = 0;
      await ask('/close');
      await ask('/a');
      expect(connections).toBe(1); // the kept one was asked first
      const error = (await ask('/cut').catch((thrown: unknown) => thrown)) as HttpError;
      expect(error.message).toContain('unexpected EOF');
    });
  });
});
