import { Bug } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import { addressBytes, contains, parseCidr } from './address.ts';
import type { NetDeps } from './deps.ts';
import { FaultRules } from './fault-rules.ts';
import type { NetworkFaults } from './faults.ts';
import { NetKernel } from './kernel.ts';
import type { Lane } from './lane.ts';
import { lanLatency } from './latency.ts';
import { macFor } from './mac.ts';
import { Names } from './names.ts';
import { Nat } from './nat/nat.ts';
import { Faults } from './network-faults.ts';
import { Nic } from './nic.ts';
import type { Packet } from './packet.ts';
import { Segment } from './segment.ts';
import type { KernelControl, NetworkControl, NodeSpec, RouterSpec, SegmentSpec } from './types.ts';

const DEFAULT_BANDWIDTH_BYTES_PER_SEC = 1_250_000_000;
const DEFAULT_MTU_BYTES = 1_500;

interface Node {
  readonly name: string;
  readonly nics: readonly Nic[];
  boots: number;
  kernel: NetKernel | undefined;
}

/** Segments, hosts, routers and the faults between them. */
export class Network implements NetworkControl {
  readonly deps: NetDeps;
  readonly rules = new FaultRules();
  readonly names = new Names();
  readonly faults: NetworkFaults;
  /** Counts every change of hosts, addresses, routes, links and faults. What was worked out for an older one is looked at again. */
  version = 0;
  #segments = new Map<string, Segment>();
  #nodes = new Map<string, Node>();
  #clogged = new Set<Lane>();
  #deaf = new Map<string, number>();
  #bytes = new Map<string, Uint8Array>();

  constructor(deps: NetDeps) {
    this.deps = deps;
    this.faults = new Faults(this);
  }

  addSegment(spec: SegmentSpec): void {
    if (this.#segments.has(spec.name)) throw new Bug(`segment ${spec.name} exists already`);
    const base = {
      latency: spec.latency ?? lanLatency,
      bandwidthBytesPerSec: spec.bandwidthBytesPerSec ?? DEFAULT_BANDWIDTH_BYTES_PER_SEC,
    };
    this.#segments.set(spec.name, new Segment(spec.name, base, this.deps.random.stream(spec.name)));
  }

  segment(name: string): Segment {
    const segment = this.#segments.get(name);
    if (segment === undefined) throw new Bug(`no segment ${name}`);
    return segment;
  }

  addNode(spec: NodeSpec): void {
    if (this.#nodes.has(spec.name)) throw new Bug(`node ${spec.name} exists already`);
    const nics = spec.nics.map((nic) => {
      const segment = this.segment(nic.segment);
      const mac = nic.mac ?? macFor(spec.name, nic.link);
      if (segment.byMac(mac) !== undefined) throw new Bug(`MAC ${mac} is twice on segment ${segment.name}`);
      const card = new Nic(this, spec.name, nic.link, mac, segment, nic.mtuBytes ?? DEFAULT_MTU_BYTES);
      segment.attach(card);
      return card;
    });
    this.#nodes.set(spec.name, { name: spec.name, nics, boots: 0, kernel: undefined });
    this.changed();
  }

  /** Takes a node out of the network with its cards. */
  removeNode(name: string): void {
    const node = this.#node(name);
    node.kernel?.powerOff();
    for (const nic of node.nics) nic.segment.detach(nic);
    this.#nodes.delete(name);
    this.changed();
  }

  addRouter(spec: RouterSpec): void {
    const nics = spec.ports.map((port, index) => ({ link: `eth${index}`, segment: port.segment }));
    this.addNode({ name: spec.name, nics });
    const kernel = this.#start(spec.name, true);
    spec.ports.forEach((port, index) => {
      kernel.settings.addAddress(`eth${index}`, port.address);
    });
    for (const { publicAddress } of spec.nats ?? []) {
      const outside = spec.ports.findIndex((port) => reaches(port.address, publicAddress));
      if (outside < 0) throw new Bug(`router ${spec.name}: no port is in the network of ${publicAddress}`);
      kernel.settings.addAddress(`eth${outside}`, `${publicAddress}/32`);
    }
    if (spec.nats !== undefined) kernel.nat = new Nat(spec.nats);
    for (const route of spec.routes ?? []) {
      const link = kernel.links.find((candidate) =>
        candidate.addresses.some((cidr) => reaches(cidr.text, route.gateway)),
      );
      if (link === undefined) throw new Bug(`router ${spec.name}: no port reaches gateway ${route.gateway}`);
      kernel.settings.addRoute({ ...route, link: link.name, metric: 0 });
    }
  }

  boot(name: string): NetKernel {
    return this.#start(name, false);
  }

  #start(name: string, forwards: boolean): NetKernel {
    const node = this.#node(name);
    node.kernel?.powerOff();
    node.boots++;
    const random = this.#randomOf(name).stream(`boot-${node.boots}`);
    const kernel = new NetKernel(this, name, node.nics, random, forwards);
    node.kernel = kernel;
    this.changed();
    return kernel;
  }

  #randomOf(node: string): Random {
    return this.deps.random.stream(`node/${node}`);
  }

  #node(name: string): Node {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Bug(`no node ${name} in the network`);
    return node;
  }

  kernelOf(name: string): KernelControl | undefined {
    return this.liveKernel(name);
  }

  /** Like {@link kernelOf}, for the network itself. */
  liveKernel(name: string): NetKernel | undefined {
    const kernel = this.#nodes.get(name)?.kernel;
    return kernel?.alive === true ? kernel : undefined;
  }

  nicOf(node: string, link: string): Nic {
    const nic = this.#node(node).nics.find((candidate) => candidate.linkName === link);
    if (nic === undefined) throw new Bug(`node ${node} has no link ${link}`);
    return nic;
  }

  nodeNames(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  /** Bytes of a canonical address; the same addresses are asked for again and again. */
  bytesOf(address: string): Uint8Array {
    let bytes = this.#bytes.get(address);
    if (bytes === undefined) {
      bytes = addressBytes(address);
      this.#bytes.set(address, bytes);
    }
    return bytes;
  }

  /** Something that paths rely on is different now. */
  changed(): void {
    this.version++;
  }

  /** The active rules changed: what clogged lanes held goes on where they are open again. */
  rulesChanged(): void {
    this.changed();
    for (const lane of [...this.#clogged]) {
      lane.refresh(this.rules);
      if (lane.clogged) continue;
      this.#clogged.delete(lane);
      for (const packet of lane.unpark()) {
        if (lane.blocked) packet.lost();
        else this.launch(packet, lane);
      }
    }
  }

  park(lane: Lane, packet: Packet): void {
    lane.park(packet);
    this.#clogged.add(lane);
  }

  /** Puts a packet into the air of a lane. */
  launch(packet: Packet, lane: Lane): void {
    const { scheduler } = this.deps;
    const nowUs = scheduler.nowUs();
    const atUs = packet.inOrder(nowUs + lane.delayUs(nowUs, packet.sizeBytes, packet.messageClass));
    scheduler.post(atUs - nowUs, packet);
  }

  /** While at least one fault says so, announcements do not reach the node. */
  losesAnnouncements(node: string): boolean {
    return (this.#deaf.get(node) ?? 0) > 0;
  }

  countDeaf(node: string, change: 1 | -1): void {
    this.#deaf.set(node, (this.#deaf.get(node) ?? 0) + change);
  }
}

function reaches(network: string, gateway: string | undefined): boolean {
  const cidr = parseCidr(network);
  const target = gateway === undefined ? null : parseCidr(`${gateway}/${gateway.includes(':') ? 128 : 32}`);
  return cidr !== null && target !== null && contains(cidr, target.bytes);
}
