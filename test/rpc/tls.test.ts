import { describe, expect, it } from 'vitest';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import type { CertificateRecord, KeyPair } from '../../src/platform/crypto.ts';
import type { RpcError, TlsClient, TlsServer } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { HttpClient } from '../../src/rpc/http/client.ts';
import { HttpConnections } from '../../src/rpc/http/connections.ts';
import { partBytes } from '../../src/rpc/http/message.ts';
import { createSimRpc } from '../../src/rpc/over-connections/rpc.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import { Answer, Ask, Echo } from './echo-service.ts';
import { TinyWorld, tinyRandom } from './tiny-world.ts';

const SERVER = { address: '10.0.0.10', port: 50_000 };
const NOW_SEC = 1_700_000_000;
const DAY_SEC = 86_400;
const crypto = createSimCrypto('tls tests');

function authority(organization: string): KeyPair {
  return crypto.selfSignedAuthority({
    subject: { organizations: [organization] },
    keySpec: 'ed25519',
    notBeforeSec: NOW_SEC - DAY_SEC,
    notAfterSec: NOW_SEC + 10 * DAY_SEC,
  });
}

interface Leaf {
  readonly certificatePem: string;
  readonly keyPem: string;
}

function leaf(signer: KeyPair, over: Partial<Parameters<typeof crypto.issueCertificate>[0]> = {}): Leaf {
  const key = crypto.generateKey('ed25519');
  const certificate: CertificateRecord = crypto.issueCertificate({
    subject: { commonName: 'apid', organizations: ['os:admin'] },
    ipAddresses: [SERVER.address],
    notBeforeSec: NOW_SEC - DAY_SEC,
    notAfterSec: NOW_SEC + DAY_SEC,
    keyUsages: ['digital-signature'],
    extendedKeyUsages: ['server-auth', 'client-auth'],
    publicKey: key.publicKey,
    signer,
    ...over,
  });
  return { certificatePem: crypto.certificateToPem(certificate), keyPem: crypto.privateKeyToPem(key) };
}

const ours = authority('talos');
const oursPem = crypto.certificateToPem(ours.certificate);
const theirs = authority('talos');
const foreign = authority('somebody');

class Bench {
  readonly world = new TinyWorld();
  readonly identities: unknown[] = [];

  rpcAt(address: string) {
    const { clock, log, root } = this.world;
    const scope = root.child(address);
    return createSimRpc({ net: this.world.net(address), clock, log, random: tinyRandom(3), crypto, scope });
  }

  /** HTTP/1.1 on the same port, which tells who asked. */
  #http(): HttpConnections {
    return new HttpConnections({
      scope: this.world.root,
      alwaysBytes: false,
      *handler(request, { identity }) {
        return { status: 200, body: utf8Encode(`${request.target} for ${identity?.commonName ?? 'nobody'}`) };
      },
    });
  }

  get(tls: TlsClient | undefined): string {
    const { clock, root } = this.world;
    const deps = { net: this.world.net('10.0.0.2'), clock, crypto, scope: root.child('10.0.0.2') };
    const client = new HttpClient(deps, SERVER, tls === undefined ? {} : { tls });
    try {
      return utf8Decode(partBytes(this.world.run(() => client.request({ target: '/health' })).body));
    } catch (error) {
      return (error as Error).message;
    } finally {
      client.close();
    }
  }

  serve(tls: TlsServer | undefined, shared: 'shared' | 'held' | 'alone' = 'alone') {
    const http = this.#http();
    const { identities } = this;
    const handlers = [
      {
        method: Echo.Say as never,
        *unary(_request: unknown, context: { identity?: unknown }): Task<unknown> {
          identities.push(context.identity);
          return Answer.of({ text: 'hello' });
        },
      },
    ];
    const options = {
      ...SERVER,
      handlers,
      ...(tls === undefined ? {} : { tls }),
      ...(shared === 'alone' ? {} : { otherwise: http.serve.bind(http), held: shared === 'held' }),
    };
    return this.world.run(() => this.rpcAt(SERVER.address).serve(options));
  }

  call(tls: TlsClient | undefined): string {
    const channel = this.rpcAt('10.0.0.2').channel([SERVER], tls === undefined ? {} : { tls });
    try {
      return this.world.run(() => channel.unary(Echo.Say, Ask.of({ text: 'x' }))).text;
    } catch (error) {
      return (error as RpcError).message;
    }
  }
}

function failure(description: string): string {
  return `connection error: desc = ${JSON.stringify(description)}`;
}

function handshake(problem: string): string {
  return failure(`transport: authentication handshake failed: ${problem}`);
}

describe('a port shared with HTTP/1.1', () => {
  it.each([true, false])('answers both, behind TLS (%j) too, and knows who asks', (secure) => {
    const bench = new Bench();
    bench.serve(secure ? { ...leaf(ours), clientCaPem: oursPem } : undefined, 'shared');
    const client = secure ? { serverCaPem: oursPem, ...leaf(ours) } : undefined;
    expect(bench.get(client)).toBe(`/health for ${secure ? 'apid' : 'nobody'}`);
    expect(bench.call(client)).toBe('hello');
    expect(bench.get(client)).toBe(`/health for ${secure ? 'apid' : 'nobody'}`);
    expect(bench.identities).toEqual([secure ? { commonName: 'apid', organizations: ['os:admin'] } : undefined]);
  });

  it('that is not shared closes what is not HTTP/2', () => {
    const bench = new Bench();
    bench.serve(undefined);
    expect(bench.get(undefined)).not.toContain('for nobody');
    expect(bench.call(undefined)).toBe('hello');
  });

  it('that is held lets connections wait until it is opened', () => {
    const bench = new Bench();
    const server = bench.serve(undefined, 'held');
    const startUs = bench.world.nowUs;
    bench.world.root.spawn('opens later', function* () {
      yield* bench.world.clock.sleep(5_000_000);
      server.open();
    });
    expect(bench.call(undefined)).toBe('hello');
    expect(bench.world.nowUs - startUs).toBeGreaterThanOrEqual(5_000_000);
    // Nobody had to come again: a second connection attempt would have waited longer.
    expect(bench.world.nowUs - startUs).toBeLessThan(5_100_000);
  });
});

describe('TLS', () => {
  it('takes one more round trip than plain text, and the time of the processor', () => {
    const readyAfter = (tls: boolean): number => {
      const bench = new Bench();
      bench.serve(tls ? leaf(ours) : undefined);
      bench.world.advanceBy(1_000);
      const startUs = bench.world.nowUs;
      expect(bench.call(tls ? { serverCaPem: oursPem } : undefined)).toBe('hello');
      return bench.world.nowUs - startUs;
    };
    const plainUs = readyAfter(false);
    const { latencyUs } = new TinyWorld();
    expect(plainUs).toBe(4 * latencyUs);
    expect(readyAfter(true)).toBe(8 * latencyUs + 2_000);
  });

  it('tells the handler who the client is', () => {
    const bench = new Bench();
    bench.serve({ ...leaf(ours), clientCaPem: oursPem });
    expect(bench.call({ serverCaPem: oursPem, ...leaf(ours) })).toBe('hello');
    expect(bench.identities).toEqual([{ commonName: 'apid', organizations: ['os:admin'] }]);
  });

  it.each<[string, Leaf, TlsClient, string]>([
    ['an unknown authority', leaf(theirs), { serverCaPem: oursPem }, 'x509: certificate signed by unknown authority'],
    ['no authority at all', leaf(ours), {}, 'x509: certificate signed by unknown authority'],
    [
      'another address',
      leaf(ours, { ipAddresses: ['10.0.0.99'] }),
      { serverCaPem: oursPem },
      'x509: certificate is valid for 10.0.0.99, not 10.0.0.10',
    ],
    [
      'another name',
      leaf(ours, { dnsNames: ['cp-1'] }),
      { serverCaPem: oursPem, serverName: 'cp-2' },
      'x509: certificate is valid for cp-1, not cp-2',
    ],
    [
      'an expired certificate',
      leaf(ours, { notAfterSec: NOW_SEC - 60 }),
      { serverCaPem: oursPem },
      'x509: certificate has expired or is not yet valid: current time 2023-11-14T22:13:20Z is after 2023-11-14T22:12:20Z',
    ],
  ])('a client refuses a server with %s', (_what, server, client, problem) => {
    const bench = new Bench();
    bench.serve(server);
    expect(bench.call(client)).toBe(handshake(`tls: failed to verify certificate: ${problem}`));
    expect(bench.call({ ...client, insecureSkipVerify: true })).toBe('hello');
    bench.world.advanceBy(10_000);
    expect(bench.world.events.map((event) => event.kind)).toContain('rpc.server.rejected');
  });

  it.each<[string, Leaf | undefined, string]>([
    ['without a certificate', undefined, 'certificate required'],
    ['of another cluster with the same name', leaf(theirs), 'unknown certificate authority'],
    ['of an authority the server did not name', leaf(foreign), 'certificate required'],
    ['with an expired certificate', leaf(ours, { notAfterSec: NOW_SEC - 1 }), 'expired certificate'],
    ['with a server-only certificate', leaf(ours, { extendedKeyUsages: ['server-auth'] }), 'bad certificate'],
  ])('a server refuses a client %s', (_what, client, alert) => {
    const bench = new Bench();
    bench.serve({ ...leaf(ours), clientCaPem: oursPem });
    expect(bench.call({ serverCaPem: oursPem, ...client })).toBe(
      failure(`error reading server preface: remote error: tls: ${alert}`),
    );
    expect(bench.identities).toEqual([]);
  });

  it('a server that asks but does not require lets anybody in, without identity', () => {
    const bench = new Bench();
    bench.serve({ ...leaf(ours), clientCaPem: oursPem, clientAuth: 'optional' });
    expect(bench.call({ serverCaPem: oursPem })).toBe('hello');
    expect(bench.call({ serverCaPem: oursPem, ...leaf(theirs) })).toBe('hello');
    expect(bench.identities).toEqual([undefined, undefined]);
  });

  it('each side uses its own clock', () => {
    const bench = new Bench();
    bench.serve(leaf(ours));
    bench.world.wallUs += 2 * DAY_SEC * 1_000_000;
    expect(bench.call({ serverCaPem: oursPem })).toContain('certificate has expired or is not yet valid');
  });

  it('plain text and TLS do not understand each other', () => {
    const bench = new Bench();
    const server = bench.serve(leaf(ours));
    expect(bench.call(undefined)).toBe(failure('error reading server preface: EOF'));
    server.close();
    bench.serve(undefined);
    expect(bench.call({ serverCaPem: oursPem })).toBe(
      handshake('tls: first record does not look like a TLS handshake'),
    );
  });

  it('setTls counts for new connections', () => {
    const bench = new Bench();
    const server = bench.serve(leaf(theirs));
    server.setTls(leaf(ours));
    expect(bench.call({ serverCaPem: oursPem })).toBe('hello');
  });
});
