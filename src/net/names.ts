import { race } from '../platform/combinators.ts';
import { lookupHost, unknownHost } from '../platform/dns/stub.ts';
import { NetError } from '../platform/errors.ts';
import type { Connection, DialOptions, Endpoint } from '../platform/net.ts';
import type { Task } from '../platform/task.ts';
import { wait } from '../platform/task.ts';
import { ipBytes } from '../platform/x509/ip.ts';
import type { NetKernel } from './kernel.ts';
import type { Namespace } from './namespace.ts';
import type { SocketApi } from './socket-api.ts';

/** Resolvers that everybody may ask and that nobody simulates. */
export const PUBLIC_NAMESERVERS: readonly string[] = Object.freeze(['1.1.1.1', '8.8.8.8']);

/** The name that every host knows for itself. */
export const LOCALHOST = Object.freeze({ name: 'localhost', address: '127.0.0.1' });

/** The least that Go's dialer gives one address of several. */
const SHARE_MIN_US = 2_000_000;

/** What the network knows of names: which name servers are hosts of it, and what all others answer. */
export class Names {
  readonly #servers = new Set<string>();
  #outside: Readonly<Record<string, readonly string[]>> = {};

  /** The address is that of a host here, running or not: it is asked by packets. */
  addServer(address: string): void {
    this.#servers.add(address);
  }

  /** Names that every other name server knows, at once. */
  setOutside(names: Readonly<Record<string, readonly string[]>>): void {
    this.#outside = names;
  }

  isHere(server: string): boolean {
    return this.#servers.has(server);
  }

  outside(name: string): readonly string[] {
    return this.#outside[name] ?? [];
  }
}

/** The resolver of a process: servers that are hosts here are asked by packets, others know the names of the outside. */
export function* lookupIn(api: SocketApi, namespace: Namespace, name: string): Task<readonly string[]> {
  if (ipBytes(name) !== null) return [name];
  if (name === LOCALHOST.name) return [LOCALHOST.address];
  const { kernel } = namespace;
  const { names } = kernel.network;
  const servers = kernel.nameservers;
  const outside = servers.find((server) => !names.isHere(server));
  const before = outside === undefined ? servers : servers.slice(0, servers.indexOf(outside));
  let failure = unknownHost(`lookup ${name}: no such host`);
  if (before.length > 0) {
    const stub = {
      net: api,
      servers: before,
      sleep: (durationUs: number) => sleepIn(kernel, durationUs),
      drawId: () => kernel.nameDraws.int(0, 65_535),
      sourceFor: (address: string) => namespace.sourceFor(address),
    };
    try {
      return yield* lookupHost(stub, name);
    } catch (error) {
      if (!(error instanceof NetError) || error.message.endsWith('no such host')) throw error;
      failure = error;
    }
  }
  const known = outside === undefined ? [] : names.outside(name);
  if (known.length === 0) throw outside === undefined ? failure : unknownHost(`lookup ${name}: no such host`);
  return known;
}

/** Addresses of the name one after the other, each with its share of the time that is left (Go's dialer: at least 2 s). */
export function* dialByName(api: SocketApi, kernel: NetKernel, to: Endpoint, options: DialOptions): Task<Connection> {
  const deadlineUs = options.timeoutUs === undefined ? undefined : kernel.nowUs() + options.timeoutUs;
  const addresses = yield* lookupWithin(kernel, api.lookup(to.address), to.address, options.timeoutUs);
  let first: NetError | undefined;
  for (const [index, address] of addresses.entries()) {
    const leftUs = deadlineUs === undefined ? undefined : deadlineUs - kernel.nowUs();
    if (leftUs !== undefined && leftUs <= 0) break;
    const shareUs =
      leftUs === undefined
        ? undefined
        : Math.min(leftUs, Math.max(SHARE_MIN_US, Math.floor(leftUs / (addresses.length - index))));
    try {
      return yield* api.dial(
        { address, port: to.port },
        { ...options, ...(shareUs !== undefined && { timeoutUs: shareUs }) },
      );
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      first ??= new NetError(error.code, error.message, { address, port: to.port });
    }
  }
  throw first ?? new NetError('timeout', `dial tcp: lookup ${to.address}: i/o timeout`);
}

function* lookupWithin(
  kernel: NetKernel,
  lookup: Task<readonly string[]>,
  name: string,
  limitUs: number | undefined,
): Task<readonly string[]> {
  if (limitUs === undefined) return yield* lookup;
  const found = yield* race<readonly string[] | undefined>({ lookup, limit: nothingAfter(kernel, limitUs) });
  if (found === undefined) throw unknownHost(`lookup ${name}: i/o timeout`);
  return found;
}

function* nothingAfter(kernel: NetKernel, durationUs: number): Task<undefined> {
  yield* sleepIn(kernel, durationUs);
  return undefined;
}

function sleepIn(kernel: NetKernel, durationUs: number): Task<void> {
  return wait<void>((resume) => {
    const timer = kernel.schedule(durationUs, () => resume());
    return () => timer.cancel();
  });
}
