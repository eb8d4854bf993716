import { EtcdEvent } from '../../../src/etcd/events.ts';
import type { Program } from '../../../src/platform/containers.ts';
import { type Random, shuffled } from '../../../src/platform/random.ts';
import type { Node, SimCluster } from '../sim-cluster.ts';
import { Ambushes } from './ambushes.ts';
import { ArmedCrashes } from './armed-crashes.ts';
import { crashable } from './crash-points.ts';
import type { StrikeKind } from './plan.ts';

const SECOND = 1_000_000;
const HOUR = 3600 * SECOND;

/** A segment of the log that is being made. */
const NEW_SEGMENT = /\/wal\/\d+\.tmp$/;

/** Breaks a cluster in every way that machines, disks, clocks and networks break, and mends it again. */
export class Strikes {
  readonly #random: Random;
  readonly #cluster: () => SimCluster;
  readonly #armed: ArmedCrashes;
  /** Undone when their time has come, or by {@link mendAll}. */
  readonly #mends = new Set<() => void>();
  readonly #ambushes: Ambushes;
  readonly told: string[] = [];
  #leader = '';
  /** When somebody came to lead last. */
  leadingSinceUs = 0;

  constructor(random: Random, cluster: () => SimCluster) {
    this.#random = random;
    this.#cluster = cluster;
    this.#armed = new ArmedCrashes(random);
    this.#ambushes = new Ambushes(random.stream('ambushes'), cluster, {
      hold: (mend, forUs) => this.#hold(mend, forUs),
      revive: (node) => this.revive(node),
      arm: (node, trigger) => this.#armed.after(node.name, trigger, 6),
      tell: (what) => this.#tell(what),
    });
  }

  /** Puts the crash points into a member's program. */
  readonly wrap = (program: Program, name: string): Program =>
    crashable(
      program,
      name,
      (member, kind, path) => this.#armed.fate(member, kind, path),
      (member) => this.#crashAndReturn(member),
    );

  /** Follows who leads, since leaders are the better targets. */
  follow(): void {
    const { sim } = this.#cluster();
    sim.on(EtcdEvent.BecameLeader, (event) => {
      this.#leader = event.source.split('/')[0]!.split('#')[0]!;
      this.leadingSinceUs = sim.nowUs;
    });
    this.#ambushes.follow();
  }

  /** Returns how long it has to be left alone to have its effect. */
  strike(kind: StrikeKind): number {
    const node = this.#target();
    const forUs = this.#random.int(150_000, 3 * SECOND);
    this.#tell(`${kind} ${node.name} ${forUs}`);
    if (kind === 'cut-in-transfer' || kind === 'dark-with-laggard') return this.#ambushes.lay(kind, this.#follower());
    if (kind === 'long-pause') return this.#pause(this.#leading() ?? node);
    const mend = this.#begin(kind, node, forUs);
    if (mend !== undefined) this.#hold(mend, forUs);
    return 0;
  }

  /** Longer than a short lease lives: whoever led believes that the leases it knew are over. */
  #pause(node: Node): number {
    const forUs = this.#random.int(3 * SECOND, 6 * SECOND);
    this.#hold(this.#stopMachines(this.#random.chance(500_000) ? 'stop' : 'freeze', node), forUs);
    return forUs + SECOND;
  }

  #tell(what: string): void {
    this.told.push(`${this.#cluster().sim.nowUs} ${what}`);
  }

  /** Mends after a time, or with everything else. */
  #hold(mend: () => void, forUs: number): void {
    const { sim } = this.#cluster();
    const once = (): void => {
      if (this.#mends.delete(once)) mend();
    };
    this.#mends.add(once);
    sim.schedule(sim.nowUs + forUs, once);
  }

  /** Everything is whole again, and every member that should run does. */
  mendAll(): void {
    this.#armed.clear();
    this.#ambushes.giveUp();
    for (const mend of [...this.#mends]) mend();
    const { sim, nodes } = this.#cluster();
    sim.network.faults.healAll();
    for (const node of nodes) this.revive(node);
  }

  /** Starts a machine and its member unless they run; one that was removed stays away. */
  revive(node: Node): void {
    if (node.args.length === 0) return;
    node.station.powerOn();
    const { process } = node;
    if (process !== undefined && !process.gate.closed) return;
    if (process?.exit.peek()?.code !== 0) this.#cluster().start(node);
  }

  #target(): Node {
    const leader = this.#leading();
    if (leader !== undefined && this.#random.chance(500_000)) return leader;
    const nodes = this.#cluster().serving;
    return nodes[this.#random.int(0, nodes.length - 1)]!;
  }

  /** One that does not lead, if there is one. */
  #follower(): Node {
    const nodes = this.#cluster().serving;
    const followers = nodes.filter((node) => node.name !== this.#leader);
    return followers.length === 0 ? nodes[0]! : followers[this.#random.int(0, followers.length - 1)]!;
  }

  #leading(): Node | undefined {
    return this.#cluster().serving.find((node) => node.name === this.#leader);
  }

  #begin(kind: StrikeKind, node: Node, forUs: number): (() => void) | undefined {
    switch (kind) {
      case 'power':
      case 'kill':
      case 'stop':
      case 'freeze':
      case 'blackout':
        return this.#stopMachines(kind, node);
      case 'crash-in-write':
      case 'crash-in-sync':
        this.#armed.at(node.name, kind === 'crash-in-write' ? 'write' : 'sync', 40);
        return undefined;
      case 'cut-after-rotation':
        this.#armed.after(node.name, NEW_SEGMENT, 12);
        return undefined;
      case 'disk-full':
      case 'sync-error':
      case 'slow-disk':
        return this.#spoilDisk(kind, node);
      case 'clock-jump':
        node.station.chassis.stepClock(this.#random.int(-HOUR, HOUR), 'fault', this.#random.chance(500_000));
        return undefined;
      case 'clock-drift':
        node.station.chassis.setDrift(this.#random.int(-500, 500));
        return undefined;
      case 'lag-behind':
        return this.#cutOff(node, 'isolate');
      default:
        return this.#spoilNetwork(kind, node, forUs);
    }
  }

  #stopMachines(kind: StrikeKind, node: Node): () => void {
    const cluster = this.#cluster();
    const { station } = node;
    if (kind === 'power') {
      station.powerOff();
      return () => this.revive(node);
    }
    if (kind === 'kill') {
      cluster.kill(node);
      return () => this.revive(node);
    }
    if (kind === 'stop') {
      const { process } = node;
      process?.signal('SIGSTOP');
      return () => process?.signal('SIGCONT');
    }
    if (kind === 'freeze') {
      station.freeze();
      return () => station.thaw();
    }
    for (const each of cluster.nodes) each.station.powerOff();
    return () => {
      for (const each of cluster.nodes) this.revive(each);
    };
  }

  #spoilDisk(kind: StrikeKind, node: Node): () => void {
    const { faults } = node.station.disk;
    if (kind === 'disk-full') faults.full = true;
    else if (kind === 'sync-error') faults.errorPpm.sync = 200_000;
    else
      faults.slowSync = {
        points: [
          [0, 1_000],
          [1_000_000, 400_000],
        ],
      };
    return () => {
      faults.full = false;
      faults.errorPpm.sync = 0;
      faults.slowSync = undefined;
      this.revive(node);
    };
  }

  #spoilNetwork(kind: StrikeKind, node: Node, forUs: number): () => void {
    const { faults } = this.#cluster().sim.network;
    const others = this.#cluster().namesBeside(node);
    switch (kind) {
      case 'isolate':
      case 'one-way-in':
      case 'one-way-out':
        return this.#cutOff(node, kind);
      case 'split': {
        const names = shuffled(this.#random, [node.name, ...others]);
        const cut = this.#random.int(1, Math.max(1, names.length - 1));
        const split = faults.partition(names.slice(0, cut), names.slice(cut));
        return () => split.heal();
      }
      case 'bridge': {
        // Two members do not see each other, everybody else sees both.
        const bridge = faults.partition([node.name], others.slice(0, 1));
        return () => bridge.heal();
      }
      case 'clog': {
        const clogs = [faults.clog([node.name], others), faults.clog(others, [node.name])];
        return () => {
          for (const clog of clogs) clog.heal();
        };
      }
      case 'flap': {
        const flap = faults.flap(
          [node.name],
          others,
          this.#random.int(50_000, 700_000),
          this.#random.int(50_000, forUs),
        );
        return () => flap.heal();
      }
      default: {
        const effect = {
          delayUs: this.#random.int(0, 150_000),
          jitterUs: 100_000,
          lossPpm: this.#random.int(0, 300_000),
        };
        const slow = [faults.degrade([node.name], others, effect), faults.degrade(others, [node.name], effect)];
        return () => {
          for (const link of slow) link.heal();
        };
      }
    }
  }

  /** From the other members; every other time from the clients too. */
  #cutOff(node: Node, kind: StrikeKind): () => void {
    const { faults } = this.#cluster().sim.network;
    const rest = this.#random.chance(300_000) ? '*' : this.#cluster().namesBeside(node);
    const cut =
      kind === 'one-way-in'
        ? faults.partitionOneWay(rest, [node.name])
        : kind === 'one-way-out'
          ? faults.partitionOneWay([node.name], rest)
          : faults.partition([node.name], rest);
    return () => cut.heal();
  }

  #crashAndReturn(member: string): void {
    const cluster = this.#cluster();
    const node = cluster.nodes.find((other) => other.name === member)!;
    this.#tell(`crash ${member}`);
    node.station.powerOff();
    this.#hold(() => this.revive(node), this.#random.int(10_000, 2 * SECOND));
  }
}
