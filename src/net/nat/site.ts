import { SECOND_US } from '../../platform/clock.ts';
import type { Endpoint } from '../../platform/net.ts';
import { hostPort } from '../../platform/net.ts';
import { type Cidr, contains, requireCidr } from '../address.ts';
import type { NatSpec } from '../types.ts';

export type Protocol = 'tcp' | 'udp';

/** Linux conntrack: a UDP flow that was never answered, one that was, and an established TCP connection. */
const UDP_UNREPLIED_US = 30 * SECOND_US;
const UDP_REPLIED_US = 120 * SECOND_US;
const TCP_ESTABLISHED_US = 432_000 * SECOND_US;

const FIRST_PORT = 1024;
const LAST_PORT = 65_535;

/** One conversation between an address inside and one outside, as the gateway remembers it. */
interface Flow {
  readonly inner: Endpoint;
  readonly publicPort: number;
  seenUs: number;
  replied: boolean;
}

/**
 * One site behind a public address, as Linux masquerades: the port of the sender is kept while it is free towards that
 * remote end, and only that remote end may answer; forwarded ports let everybody in.
 */
export class NatSite {
  readonly publicAddress: string;
  readonly #inside: Cidr;
  readonly #forwards: NatSpec['forwards'];
  readonly #outgoing = new Map<string, Flow>();
  readonly #incoming = new Map<string, Flow>();

  constructor(spec: NatSpec) {
    this.publicAddress = spec.publicAddress;
    this.#inside = requireCidr(spec.inside);
    this.#forwards = spec.forwards;
  }

  holds(address: Uint8Array): boolean {
    return contains(this.#inside, address);
  }

  /** The sender as `remote` sees it. */
  outgoing(protocol: Protocol, inner: Endpoint, remote: Endpoint, nowUs: number): Endpoint {
    let flow = this.#outgoing.get(outgoingKey(protocol, inner, remote));
    if (flow === undefined || isOver(flow, protocol, nowUs)) {
      flow = this.#begin(protocol, inner, remote, this.#portFor(protocol, inner, remote, nowUs), nowUs);
    }
    flow.seenUs = nowUs;
    return { address: this.publicAddress, port: flow.publicPort };
  }

  /** Whom a packet from `remote` to a public port is for; undefined when nobody asked for it. */
  incoming(protocol: Protocol, remote: Endpoint, port: number, nowUs: number): Endpoint | undefined {
    const flow = this.#incoming.get(incomingKey(protocol, port, remote));
    if (flow !== undefined && !isOver(flow, protocol, nowUs)) {
      flow.replied = true;
      flow.seenUs = nowUs;
      return flow.inner;
    }
    const forward = this.#forwards.find((rule) => rule.protocol === protocol && rule.port === port);
    if (forward === undefined) return undefined;
    this.#begin(protocol, forward.to, remote, port, nowUs).replied = true;
    return forward.to;
  }

  #begin(protocol: Protocol, inner: Endpoint, remote: Endpoint, publicPort: number, nowUs: number): Flow {
    const flow = { inner, publicPort, seenUs: nowUs, replied: false };
    this.#outgoing.set(outgoingKey(protocol, inner, remote), flow);
    this.#incoming.set(incomingKey(protocol, publicPort, remote), flow);
    return flow;
  }

  #portFor(protocol: Protocol, inner: Endpoint, remote: Endpoint, nowUs: number): number {
    for (let port = inner.port; ; port = port === LAST_PORT ? FIRST_PORT : port + 1) {
      const other = this.#incoming.get(incomingKey(protocol, port, remote));
      if (other === undefined || isOver(other, protocol, nowUs)) return port;
    }
  }
}

function outgoingKey(protocol: Protocol, inner: Endpoint, remote: Endpoint): string {
  return `${protocol}|${hostPort(inner)}|${hostPort(remote)}`;
}

function incomingKey(protocol: Protocol, port: number, remote: Endpoint): string {
  return `${protocol}|${port}|${hostPort(remote)}`;
}

function isOver(flow: Flow, protocol: Protocol, nowUs: number): boolean {
  const lifeUs = protocol === 'tcp' ? TCP_ESTABLISHED_US : flow.replied ? UDP_REPLIED_US : UDP_UNREPLIED_US;
  return nowUs - flow.seenUs > lifeUs;
}
