import { NetError } from '../platform/errors.ts';
import { hostPort } from '../platform/net.ts';
import { familyOf, isUnspecified } from './address.ts';

/** net.ipv4.ip_local_port_range. */
const EPHEMERAL_FIRST = 32_768;
const EPHEMERAL_COUNT = 28_232;

/** Bound sockets of one protocol in one network namespace, by port and address. */
export class PortTable<S> {
  #byPort = new Map<number, Map<string, S>>();
  #protocol: string;
  #next: number;

  /** `start` picks where the ephemeral range is entered. */
  constructor(protocol: string, start: number) {
    this.#protocol = protocol;
    this.#next = start % EPHEMERAL_COUNT;
  }

  /** Port to bind to; NetError `address-in-use`. A wildcard conflicts with every address it covers. */
  claim(address: string, port: number): number {
    if (port === 0) return this.freePort((candidate) => this.#isFree(address, candidate));
    if (!this.#isFree(address, port)) {
      const text = `listen ${this.#protocol} ${hostPort({ address, port })}: bind: address already in use`;
      throw new NetError('address-in-use', text);
    }
    return port;
  }

  #isFree(address: string, port: number): boolean {
    const bound = this.#byPort.get(port);
    if (bound === undefined) return true;
    for (const other of bound.keys()) if (covers(other, address) || covers(address, other)) return false;
    return true;
  }

  /** The next ephemeral port that passes the test; NetError `address-in-use` when none does. */
  freePort(isFree: (port: number) => boolean): number {
    for (let tries = 0; tries < EPHEMERAL_COUNT; tries++) {
      const port = EPHEMERAL_FIRST + this.#next;
      this.#next = (this.#next + 1) % EPHEMERAL_COUNT;
      if (!this.#byPort.has(port) && isFree(port)) return port;
    }
    throw new NetError('address-in-use', `${this.#protocol}: no free port`);
  }

  add(address: string, port: number, socket: S): void {
    let bound = this.#byPort.get(port);
    if (bound === undefined) {
      bound = new Map();
      this.#byPort.set(port, bound);
    }
    bound.set(address, socket);
  }

  remove(address: string, port: number): void {
    const bound = this.#byPort.get(port);
    if (bound?.delete(address) === true && bound.size === 0) this.#byPort.delete(port);
  }

  /** The socket that takes what arrives for an address: bound to it, else to its family's wildcard, else to `::`. */
  find(address: string, port: number): S | undefined {
    const bound = this.#byPort.get(port);
    if (bound === undefined) return undefined;
    return bound.get(address) ?? (familyOf(address) === 4 ? bound.get('0.0.0.0') : undefined) ?? bound.get('::');
  }

  all(): readonly S[] {
    const sockets: S[] = [];
    for (const bound of this.#byPort.values()) sockets.push(...bound.values());
    return sockets;
  }
}

/** Whether a socket bound to `a` would also get what is sent to `b`; `::` takes IPv4 too (bindv6only = 0). */
function covers(a: string, b: string): boolean {
  if (a === b || a === '::') return true;
  return isUnspecified(a) && familyOf(b) === 4;
}
