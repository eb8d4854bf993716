import { utf8Decode } from '../../platform/bytes.ts';
import { RpcError, type TlsClient } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { EtcdClient } from '../client/client.ts';
import { WatchLost } from '../client/concurrency.ts';
import { ElectionError } from '../client/election.ts';
import { EndpointError, parseEndpoint } from '../client/endpoints.ts';
import { LockError } from '../client/mutex.ts';
import { REFUSED } from './commands.ts';
import { type CtlContext, CtlExit, ExitCode, type Format, type Run } from './context.ts';
import { findCommand } from './find.ts';
import { type FlagSpecs, type Flags, parseWords, type Words } from './flags.ts';
import { helpText } from './help.ts';
import { errorText } from './print/errors.ts';

/** Runs one command line, without the tool's name in front. The value is the exit code. */
export function* etcdctl(words: readonly string[], context: CtlContext): Task<number> {
  const clients: EtcdClient[] = [];
  try {
    const { verb, subject, rest, specs } = findCommand(words);
    const line = parsed(rest, specs, context, () => helpText(subject, context.version));
    if (verb === undefined || line.flags.bool('help')) context.out(helpText(subject, context.version));
    else yield* verb.run(makeRun(line, context, clients));
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

/** The words of a line; what does not fit is told behind the help of its command, as cobra does. */
function parsed(words: readonly string[], specs: FlagSpecs, context: CtlContext, help: () => string): Words {
  try {
    return parseWords(words, specs, context.env);
  } catch (error) {
    if (error instanceof CtlExit) context.out(help());
    throw error;
  }
}

/** Why this command line could never run; undefined when it could. */
export function etcdctlProblem(words: readonly string[]): string | undefined {
  try {
    const { rest, specs, strange, subject } = findCommand(words);
    parseWords(rest, specs, {});
    return strange === undefined ? undefined : `unknown command "${strange}" for "etcdctl ${subject.name}"`;
  } catch (error) {
    if (error instanceof CtlExit) return error.message;
    throw error;
  }
}

/** Prints what help says of the command that these words name. */
function printHelp(topic: readonly string[], context: CtlContext): void {
  try {
    context.out(helpText(findCommand(topic).subject, context.version));
  } catch (error) {
    if (!(error instanceof CtlExit) || REFUSED[topic[0]!] !== undefined) throw error;
    context.err(`Unknown help topic [${topic.map((word) => `\`${word}\``).join(' ')}]\n`);
    printHelp([], context);
  }
}

function makeRun({ args, flags, dashAt }: Words, context: CtlContext, clients: EtcdClient[]): Run {
  const endpoints = flags
    .text('endpoints')
    .split(',')
    .filter((text) => text !== '');
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
    client(chosen = endpoints, options = {}) {
      const key = chosen.join(',');
      const known = shared.get(key);
      if (known !== undefined) return known;
      for (const endpoint of endpoints) parseEndpoint(endpoint);
      if (flags.text('user') !== '')
        throw new CtlExit(ExitCode.Error, 'authentication is not simulated: leave --user out');
      const tls = tlsOf(flags, context);
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
    help: (topic) => printHelp(topic, context),
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
