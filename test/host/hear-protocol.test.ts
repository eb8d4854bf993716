import { connect, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, connect as dial, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { huffmanText, withPlainAuthority } from '../../src/host/rpc/authority.ts';
import { hearProtocol } from '../../src/host/rpc/hear-protocol.ts';

describe('a port that speaks HTTP/2 and more', () => {
  let server: Server;
  let port: number;
  const authorities: unknown[] = [];
  const others: string[] = [];

  beforeEach(async () => {
    authorities.length = 0;
    others.length = 0;
    const http2 = createHttp2Server();
    http2.on('stream', (stream, headers) => {
      authorities.push(headers[':authority']);
      stream.respond({ ':status': 200 }, { endStream: true });
    });
    server = createServer((socket) => {
      hearProtocol(socket, (protocol) => {
        if (protocol === 'http2') http2.emit('connection', socket);
        else socket.once('data', (bytes: Buffer) => others.push(bytes.toString()));
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => server.close());

  const ask = async (...named: readonly string[]): Promise<void> => {
    const session = connect(`http://127.0.0.1:${port}`);
    for (const authority of named) {
      await new Promise<void>((resolve, reject) => {
        const request = session.request({ ':path': '/', ':authority': authority });
        request.on('error', reject).on('close', resolve).resume().end();
      });
    }
    session.close();
  };

  it('takes a server that is named by its URL, and any other', async () => {
    const long = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ.abcdefghijklmnopqrstuvwxyz-0123456789_~:65535';
    for (const name of ['127.0.0.1:2379', '[fd00::1]:2379', 'localhost', long]) {
      await ask(`http://${name}`);
      await ask(`https://${name}/`);
      await ask(name, name);
      expect(authorities.splice(0), name).toEqual([name, name, name, name]);
    }
  });

  it('hears what is not HTTP/2, in pieces too', async () => {
    const socket = dial(port, '127.0.0.1');
    for (const piece of ['P', 'RI ', 'NTER / HTTP/1.1\r\n\r\n']) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.end();
    expect(others).toEqual(['PRI NTER / HTTP/1.1\r\n\r\n']);
  });

  it('leaves alone what it cannot read', () => {
    expect(huffmanText(Uint8Array.of(0xff, 0xff, 0xff, 0xff))).toBeNull();
    const block = Uint8Array.of(0x82, 0x41, 0x84, 0xff, 0xff, 0xff, 0xff, 0x84);
    expect(withPlainAuthority(block)).toBe(block);
  });
});
