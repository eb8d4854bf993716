import { KubeClient } from '../../kube/client/client.ts';
import { KubeError } from '../../kube/objects/errors.ts';
import type { JsonObject } from '../../kube/objects/object.ts';
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { Task } from '../../platform/task.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import { goQuote } from '../../platform/text/quote.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { helpCommand, helpText } from '../cobra/help.ts';
import { parseCommand } from '../cobra/parse.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { kubeContext } from './kubeconfig.ts';
import { readApiServer } from './server.ts';
import { KubectlFailure, type Opened, type Parsed } from './session.ts';
import { kubectlTree, UNSUPPORTED } from './tree.ts';

/** kubectl on the operator's workstation: the commands that a bring-up needs; the rest is refused by name. */
export const kubectl: Tool = {
  name: 'kubectl',
  problem(words) {
    const refused = unsupported(words);
    if (refused !== undefined) return refused;
    if (words[0] === 'help') return undefined;
    const result = parseCommand(kubectlTree, words);
    return result.error === undefined ? undefined : `kubectl: ${result.error.trimEnd()}`;
  },
  run,
};

function unsupported(words: readonly string[]): string | undefined {
  const name = words.find((word) => !word.startsWith('-')) ?? '';
  const reason = Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined;
  return reason === undefined ? undefined : `kubectl ${name} is not simulated: ${reason}`;
}

function* run(words: readonly string[], context: ToolContext): Task<number> {
  const refused = unsupported(words);
  if (refused !== undefined) {
    context.err(`error: ${refused}\n`);
    return 1;
  }
  const help = helpCommand(kubectlTree, words);
  if (help !== undefined) {
    (help.isKnown ? context.out : context.err)(help.text);
    return 0;
  }
  const result = parseCommand(kubectlTree, words);
  if (result.error !== undefined) {
    const more = result.isUnknownCommand ? '' : `See '${result.path} --help' for usage.\n`;
    context.err(`error: ${result.error.trimEnd()}\n${more}`);
    return 1;
  }
  const { parsed } = result;
  if (parsed.help || parsed.command.run === undefined) {
    context.out(helpText(parsed.command, parsed.path, parsed.specs));
    return 0;
  }
  let opened: Opened | undefined;
  try {
    opened = open(parsed, context);
    return yield* parsed.command.run(parsed, context, opened);
  } catch (error) {
    const text = failureText(error, opened?.server ?? '');
    if (text === undefined) throw error;
    context.err(`${text}\n`);
    return 1;
  } finally {
    opened?.client.close();
  }
}

function open({ flags }: Parsed, context: ToolContext): Opened {
  const path =
    flags.text('kubeconfig') || context.env.get('KUBECONFIG') || `${context.env.get('HOME') ?? ''}/.kube/config`;
  const text = context.files.readText(path);
  const asked = flags.text('server');
  if (text === undefined && asked === '')
    throw new KubectlFailure(
      'The connection to the server localhost:8080 was refused - did you specify the right host or port?',
    );
  // A server that is named needs no kubeconfig; whoever asks without one is nobody that it knows.
  const found = text === undefined ? { server: asked, namespace: 'default' } : kubeContext(text, flags.text('context'));
  if (typeof found === 'string') throw new KubectlFailure(found);
  const { endpoint, shown, isTls } = readApiServer(asked || found.server);
  const timeoutUs = requestTimeoutUs(flags.text('request-timeout'));
  const client = new KubeClient(context.platform, endpoint, {
    ...(isTls && {
      tls: {
        ...pem('serverCaPem', found.certificateAuthority),
        ...pem('certificatePem', found.clientCertificate),
        ...pem('keyPem', found.clientKey),
      },
    }),
    ...(found.token !== undefined && { token: found.token }),
    ...(timeoutUs > 0 && { timeoutUs }),
  });
  return { client, server: shown, namespace: found.namespace };
}

/** A duration, or seconds without a unit; 0 is no limit. */
function requestTimeoutUs(text: string): number {
  const us = /^\d+$/.test(text) ? Number(text) * 1_000_000 : parseDurationUs(text);
  if (us === undefined)
    throw new KubectlFailure(
      `error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)`,
    );
  return us;
}

function pem<K extends string>(field: K, base64: string | undefined): { readonly [F in K]?: string } {
  const bytes = base64 === undefined ? null : decodeBase64(base64);
  return (bytes === null ? {} : { [field]: utf8Decode(bytes) }) as { readonly [F in K]?: string };
}

/** What kubectl says of an error; undefined for those that are none of its own. */
function failureText(error: unknown, server: string): string | undefined {
  if (error instanceof KubectlFailure) return error.message;
  if (error instanceof KubeError && error.reason === 'Invalid' && error.details !== undefined)
    return invalidText(error.details);
  if (error instanceof KubeError)
    return error.reason === ''
      ? `Error from server: ${error.message}`
      : `Error from server (${error.reason}): ${error.message}`;
  if (!(error instanceof HttpError)) return undefined;
  if (error.reason.includes('connection refused'))
    return `The connection to the server ${server} was refused - did you specify the right host or port?`;
  return `Unable to connect to the server: ${error.reason}`;
}

/** An object that the API server does not take, each of its fields by itself. */
function invalidText(details: JsonObject): string {
  const causes = (details.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const what = `The ${String(details.kind)} ${goQuote(String(details.name))} is invalid`;
  if (texts.length === 0) return what;
  return texts.length === 1 ? `${what}: ${texts[0]}` : `${what}: \n${texts.map((text) => `* ${text}`).join('\n')}`;
}
