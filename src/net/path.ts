import type { Endpoint } from '../platform/net.ts';
import { isLoopback } from './address.ts';
import type { NetKernel } from './kernel.ts';
import type { Lane } from './lane.ts';
import type { Namespace } from './namespace.ts';
import type { Passage } from './nat/nat.ts';
import type { Neighbour } from './neighbour.ts';
import type { Nic } from './nic.ts';

/** More routers than this between two hosts are taken for a loop. */
const HOP_LIMIT = 8;

/**
 * The way from one address to another as it is now, remembered by a connection. It holds while nothing changed in the
 * network ({@link networkVersion}) or in the ARP cache of a kernel on the way, and no entry has aged.
 */
export class Path {
  readonly networkVersion: number;
  validUntilUs = Number.MAX_SAFE_INTEGER;
  /** Everything on the way works, so that a segment sent now arrives: one event is enough for it. */
  plain = false;
  /** Smallest latency of the whole way. */
  minUs = 0;
  /** The last card; undefined on a path within one kernel. */
  nic: Nic | undefined;
  /** How the two ends look behind the routers, where those translate addresses. */
  passage: Passage | undefined;
  readonly lanes: Lane[] = [];
  readonly neighbours: Neighbour[] = [];
  readonly #kernels: NetKernel[] = [];
  readonly #versions: number[] = [];

  constructor(networkVersion: number) {
    this.networkVersion = networkVersion;
  }

  /** Whether it may still be relied on. */
  isValid(networkVersion: number, nowUs: number): boolean {
    if (this.networkVersion !== networkVersion || nowUs >= this.validUntilUs) return false;
    for (let i = 0; i < this.#kernels.length; i++) {
      if (this.#kernels[i]!.neighbourVersion !== this.#versions[i]) return false;
    }
    return true;
  }

  /** Delay of a data segment over the whole way. */
  segmentDelayUs(nowUs: number, sizeBytes: number): number {
    const lanes = this.lanes;
    let delayUs = lanes[0]!.segmentDelayUs(nowUs, sizeBytes);
    for (let i = 1; i < lanes.length; i++) delayUs += lanes[i]!.segmentDelayUs(nowUs + delayUs, sizeBytes);
    return delayUs;
  }

  /** Whether so many bytes go along with those just sent; if so the wire is busy with them as well. */
  carriesAlong(nowUs: number, sentBytes: number, sizeBytes: number): boolean {
    return this.lanes.length === 1 && this.lanes[0]!.carriesAlong(nowUs, sentBytes, sizeBytes);
  }

  /** Data came through and was acknowledged: the neighbours on the way are there (as TCP confirms them on Linux). */
  confirm(nowUs: number): void {
    const neighbours = this.neighbours;
    for (let i = 0; i < neighbours.length; i++) neighbours[i]!.confirmedAtUs = nowUs;
  }

  /** Adds a hop; false when it cannot be passed now. */
  addHop(kernel: NetKernel, target: string, bytes: Uint8Array, nowUs: number): boolean {
    const hop = kernel.routeTable.lookup(target, bytes, kernel.links);
    if (hop === undefined) return false;
    const neighbour = hop.link.neighbour(hop.address);
    const isKnown = neighbour.use(nowUs);
    this.#kernels.push(kernel);
    this.#versions.push(kernel.neighbourVersion);
    if (!isKnown || !hop.link.nic.plugged) return false;
    this.neighbours.push(neighbour);
    this.validUntilUs = Math.min(this.validUntilUs, neighbour.validUntilUs());
    const nic = hop.link.nic.segment.byMac(neighbour.mac);
    if (nic === undefined) return false;
    const lane = hop.link.nic.laneTo(nic);
    this.lanes.push(lane);
    this.minUs += lane.minUs;
    this.nic = nic;
    return lane.plain;
  }
}

/** Finds the way; starts ARP on the way where it is needed. */
export function findPath(from: Namespace, local: Endpoint, remote: Endpoint, nowUs: number): Path {
  const source = local.address;
  let target = remote.address;
  const network = from.kernel.network;
  const path = new Path(network.version);
  if (from.isLocalTarget(target)) {
    path.lanes.push(from.loopback);
    path.minUs = from.loopback.minUs;
    path.plain = isLoopback(target) || from.kernel.ownerOf(target) !== undefined;
    return path;
  }
  if (from.kernel.ownerOf(source) !== from) return path;
  let bytes = network.bytesOf(target);
  // What a tunnel wraps goes packet by packet: the tunnel counts, keeps its own timers, may have no session.
  if (from.kernel.tunnel?.takes(target) === true) return path;
  let kernel = from.kernel;
  for (let hops = 0; hops < HOP_LIMIT; hops++) {
    if (!path.addHop(kernel, target, bytes, nowUs)) return path;
    const next = path.nic!.kernel;
    if (next === undefined) return path;
    if (next.nat !== undefined) {
      const seen = path.passage ?? { from: local, to: remote };
      const passage = next.nat.translate('tcp', seen.from, seen.to, nowUs);
      if (passage === undefined) return path;
      path.passage = passage;
      target = passage.to.address;
      bytes = network.bytesOf(target);
    }
    if (next.ownerOf(target) !== undefined) {
      path.plain = true;
      return path;
    }
    if (!next.forwards) return path;
    kernel = next;
  }
  return path;
}
