import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClientReadableStream,
  compressionAlgorithms,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  status as statusCodes,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import type { Method, RpcError } from '../../src/platform/rpc.ts';
import { type Task, wait } from '../../src/platform/task.ts';
import { Answer, Ask, Echo, type EchoLog, echoHandlers } from '../rpc/echo-service.ts';
import { onHost } from '../support/on-host.ts';

/** grpc-js's view of our service description. */
function definitionOf(methods: Readonly<Record<string, Method<never, never>>>): ServiceDefinition {
  const definition = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      {
        path: method.path,
        requestStream: method.kind === 'client-stream' || method.kind === 'bidi',
        responseStream: method.kind === 'server-stream' || method.kind === 'bidi',
        requestSerialize: (value: never) => Buffer.from(method.request.encode(value)),
        requestDeserialize: (bytes: Buffer) => method.request.decode(new Uint8Array(bytes)),
        responseSerialize: (value: never) => Buffer.from(method.response.encode(value)),
        responseDeserialize: (bytes: Buffer) => method.response.decode(new Uint8Array(bytes)),
      },
    ]),
  );
  return definition as unknown as ServiceDefinition;
}

const DEFINITION = definitionOf(Echo as never);
const EchoClient = makeGenericClientConstructor(DEFINITION, 'Echo');
type AnyClient = InstanceType<typeof EchoClient> & Readonly<Record<string, (...args: unknown[]) => never>>;

/** The echo service as grpc-js wants it. */
const IMPLEMENTATION = {
  Say: (call: { request: Ask; metadata: Metadata }, done: (error: unknown, answer?: Answer) => void) =>
    done(null, Answer.of({ text: `${call.metadata.get('greeting')} ${call.request.text}` })),
  Fail: (_call: unknown, done: (error: unknown) => void) => {
    const metadata = new Metadata();
    metadata.set('detail', 'y');
    done({ code: statusCodes.FAILED_PRECONDITION, details: 'nö %', metadata });
  },
  Never: () => {},
  Count: (call: { request: Ask; write(answer: Answer): void; end(): void }) => {
    for (let i = 0; i < call.request.count; i++) call.write(Answer.of({ text: String(i) }));
    call.end();
  },
  Chat: (call: NodeJS.EventEmitter & { write(answer: Answer): void; end(): void }) => {
    call.on('data', (ask: Ask) => call.write(Answer.of({ text: ask.text.toUpperCase() })));
    call.on('end', () => call.end());
  },
};

let host: HostPlatform;
const log: EchoLog = { lines: [] };

function run<T>(body: () => Task<T>): Promise<T> {
  return onHost(host, body);
}

beforeAll(() => {
  host = hostPlatform({ name: 'interop', self: '127.0.0.31', root: mkdtempSync(join(tmpdir(), 'talosim-interop-')) });
});
afterAll(() => host.stop());

describe('our server, called by grpc-js', () => {
  let client: AnyClient;

  beforeAll(async () => {
    const hang = (): Task<never> => wait<never>(() => () => {});
    const handlers = echoHandlers(log, hang);
    const server = await run(() => host.platform.rpc.serve({ address: '0.0.0.0', port: 0, handlers }));
    client = new EchoClient(`127.0.0.31:${server.local.port}`, credentials.createInsecure(), {
      'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
    }) as AnyClient;
  });
  afterAll(() => client.close());

  const unary = (name: string, request: Ask, metadata = new Metadata(), options = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      client[name]!(request, metadata, options, (error: ServiceError | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(error),
      );
    });

  const readAll = (stream: ClientReadableStream<Answer>): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const texts: string[] = [];
      stream.on('data', (answer: Answer) => texts.push(answer.text));
      stream.on('end', () => resolve(texts));
      stream.on('error', reject);
    });

  it('unary, with metadata and compressed messages', async () => {
    const metadata = new Metadata();
    metadata.set('greeting', 'salut');
    const data = new Uint8Array(200_000).fill(1);
    const answer = await unary('Say', Ask.of({ text: 'toi', data }), metadata);
    expect([answer.text, answer.data.length]).toEqual(['salut toi', 200_000]);
  });

  it('status, message, trailing metadata', async () => {
    const error = (await unary('Fail', Ask.of({ text: 'ü %' })).catch((e: unknown) => e)) as ServiceError;
    expect([error.code, error.details]).toEqual([statusCodes.ALREADY_EXISTS, 'etcd data directory is not empty ü %']);
    expect(error.metadata.get('detail')).toEqual(['x']);
  });

  it('deadlines travel', async () => {
    log.lines.length = 0;
    const options = { deadline: new Date(Date.now() + 150) };
    const error = (await unary('Never', Ask.empty, undefined, options).catch((e: unknown) => e)) as ServiceError;
    expect(error.code).toBe(statusCodes.DEADLINE_EXCEEDED);
    await run(() => host.platform.clock.sleep(100_000));
    expect(log.lines).toEqual(['Never unwound']);
  });

  it('server, client and bidirectional streams', async () => {
    expect(await readAll(client.Count!(Ask.of({ count: 4 })))).toEqual(['0', '1', '2', '3']);
    const collected = await new Promise<Answer>((resolve, reject) => {
      const call = client.Collect!((error: ServiceError | null, answer: Answer) =>
        error === null ? resolve(answer) : reject(error),
      ) as { write(message: Ask): void; end(): void };
      call.write(Ask.of({ text: 'a' }));
      call.write(Ask.of({ text: 'b' }));
      call.end();
    });
    expect(collected.seen).toEqual(['a', 'b']);
    const chat = client.Chat!() as ClientReadableStream<Answer> & { write(message: Ask): void; end(): void };
    const texts = readAll(chat);
    chat.write(Ask.of({ text: 'x' }));
    chat.write(Ask.of({ text: 'y' }));
    chat.end();
    expect(await texts).toEqual(['X', 'Y']);
  });

  it('unknown methods', async () => {
    const Other = makeGenericClientConstructor({ Nope: { ...DEFINITION.Say!, path: '/other.Service/Nope' } }, 'Other');
    const other = new Other(client.getChannel().getTarget().replace('dns:', ''), credentials.createInsecure());
    const error = await new Promise<ServiceError>((resolve) => {
      (other as unknown as AnyClient).Nope!(Ask.empty, (failed: ServiceError) => resolve(failed));
    });
    expect([error.code, error.details]).toEqual([statusCodes.UNIMPLEMENTED, 'unknown service other.Service']);
    other.close();
  });
});

describe('our client, answered by grpc-js', () => {
  let server: Server;
  let port: number;

  async function listen(wanted: number): Promise<void> {
    server = new Server();
    server.addService(DEFINITION, IMPLEMENTATION as unknown as UntypedServiceImplementation);
    port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.31:${wanted}`, ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  }

  beforeAll(() => listen(0));
  afterAll(() => server.forceShutdown());

  it('calls, errors, streams', async () => {
    const channel = host.platform.rpc.channel([{ address: '127.0.0.1', port }]);
    const metadata = { greeting: 'hej' };
    const said = await run(() => channel.unary(Echo.Say, Ask.of({ text: 'du' }), { metadata }));
    expect(said.text).toBe('hej du');
    const failed = (await run(() => channel.unary(Echo.Fail, Ask.empty)).catch((e: unknown) => e)) as RpcError;
    expect([failed.describe(), failed.metadata.detail]).toEqual([
      'rpc error: code = FailedPrecondition desc = nö %',
      'y',
    ]);
    const late = (await run(() => channel.unary(Echo.Never, Ask.empty, { timeoutUs: 100_000 })).catch(
      (e: unknown) => e,
    )) as RpcError;
    expect(late.status).toBe('DeadlineExceeded');
    const seen = await run(function* () {
      const texts: (string | undefined)[] = [];
      const count = channel.stream(Echo.Count);
      count.send(Ask.of({ count: 2 }));
      for (let next = yield* count.receive(); next !== undefined; next = yield* count.receive()) texts.push(next.text);
      const chat = channel.stream(Echo.Chat);
      chat.send(Ask.of({ text: 'q' }));
      texts.push((yield* chat.receive())?.text);
      chat.closeSend();
      texts.push((yield* chat.receive())?.text);
      return texts;
    });
    expect(seen).toEqual(['0', '1', 'Q', undefined]);
    channel.close();
  });

  it('a server that is leaving: open streams go on, new calls find its successor', async () => {
    const channel = host.platform.rpc.channel([{ address: '127.0.0.1', port }], { backoffBaseUs: 20_000 });
    const chat = channel.stream(Echo.Chat);
    const talk = (text: string): Promise<string | undefined> =>
      run(function* () {
        chat.send(Ask.of({ text }));
        return (yield* chat.receive())?.text;
      });
    expect(await talk('before')).toBe('BEFORE');
    const old = server;
    const gone = new Promise<void>((resolve) => old.tryShutdown(() => resolve()));
    await listen(port);
    const ask = Ask.of({ text: 'du' });
    const said = await run(() => channel.unary(Echo.Say, ask, { metadata: { greeting: 'hej' }, waitForReady: true }));
    expect(said.text).toBe('hej du');
    expect(await talk('after')).toBe('AFTER');
    await run(function* () {
      chat.closeSend();
      expect(yield* chat.receive()).toBe(undefined);
    });
    await gone;
    channel.close();
  });
});
