import { utf8Decode } from '../../platform/bytes.ts';
import { RpcError, type TlsClient } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { EtcdClient } from '../client/client.ts';
import { WatchLost } from '../client/concurrency.ts';
import { ElectionError } from '../client/election.ts';
import { EndpointError, parseEndpoint } from '../client/endpoints.ts';
import { LockError } from '../client/mutex.ts';
import { REFUSED, VERBS, type Verb } from './commands.ts';
import { type CtlContext, CtlExit, ExitCode, type Format, type Run } from './context.ts';
import { boolFlag, durationFlag, type FlagSpecs, type Flags, parseWords, textFlag } from './flags.ts';
import { errorText } from './print/errors.ts';

const GLOBAL_FLAGS: FlagSpecs = Object.freeze({
  endpoints: textFlag('127.0.0.1:2379'),
  cacert: textFlag(),
  cert: textFlag(),
  key: textFlag(),
  'write-out': textFlag('simple', 'w'),
  hex: boolFlag(),
  debug: boolFlag(),
  'dial-timeout': durationFlag('2s'),
  'command-timeout': durationFlag('5s'),
  'keepalive-time': durationFlag('2s'),
  'keepalive-timeout': durationFlag('6s'),
  'insecure-transport': boolFlag(true),
  'insecure-skip-tls-verify': boolFlag(),
  'insecure-discovery': boolFlag(true),
  'discovery-srv': textFlag(),
  'discovery-srv-name': textFlag(),
  user: textFlag(),
  password: textFlag(),
});

/** Runs one command line, without the tool's name in front. The value is the exit code. */
export function* etcdctl(words: readonly string[], context: CtlContext): Task<number> {
  const clients: EtcdClient[] = [];
  try {
    const found = findVerb(words);
    if (typeof found === 'string') {
      context.out(found.replace('%version', context.version));
      return ExitCode.Success;
    }
    yield* found.verb.run(makeRun(found, context, clients));
    return ExitCode.Success;
  } catch (error) {
    const [code, text] = explain(error);
    if (text !== '') context.err(`Error: ${text}\n`);
    return code;
  } finally {
    for (const client of clients) {
      client.close();
      if (!client.gone.isSet) context.linger(client.gone);
    }
  }
}

/** Why this command line could never run; undefined when it could. */
export function etcdctlProblem(words: readonly string[]): string | undefined {
  try {
    const found = findVerb(words);
    if (typeof found !== 'string') parseWords(found.rest, { ...GLOBAL_FLAGS, ...found.verb.flags }, {});
    return undefined;
  } catch (error) {
    if (error instanceof CtlExit) return error.message;
    throw error;
  }
}

interface Found {
  readonly verb: Verb;
  readonly rest: readonly string[];
}

/** The command that the words name, and the words without it. A text is printed instead. */
function findVerb(words: readonly string[]): Found | string {
  const names: number[] = [];
  for (let i = 0; i < words.length && names.length < 2; i++) {
    const word = words[i]!;
    if (word === '--help' || word === '-h') return help();
    if (word === '--') break;
    if (!word.startsWith('-')) names.push(i);
    else if (takesNextWord(word)) i++;
  }
  const [first, second] = names;
  if (first === undefined) return help();
  const one = words[first]!;
  const without = (...skipped: number[]): readonly string[] => words.filter((_word, i) => !skipped.includes(i));
  if (one === 'version') return 'etcdctl version: %version\nAPI version: 3.6\n';
  if (one === 'help') return help();
  if (REFUSED[one] !== undefined) throw new CtlExit(ExitCode.Error, `etcdctl ${one}: ${REFUSED[one]}`);
  const single = VERBS[one];
  if (single !== undefined) return { verb: single, rest: without(first) };
  const pair = second === undefined ? undefined : VERBS[`${one} ${words[second]}`];
  if (pair !== undefined) return { verb: pair, rest: without(first, second!) };
  const isGroup = Object.keys(VERBS).some((name) => name.startsWith(`${one} `));
  if (isGroup && second === undefined) return help();
  const unknown = isGroup
    ? `unknown command "${words[second!]}" for "etcdctl ${one}"`
    : `unknown command "${one}" for "etcdctl"`;
  throw new CtlExit(ExitCode.Error, `${unknown}\nRun 'etcdctl --help' for usage.`);
}

/** Whether a flag before the command's name has its value in the next word. */
function takesNextWord(word: string): boolean {
  if (word.includes('=')) return false;
  if (word.startsWith('--')) {
    const spec = GLOBAL_FLAGS[word.slice(2)];
    return spec !== undefined && spec.kind !== 'bool';
  }
  return word === '-w';
}

function help(): string {
  const lines = Object.keys(VERBS).map((name) => `\t${name}`);
  return `NAME:\n\tetcdctl - A simple command line client for etcd3.\n\nCOMMANDS:\n${lines.join('\n')}\n`;
}

function makeRun(found: Found, context: CtlContext, clients: EtcdClient[]): Run {
  const { args, flags, dashAt } = parseWords(found.rest, { ...GLOBAL_FLAGS, ...found.verb.flags }, context.env);
  const endpoints = flags
    .text('endpoints')
    .split(',')
    .filter((text) => text !== '');
  for (const endpoint of endpoints) parseEndpoint(endpoint);
  if (flags.text('user') !== '') throw new CtlExit(ExitCode.Error, 'authentication is not simulated: leave --user out');
  const tls = tlsOf(flags, context);
  const shared = new Map<string, EtcdClient>();
  return {
    context,
    args,
    flags,
    dashAt,
    endpoints,
    format: formatOf(flags.text('write-out')),
    hex: flags.bool('hex'),
    limits: { timeoutUs: flags.duration('command-timeout') },
    tls,
    client(chosen = endpoints, options = {}) {
      const key = chosen.join(',');
      const known = shared.get(key);
      if (known !== undefined) return known;
      const client = new EtcdClient(context.ports, {
        endpoints: chosen,
        dialTimeoutUs: flags.duration('dial-timeout'),
        // gRPC raises shorter periods to ten seconds.
        keepaliveTimeUs: Math.max(10_000_000, flags.duration('keepalive-time')),
        keepaliveTimeoutUs: flags.duration('keepalive-timeout'),
        ...(tls === undefined ? {} : { tls }),
        ...options,
      });
      shared.set(key, client);
      clients.push(client);
      return client;
    },
    line: (text) => context.out(`${text}\n`),
    errorLine: (text) => context.err(`${text}\n`),
  };
}

function formatOf(name: string): Format {
  if (name === 'simple' || name === 'json' || name === 'table' || name === 'fields') return name;
  if (name === 'protobuf') throw new CtlExit(ExitCode.BadFeature, 'protobuf output is not simulated; use json');
  throw new CtlExit(ExitCode.BadFeature, 'unsupported output format');
}

/** TLS as the flags configure it; endpoints with a scheme override whether it is used. */
function tlsOf(flags: Flags, context: CtlContext): TlsClient | undefined {
  const named = ['cacert', 'cert', 'key'].some((name) => flags.text(name) !== '');
  const wanted = flags.bool('insecure-skip-tls-verify') || !flags.bool('insecure-transport');
  if (!wanted && !named) return undefined;
  const read = (name: string): string | undefined => {
    const path = flags.text(name);
    if (path === '') return undefined;
    const content = context.readFile(path);
    if (content === undefined) throw new CtlExit(ExitCode.Error, `open ${path}: no such file or directory`);
    return utf8Decode(content);
  };
  const serverCaPem = read('cacert');
  const certificatePem = read('cert');
  const keyPem = read('key');
  return {
    ...(serverCaPem === undefined ? {} : { serverCaPem }),
    ...(certificatePem === undefined ? {} : { certificatePem }),
    ...(keyPem === undefined ? {} : { keyPem }),
    ...(flags.bool('insecure-skip-tls-verify') ? { insecureSkipVerify: true } : {}),
  };
}

/** Exit code and text of what ended a command. */
function explain(error: unknown): readonly [number, string] {
  if (error instanceof CtlExit) return [error.code, error.message];
  if (error instanceof EndpointError) return [ExitCode.BadConnection, error.message];
  if (error instanceof RpcError) return [ExitCode.Error, errorText(error)];
  if (error instanceof ElectionError || error instanceof LockError || error instanceof WatchLost) {
    return [ExitCode.Error, error.message];
  }
  throw error;
}
