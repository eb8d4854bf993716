import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeout } from '../../src/platform/combinators.ts';
import type { KeyPair } from '../../src/platform/crypto.ts';
import type {
  ChannelOptions,
  RpcChannel,
  RpcError,
  RpcServer,
  ServeOptions,
  TlsClient,
  TlsServer,
} from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { rawMethod } from '../../src/rpc/raw.ts';
import { Answer, Ask, Echo, type EchoLog, echoHandlers } from '../rpc/echo-service.ts';
import type { Peer, RunningWorld } from './world.ts';
import { WORLDS } from './worlds.ts';

const MS = 1_000;
const SECOND = 1_000_000;
const DAY_SEC = 86_400;

function hang(): Task<never> {
  return wait<never>(() => () => {});
}

function ask(text: string) {
  return Ask.of({ text });
}

for (const world of WORLDS) {
  describe(`rpc on ${world.name}`, () => {
    let running: RunningWorld;
    let client: Peer;
    let server: Peer;
    const log: EchoLog = { lines: [] };
    const call = <T>(body: () => Task<T>): Promise<T> => running.run(client, body);

    beforeAll(async () => {
      running = await world.start({ peers: 2 });
      client = running.peers[0]!;
      server = running.peers[1]!;
    });
    afterAll(() => running.stop());

    const serve = (options: Partial<ServeOptions> = {}): Promise<RpcServer> =>
      running.run(server, () =>
        server.platform.rpc.serve({
          address: '0.0.0.0',
          port: 0,
          handlers: echoHandlers(log, hang),
          ...options,
        }),
      );

    const to = (port: number) => ({ address: server.address, port });

    const failure = async (body: () => Task<unknown>): Promise<RpcError> => {
      try {
        await call(body);
      } catch (error) {
        return error as RpcError;
      }
      throw new Error('it did not fail');
    };

    /** Runs a body against a fresh server and channel. */
    async function withEcho(body: (channel: RpcChannel, echo: RpcServer) => Promise<void>): Promise<void> {
      const echo = await serve();
      const channel = client.platform.rpc.channel([to(echo.local.port)]);
      log.lines.length = 0;
      await body(channel, echo);
      await call(function* () {
        channel.close();
      });
      await running.run(server, function* () {
        echo.close();
      });
    }

    /** Lets the other side notice. */
    const settle = (): Promise<void> => running.run(server, () => server.platform.clock.sleep(100 * MS));

    it('messages that are too large are refused by whoever has the limit', async () => {
      const echo = await serve({ maxReceiveBytes: 1000 });
      const at = [to(echo.local.port)];
      const data = (size: number) => Ask.of({ data: new Uint8Array(size) });
      const open = (options: ChannelOptions = {}): RpcChannel => client.platform.rpc.channel(at, options);
      const plain = open();
      const sender = open({ maxSendBytes: 100 });
      const receiver = open({ maxReceiveBytes: 100 });
      const texts = async (channel: RpcChannel, size: number): Promise<readonly string[]> => [
        (await failure(() => channel.unary(Echo.Say, data(size)))).describe(),
        (await failure(() => counted(channel, size))).describe(),
      ];
      const counted = (channel: RpcChannel, size: number): Task<Answer | undefined> => {
        const stream = channel.stream(Echo.Count);
        stream.send(Ask.of({ count: 1, data: new Uint8Array(size - 2) }));
        return stream.receive();
      };
      const exhausted = (text: string) => Array(2).fill(`rpc error: code = ResourceExhausted desc = ${text}`);
      expect(await texts(plain, 998)).toEqual(exhausted('grpc: received message larger than max (1001 vs. 1000)'));
      expect((await call(() => plain.unary(Echo.Say, data(997)))).data.length).toBe(997);
      expect(await texts(sender, 99)).toEqual(exhausted('trying to send message larger than max (101 vs. 100)'));
      expect(await texts(receiver, 99)).toEqual([
        ...exhausted('grpc: received message larger than max (109 vs. 100)').slice(1),
        ...exhausted('grpc: received message larger than max (102 vs. 100)').slice(1),
      ]);
      expect((await failure(() => plain.unary(Echo.Say, data(5_000_000)))).message).toContain('larger than max');
      await call(function* () {
        for (const channel of [plain, sender, receiver]) channel.close();
      });
      await running.run(server, function* () {
        echo.close();
      });
    });

    it('unary calls carry request, metadata, response and status', () =>
      withEcho(async (channel) => {
        const metadata = { greeting: 'good day', 'x-bytes-bin': '\u0001ÿ' };
        expect(await call(() => channel.unary(Echo.Say, ask('you'), { metadata }))).toEqual(
          Answer.of({ text: 'good day you' }),
        );
        const error = await failure(() => channel.unary(Echo.Fail, ask('100 % é')));
        expect(error.describe()).toBe(
          'rpc error: code = AlreadyExists desc = etcd data directory is not empty 100 % é',
        );
        expect(error.metadata).toEqual({ detail: 'x' });
        expect((await failure(() => channel.unary(Echo.Quick, ask('bad')))).status).toBe('InvalidArgument');
        const data = new Uint8Array(1_000_000).fill(7);
        const echoed = (await call(() => channel.unary(Echo.Say, Ask.of({ data })))).data;
        expect([echoed.length, echoed.every((byte) => byte === 7)]).toEqual([1_000_000, true]);
      }));

    it('many calls at once share a connection', () =>
      withEcho(async (channel) => {
        const texts = Array.from({ length: 50 }, (_, i) => `n${i}`);
        const answers = await Promise.all(texts.map((text) => call(() => channel.unary(Echo.Say, ask(text)))));
        expect(answers.map((answer) => answer.text)).toEqual(texts.map((text) => `hello ${text}`));
      }));

    it('streams of every kind, half-closed by the client, ended by the server', () =>
      withEcho(async (channel) => {
        const seen = await call(function* () {
          const all: unknown[] = [];
          const count = channel.stream(Echo.Count);
          count.send(Ask.of({ count: 3 }));
          for (let next = yield* count.receive(); next !== undefined; next = yield* count.receive()) {
            all.push(next.text);
          }
          const collect = channel.stream(Echo.Collect);
          for (const text of ['a', 'b', 'c']) collect.send(ask(text));
          collect.closeSend();
          all.push((yield* collect.receive())?.seen, yield* collect.receive());
          const chat = channel.stream(Echo.Chat);
          chat.send(ask('x'));
          all.push((yield* chat.receive())?.text);
          chat.send(ask('y'));
          chat.closeSend();
          all.push(chat.send(ask('too late')), (yield* chat.receive())?.text, yield* chat.receive());
          const silent = channel.stream(Echo.Hang);
          all.push((yield* silent.receive())?.text);
          silent.cancel();
          return all;
        });
        const collected = ['a', 'b', 'c'];
        expect(seen).toEqual(['0', '1', '2', collected, undefined, 'X', false, 'Y', undefined, 'here']);
      }));

    it('an error ends a stream after what was sent before it', () =>
      withEcho(async (channel) => {
        const error = await failure(function* () {
          const chat = channel.stream(Echo.Chat);
          chat.send(ask('first'));
          chat.send(ask('fail'));
          expect((yield* chat.receive())?.text).toBe('FIRST');
          yield* chat.receive();
        });
        expect([error.status, error.message]).toEqual(['Aborted', 'as asked']);
      }));

    it('a server that streams faster than the client reads is held back', () =>
      withEcho(async (channel) => {
        const count = channel.stream(Echo.Count);
        await call(function* () {
          count.send(Ask.of({ count: 60, data: new Uint8Array(100_000) }));
          yield* count.receive();
        });
        await settle();
        expect(log.lines.length).toBeLessThan(50);
        const rest = await call(function* () {
          let n = 0;
          while ((yield* count.receive()) !== undefined) n++;
          return n;
        });
        expect([rest, log.lines.length]).toEqual([59, 60]);
      }));

    it('a deadline ends the call for the client and the handler', () =>
      withEcho(async (channel) => {
        const error = await failure(() => channel.unary(Echo.Never, ask(''), { timeoutUs: 200 * MS }));
        expect(error.describe()).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
        const stream = await failure(function* () {
          const hanging = channel.stream(Echo.Hang, { timeoutUs: 200 * MS });
          yield* hanging.receive();
          yield* hanging.receive();
        });
        expect(stream.status).toBe('DeadlineExceeded');
        await settle();
        expect(log.lines).toEqual(['Never unwound', 'Hang unwound']);
      }));

    it('cancelling the calling task or the stream cancels the handler', () =>
      withEcho(async (channel) => {
        await call(function* () {
          try {
            yield* timeout(client.platform.clock, 100 * MS, channel.unary(Echo.Never, ask('')));
          } catch {
            // the time is up, as it should be
          }
          const hanging = channel.stream(Echo.Hang);
          yield* hanging.receive();
          hanging.cancel();
        });
        await settle();
        expect(log.lines).toEqual(['Never unwound', 'Hang unwound']);
      }));

    it('nobody listens: Unavailable in the words of grpc-go; waiting calls wait', async () => {
      const { port } = (await serve()).local;
      const echo = await serve();
      await running.run(server, function* () {
        echo.close();
      });
      const endpoint = to(echo.local.port);
      const channel = client.platform.rpc.channel([endpoint], { backoffBaseUs: 50 * MS });
      const text =
        'connection error: desc = "transport: Error while dialing: dial tcp ' +
        `${endpoint.address}:${endpoint.port}: connect: connection refused"`;
      const error = await failure(() => channel.unary(Echo.Say, ask('')));
      expect(error.describe()).toBe(`rpc error: code = Unavailable desc = ${text}`);
      expect(channel.state()).toBe('transient-failure');
      const limited = await failure(() =>
        channel.unary(Echo.Say, ask(''), { waitForReady: true, timeoutUs: 100 * MS }),
      );
      expect(limited.describe()).toBe(`rpc error: code = DeadlineExceeded desc = latest balancer error: ${text}`);
      const [answer] = await Promise.all([
        call(() => channel.unary(Echo.Say, ask('late'), { waitForReady: true })),
        running.run(server, function* () {
          yield* server.platform.clock.sleep(100 * MS);
          const handlers = echoHandlers(log, hang);
          yield* server.platform.rpc.serve({ address: '0.0.0.0', port: endpoint.port, handlers });
        }),
      ]);
      expect(answer.text).toBe('hello late');
      expect(port).not.toBe(endpoint.port);
    });

    it('a server that closes ends open calls with Unavailable and cancels their handlers', () =>
      withEcho(async (channel, echo) => {
        const [error] = await Promise.all([
          failure(() => channel.unary(Echo.Never, ask(''))),
          running.run(server, function* () {
            yield* server.platform.clock.sleep(200 * MS);
            echo.close();
          }),
        ]);
        expect(error.describe()).toBe('rpc error: code = Unavailable desc = error reading from server: EOF');
        expect(log.lines).toEqual(['Never unwound']);
        expect((await failure(() => channel.unary(Echo.Say, ask('')))).status).toBe('Unavailable');
      }));

    it('several addresses take turns', async () => {
      const named = (text: string): ServeOptions['handlers'] => [
        {
          method: Echo.Say as never,
          *unary(): Task<unknown> {
            return Answer.of({ text });
          },
        },
      ];
      const servers = [await serve({ handlers: named('one') }), await serve({ handlers: named('two') })];
      const channel = client.platform.rpc.channel(servers.map(({ local }) => to(local.port)));
      const who = (): Promise<string> => call(() => channel.unary(Echo.Say, ask(''))).then((answer) => answer.text);
      await who();
      await settle();
      const seen = [await who(), await who(), await who(), await who()];
      expect(seen.filter((text) => text === 'one').length).toBe(2);
      expect(seen[0]).not.toBe(seen[1]);
      await call(function* () {
        channel.setEndpoints([to(servers[1]!.local.port)]);
      });
      expect([await who(), await who()]).toEqual(['two', 'two']);
    });

    it('unknown methods are Unimplemented, or forwarded unread by a proxy', () =>
      withEcho(async (channel, echo) => {
        const version = { ...Echo.Quick, path: '/machine.MachineService/Version' };
        const reboot = { ...Echo.Quick, path: '/test.Echo/Reboot' };
        expect((await failure(() => channel.unary(version, ask('')))).describe()).toBe(
          'rpc error: code = Unimplemented desc = unknown service machine.MachineService',
        );
        expect((await failure(() => channel.unary(reboot, ask('')))).message).toBe(
          'unknown method Reboot for service test.Echo',
        );
        const onward = server.platform.rpc.channel([{ address: '127.0.0.1', port: echo.local.port }]);
        const proxy = await serve({
          handlers: [],
          *unknownMethod(near) {
            const { ':path': path, ...metadata } = near.context.metadata;
            const far = onward.stream(rawMethod(path!), { metadata });
            for (let next = yield* near.receive(); next !== undefined; next = yield* near.receive()) far.send(next);
            far.closeSend();
            for (let next = yield* far.receive(); next !== undefined; next = yield* far.receive()) near.send(next);
          },
        });
        const outer = client.platform.rpc.channel([to(proxy.local.port)]);
        const said = await call(() => outer.unary(Echo.Say, ask('you'), { metadata: { greeting: 'ahoy' } }));
        expect(said.text).toBe('ahoy you');
        expect((await failure(() => outer.unary(Echo.Fail, ask('?')))).status).toBe('AlreadyExists');
        const collected = await call(function* () {
          const collect = outer.stream(Echo.Collect);
          for (const text of ['a', 'b']) collect.send(ask(text));
          collect.closeSend();
          return yield* collect.receive();
        });
        expect(collected?.seen).toEqual(['a', 'b']);
      }));

    describe('with TLS', () => {
      const nowSec = (): number => Math.floor(client.platform.clock.nowUs() / SECOND);
      const authority = (name: string): KeyPair =>
        client.platform.crypto.selfSignedAuthority({
          subject: { organizations: [name] },
          keySpec: 'ed25519',
          notBeforeSec: nowSec() - DAY_SEC,
          notAfterSec: nowSec() + DAY_SEC,
        });
      const issue = (signer: KeyPair, ipAddresses: readonly string[]): { certificatePem: string; keyPem: string } => {
        const { crypto } = client.platform;
        const key = crypto.generateKey('ed25519');
        const certificate = crypto.issueCertificate({
          subject: { commonName: 'admin', organizations: ['os:admin'] },
          ipAddresses,
          notBeforeSec: nowSec() - 60,
          notAfterSec: nowSec() + 3_600,
          keyUsages: ['digital-signature'],
          extendedKeyUsages: ['server-auth', 'client-auth'],
          publicKey: key.publicKey,
          signer,
        });
        return { certificatePem: crypto.certificateToPem(certificate), keyPem: crypto.privateKeyToPem(key) };
      };
      const pemOf = (pair: KeyPair): string => client.platform.crypto.certificateToPem(pair.certificate);

      /** What a client gets that calls a server with these settings: who the server took it for, or why not. */
      async function outcome(serverTls: TlsServer, clientTls: TlsClient): Promise<string> {
        const handlers: ServeOptions['handlers'] = [
          {
            method: Echo.Say as never,
            *unary(_request, context): Task<unknown> {
              const { identity } = context;
              const text = identity === undefined ? 'nobody' : `${identity.commonName} ${identity.organizations}`;
              return Answer.of({ text });
            },
          },
        ];
        const secured = await serve({ tls: serverTls, handlers });
        const channel = client.platform.rpc.channel([to(secured.local.port)], { tls: clientTls });
        try {
          return (await call(() => channel.unary(Echo.Say, ask('')))).text;
        } catch (error) {
          return (error as RpcError).message;
        } finally {
          channel.close();
          secured.close();
        }
      }

      it('both sides prove who they are', async () => {
        const ours = authority('talos');
        const mutual = { ...issue(ours, [server.address]), clientCaPem: pemOf(ours) };
        const clientTls = { ...issue(ours, []), serverCaPem: pemOf(ours) };
        expect(await outcome(mutual, clientTls)).toBe('admin os:admin');
        const optional = { ...mutual, clientAuth: 'optional' as const };
        expect(await outcome(optional, { serverCaPem: pemOf(ours) })).toBe('nobody');
        expect(await outcome(optional, clientTls)).toBe('admin os:admin');
      });

      it('a client refuses a server it does not trust, unless it does not care', async () => {
        const [ours, theirs] = [authority('talos'), authority('talos')];
        const stranger = issue(theirs, [server.address]);
        const prefix = 'transport: authentication handshake failed: tls: failed to verify certificate: ';
        const text = (problem: string): string => `connection error: desc = "${prefix}${problem}"`;
        expect(await outcome(stranger, { serverCaPem: pemOf(ours) })).toBe(
          text('x509: certificate signed by unknown authority'),
        );
        expect(await outcome(stranger, { insecureSkipVerify: true })).toBe('nobody');
        expect(await outcome(issue(ours, ['192.0.2.1']), { serverCaPem: pemOf(ours) })).toBe(
          text(`x509: certificate is valid for 192.0.2.1, not ${server.address}`),
        );
      });

      it('a server refuses a client without a certificate of its authority', async () => {
        const [ours, theirs] = [authority('talos'), authority('talos')];
        const mutual = { ...issue(ours, [server.address]), clientCaPem: pemOf(ours) };
        expect(await outcome(mutual, { serverCaPem: pemOf(ours) })).toBe(
          'connection error: desc = "error reading server preface: remote error: tls: certificate required"',
        );
        expect(await outcome(mutual, { ...issue(theirs, []), serverCaPem: pemOf(ours) })).toMatch(
          /^connection error: desc = "error reading server preface: /,
        );
      });

      it('shows a certificate that was replaced, and one that is asked for anew each time', async () => {
        const [old, now] = [authority('old'), authority('now')];
        const replaced = await serve({ tls: issue(old, [server.address]) });
        replaced.setTls(issue(now, [server.address]));
        const fresh = issue(now, [server.address]);
        const reloaded = await serve({
          tls: issue(old, [server.address]),
          *reloadTls() {
            return fresh;
          },
        });
        for (const secured of [replaced, reloaded]) {
          const channel = client.platform.rpc.channel([to(secured.local.port)], { tls: { serverCaPem: pemOf(now) } });
          expect((await call(() => channel.unary(Echo.Say, ask('you')))).text).toBe('hello you');
        }
      });
    });
  });
}
