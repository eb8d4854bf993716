import { API_MESSAGE_BYTES, API_PORT } from '../../nodes/api/forward.ts';
import { SECOND_US } from '../../platform/clock.ts';
import { type Endpoint, parseHostPort } from '../../platform/net.ts';
import { type ClientStream, type Method, type RpcChannel, RpcError, type TlsClient } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { ParsedCommand } from '../cobra/command.ts';
import type { ToolContext } from '../tools/tool.ts';
import { CommandFailure, type Runner } from './run.ts';
import { currentContext, openTalosconfig, pemOf } from './session.ts';

/** gRPC's back-off between connection attempts as talosctl sets it up: base 1 s, cap 15 s is grpc's 120 s shortened by its client. */
const BACKOFF_MAX_US = 15 * SECOND_US;

/** What part of a multi-node answer says of its sender. */
export interface Tagged {
  readonly metadata: { readonly hostname: string; readonly error: string } | null;
}

export interface NodeAnswer<T> {
  readonly node: string;
  readonly message: T;
}

/** A connection to the machine API as talosctl opens it for one command. */
export class TalosClient {
  readonly nodes: readonly string[];
  readonly #context: ToolContext;
  readonly #channel: RpcChannel;
  readonly #insecure: boolean;

  constructor(context: ToolContext, endpoints: readonly string[], nodes: readonly string[], tls: TlsClient) {
    this.#context = context;
    this.nodes = nodes;
    this.#insecure = tls.insecureSkipVerify === true;
    this.#channel = context.platform.rpc.channel(endpoints.map(endpointOf), {
      tls,
      backoffMaxUs: BACKOFF_MAX_US,
      maxReceiveBytes: API_MESSAGE_BYTES,
    });
  }

  close(): void {
    this.#channel.close();
  }

  /**
   * Calls every node and sorts the answers: errors of some nodes are a warning, errors of all nodes fail the command
   * (reference/v1.11.3.md 15.1).
   */
  *unary<Req, M extends Tagged>(
    prefix: string,
    method: Method<Req, { readonly messages: readonly M[] }>,
    request: Req,
  ): Task<NodeAnswer<M>[]> {
    let messages: readonly M[];
    try {
      messages = (yield* this.#channel.unary(method, request, { metadata: this.#metadata() })).messages;
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`${prefix}: ${error.describe()}`);
      throw error;
    }
    const failures = messages.filter((message) => (message.metadata?.error ?? '') !== '');
    const good = messages.filter((message) => (message.metadata?.error ?? '') === '');
    const text = multiError(failures.map((message) => `${message.metadata!.hostname}: ${message.metadata!.error}`));
    if (failures.length > 0 && good.length === 0) throw new CommandFailure(`${prefix}: ${text}`);
    if (failures.length > 0) this.#context.err(`WARNING: ${text}`);
    return good.map((message) => ({ node: this.#nodeName(message), message }));
  }

  /** Opens a stream from every node. */
  stream<Req, Res>(method: Method<Req, Res>): ClientStream<Req, Res> {
    return this.#channel.stream(method, { metadata: this.#metadata() });
  }

  /** Calls one node of several after another, as COSI calls must. */
  *single<Req, Res>(method: Method<Req, Res>, request: Req, node: string): Task<Res> {
    return yield* this.#channel.unary(method, request, { metadata: this.#single(node) });
  }

  singleStream<Req, Res>(method: Method<Req, Res>, node: string): ClientStream<Req, Res> {
    return this.#channel.stream(method, { metadata: this.#single(node) });
  }

  #metadata(): Record<string, string> {
    return this.#insecure ? {} : { runtime: 'Talos', nodes: this.nodes.join(',') };
  }

  #single(node: string): Record<string, string> {
    return this.#insecure ? {} : { runtime: 'Talos', node };
  }

  #nodeName(message: Tagged): string {
    const hostname = message.metadata?.hostname ?? '';
    return hostname === '' ? (this.nodes[0] ?? '') : hostname;
  }
}

/** Text of errors as hashicorp's go-multierror prints a list. */
export function multiError(errors: readonly string[]): string {
  const head = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
  return `${head}\n${errors.map((error) => `\t* ${error}\n`).join('')}\n`;
}

/** `host`, `host:port` or a URL; IPv6 with or without brackets; the default port is apid's. */
function endpointOf(text: string): Endpoint {
  const endpoint = parseHostPort(text.replace(/^https?:\/\//, '').replace(/\/+$/, ''), API_PORT);
  if (endpoint === null) throw new CommandFailure(`error constructing client: invalid endpoint "${text}"`);
  return endpoint;
}

type Parsed = ParsedCommand<Runner>;

/** Opens what the command line asks for, runs the body, closes. */
export function* withClient<T>(parsed: Parsed, context: ToolContext, body: (client: TalosClient) => Task<T>): Task<T> {
  const client = insecureWanted(parsed) ? insecureClient(parsed, context) : secureClient(parsed, context);
  try {
    return yield* body(client);
  } finally {
    client.close();
  }
}

function insecureWanted(parsed: Parsed): boolean {
  return parsed.specs.some((spec) => spec.name === 'insecure') && parsed.flags.on('insecure');
}

/** One client without certificates; the endpoint is the node itself. */
function insecureClient(parsed: Parsed, context: ToolContext): TalosClient {
  const nodes = parsed.flags.list('nodes');
  if (nodes.length === 0) throw new CommandFailure('insecure mode requires nodes to be set via --nodes flag');
  return maintenanceClient(context, nodes);
}

/** Talks to machines without a config: nobody proves who they are. */
export function maintenanceClient(context: ToolContext, nodes: readonly string[]): TalosClient {
  return new TalosClient(context, nodes, nodes, { insecureSkipVerify: true });
}

function secureClient(parsed: Parsed, context: ToolContext): TalosClient {
  const { config } = openTalosconfig(parsed, context);
  const current = currentContext(parsed, config).context;
  const given = parsed.flags.list('endpoints');
  const endpoints = given.length > 0 ? given : current.endpoints;
  const asked = parsed.flags.list('nodes');
  const nodes = asked.length > 0 ? asked : (current.nodes ?? []);
  if (endpoints.length === 0) throw new CommandFailure('error constructing client: failed to determine endpoints');
  if (nodes.length === 0)
    throw new CommandFailure(
      'nodes are not set for the command: please use `--nodes` flag or configuration file to set the nodes to run the command against',
    );
  return new TalosClient(context, endpoints, nodes, {
    ...(current.ca !== undefined && { serverCaPem: pemOf(current.ca) }),
    ...(current.crt !== undefined && { certificatePem: pemOf(current.crt) }),
    ...(current.key !== undefined && { keyPem: pemOf(current.key) }),
  });
}

/** Refuses several nodes where the command knows only one. */
export function onlyOneNode(client: TalosClient, command: string): string {
  if (client.nodes.length > 1) throw new CommandFailure(`command "${command}" is not supported with multiple nodes`);
  return client.nodes[0]!;
}

/** Messages of a stream until it ends; `onMessage` sees each. Throws RpcError as the stream does. */
export function* eachMessage<Res>(stream: ClientStream<unknown, Res>, onMessage: (message: Res) => void): Task<void> {
  for (;;) {
    const message = yield* stream.receive();
    if (message === undefined) return;
    onMessage(message);
  }
}
