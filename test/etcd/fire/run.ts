import type { Random } from '../../../src/platform/random.ts';
import type { Task } from '../../../src/platform/task.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import { clientUrl, type Node, SimCluster } from '../sim-cluster.ts';
import { learnerIsNoVoter, refusesDamage, restartAll } from './aftermath.ts';
import { Checks, type Problem } from './checks.ts';
import { Ending } from './ending.ts';
import { goesOnWithLaggard } from './laggard.ts';
import type { FirePlan } from './plan.ts';
import { aloneAfterAll, restoredFrom } from './rebirth.ts';
import { RecordedClient } from './recorded-client.ts';
import { Replacement } from './replacement.ts';
import { Strikes } from './strikes.ts';
import { Administrator, unlessRefused } from './traffic/administrator.ts';
import { ClientWatch } from './traffic/client-watch.ts';
import { KeyTraffic } from './traffic/keys.ts';
import { LeaseTraffic } from './traffic/leases.ts';
import { Registers, RegisterTraffic } from './traffic/registers.ts';
import { WatchTraffic } from './traffic/watches.ts';

const SECOND = 1_000_000;
/** A channel that has failed for long pauses for as long before its next attempt (corrections.md 1a-36). */
const RECONNECTION_US = 30 * SECOND;

/** What one run showed. */
export interface FireReport {
  readonly problems: readonly Problem[];
  readonly answered: number;
  readonly applied: number;
  readonly watched: number;
  readonly searched: number;
  /** Alarms that the administrator found. */
  readonly alarms: number;
  readonly told: readonly string[];
  readonly digest: string;
}

export interface FireOptions {
  readonly strictWire?: boolean;
  /** Called at the start and before the end, for looking at a seed. */
  readonly atStart?: (cluster: SimCluster) => void;
  readonly atEnd?: (cluster: SimCluster) => void;
}

/** Clients at work while machines, disks, clocks and networks break; then everything heals and has to be right. */
export function underFire(plan: FirePlan, options: FireOptions = {}): FireReport {
  const fire = new Fire(plan, options);
  try {
    return fire.run();
  } finally {
    fire.close();
  }
}

class Fire {
  readonly #plan: FirePlan;
  readonly #options: FireOptions;
  readonly #random: Random;
  readonly #checks = new Checks();
  readonly #strikes: Strikes;
  readonly #cluster: SimCluster;
  readonly #clients: RecordedClient[] = [];
  readonly #watches: WatchTraffic[] = [];
  readonly #clientWatches: ClientWatch[] = [];
  #replacement: Replacement | undefined;
  #administrator: Administrator | undefined;
  #resting = false;

  constructor(plan: FirePlan, options: FireOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#random = new KeyedRandom(String(plan.seed + 1), 'fire/run');
    this.#strikes = new Strikes(this.#random.stream('strikes'), () => this.#cluster);
    this.#cluster = new SimCluster({
      seed: plan.seed + 1,
      size: plan.size,
      spare: plan.spare,
      flags: plan.flags,
      observer: this.#checks.order,
      walSegmentBytes: plan.walSegmentBytes,
      strictWire: options.strictWire ?? false,
      digest: 'fast',
      wants: () => false,
      wrap: this.#strikes.wrap,
    });
    this.#checks.attach(this.#cluster.sim);
    this.#strikes.follow();
    options.atStart?.(this.#cluster);
  }

  close(): void {
    this.#cluster.close();
  }

  run(): FireReport {
    const { sim, nodes } = this.#cluster;
    for (const node of nodes) node.station.disk.faults.crashMode = this.#plan.tornWrites ? 'torn' : 'drop';
    this.#startTraffic();
    sim.runFor(1_500_000);
    for (let round = 0; round < this.#plan.rounds; round++) {
      const { strikes } = this.#plan;
      const lastsUs = this.#strikes.strike(strikes[this.#random.int(0, strikes.length - 1)]!);
      sim.runFor(Math.max(lastsUs, this.#random.int(200_000, 2_500_000)));
    }
    this.#end();
    return {
      problems: this.#checks.problems,
      answered: this.#clients.reduce((sum, client) => sum + client.answered, 0),
      applied: this.#checks.order.position,
      watched: this.#watches.reduce((sum, watch) => sum + watch.events, 0),
      searched: this.#checks.histories.searched,
      alarms: this.#administrator?.alarmsSeen ?? 0,
      told: this.#strikes.told,
      digest: sim.digest(),
    };
  }

  #startTraffic(): void {
    for (let i = 0; i < 3; i++) this.#startKeys(i);
    const registers = new Registers();
    for (let i = 0; i < 3; i++) this.#startRegisters(i, registers);
    for (let i = 0; i < 2; i++) this.#startLeases(i);
    for (let i = 0; i < 3; i++) this.#startWatches(i);
    const watch = new ClientWatch(this.#client(0).client, this.#checks, 'client watch');
    this.#clientWatches.push(watch);
    this.#cluster.spawn('client-watch', () => watch.run());
    this.#startAdministrator();
    if (this.#plan.replacesMembers) {
      this.#replacement = new Replacement(this.#cluster, this.#client(0).client, this.#random.stream('replacement'));
      const replacement = this.#replacement;
      this.#cluster.spawn('replacement', () => replacement.run());
    }
  }

  /** Bound to one member, or to all: by number. */
  #client(number: number): RecordedClient {
    const { ops, nodes } = this.#cluster;
    const members = nodes.slice(0, this.#plan.size);
    const chosen: readonly Node[] = number % 2 === 0 ? nodes : [members[(number >> 1) % members.length]!];
    const endpoints = chosen.map(clientUrl);
    // One that waits longer is still there when a member that was stopped goes on.
    const client = new RecordedClient(this.#checks, ops, endpoints, number % 4 < 2 ? SECOND : 3 * SECOND);
    this.#clients.push(client);
    return client;
  }

  #startKeys(i: number): void {
    const traffic = new KeyTraffic(this.#client(i), this.#random.stream(`keys-${i}`), `w${i}`);
    this.#repeat(`keys-${i}`, () => traffic.step());
  }

  #startRegisters(i: number, registers: Registers): void {
    const random = this.#random.stream(`registers-${i}`);
    const traffic = new RegisterTraffic(this.#client(i * 2 + 1), this.#checks, random, registers, `r${i}`);
    this.#repeat(`registers-${i}`, () => traffic.step());
  }

  #startLeases(i: number): void {
    const random = this.#random.stream(`leases-${i}`);
    const traffic = new LeaseTraffic(this.#client(i + 2), this.#cluster.ops.clock, random, `e${i}`);
    this.#repeat(`leases-${i}`, () => traffic.step());
  }

  #startWatches(i: number): void {
    const { ops, nodes } = this.#cluster;
    const members = nodes.slice(0, this.#plan.size);
    const channel = this.#cluster.channel(...(i === 0 ? nodes : [members[i % members.length]!]));
    const random = this.#random.stream(`watches-${i}`);
    const watch = new WatchTraffic(channel, this.#checks, ops.clock, random, `watch ${i}`);
    this.#watches.push(watch);
    const self = this;
    this.#cluster.spawn(`watches-${i}`, function* (): Task<void> {
      for (;;) yield* watch.step(self.#resting);
    });
    this.#cluster.spawn(`progress-${i}`, function* (): Task<void> {
      for (;;) {
        yield* ops.clock.sleep(random.int(50_000, 300_000));
        watch.askProgress();
      }
    });
  }

  #startAdministrator(): void {
    const { ops, nodes } = this.#cluster;
    const endpoints = nodes.map(clientUrl);
    const random = this.#random.stream('administrator');
    const { hasQuota } = this.#plan;
    const administrator = new Administrator(this.#client(0), this.#checks, ops.clock, random, endpoints, hasQuota);
    this.#administrator = administrator;
    this.#repeat('administrator', () => administrator.step());
  }

  /** One request after the other, until the end. */
  #repeat(name: string, step: () => Task<unknown>): void {
    const { clock } = this.#cluster.ops;
    const random = this.#random.stream(`${name}/pause`);
    const self = this;
    this.#cluster.spawn(name, function* (): Task<void> {
      while (!self.#resting) {
        yield* step();
        yield* clock.sleep(random.int(0, self.#plan.pauseUs));
      }
    });
  }

  #end(): void {
    const { sim } = this.#cluster;
    this.#strikes.mendAll();
    const healedUs = sim.nowUs;
    sim.runFor(SECOND);
    this.#strikes.mendAll();
    this.#resting = true;
    const client = this.#client(0);
    const ending = new Ending(this.#cluster, this.#checks, client, () => this.#makeRoom());
    ending.writesAgain();
    if (this.#replacement !== undefined) ending.waitUntil(() => this.#replacement!.done, 'a replacement of a member');
    sim.runUntil(Math.max(sim.nowUs, healedUs + 9 * SECOND));
    ending.writesAgain();
    const isCurrent = (): boolean => this.#clientWatches.every((watch) => watch.isCurrent);
    sim.runUntil(isCurrent, { untilUs: sim.nowUs + RECONNECTION_US });
    for (const watch of this.#watches) watch.askProgress();
    sim.runFor(400_000);
    for (const watch of [...this.#watches, ...this.#clientWatches]) watch.finish();
    this.#checks.leases.finish(Math.max(healedUs, this.#strikes.leadingSinceUs));
    this.#options.atEnd?.(this.#cluster);
    ending.membersAgree();
    ending.survivesMinority(this.#random);
    restartAll(this.#cluster);
    ending.writesAgain();
    sim.runFor(SECOND);
    ending.membersAgree();
    this.#checks.histories.search();
    if (this.#checks.problems.length > 0) return;
    // What follows does harm: nothing is asked of the cluster afterwards.
    this.#harm(ending, client);
  }

  *#makeRoom(): Task<void> {
    if (this.#plan.hasQuota) yield* unlessRefused(this.#administrator!.makeRoom());
  }

  #harm(ending: Ending, client: RecordedClient): void {
    const parts = { cluster: this.#cluster, checks: this.#checks, ending, random: this.#random };
    const backup = this.#administrator?.backup;
    if (this.#plan.ending === 'damage') refusesDamage(this.#cluster, this.#checks, this.#random);
    else if (this.#plan.ending === 'learner') learnerIsNoVoter(this.#cluster, this.#checks, client.client);
    else if (this.#plan.ending === 'alone') aloneAfterAll(parts);
    else if (this.#plan.ending === 'laggard') goesOnWithLaggard(parts);
    else if (this.#plan.ending === 'restore' && backup !== undefined) restoredFrom(backup, parts);
  }
}
