import { describe, expect, it } from 'vitest';
import { createSimRpc } from '../../../src/rpc/over-connections/rpc.ts';
import { discoveryService } from '../../../src/services/discovery/program.ts';
import { createSimCrypto } from '../../../src/sim/crypto/crypto.ts';
import type { SimProcess } from '../../../src/sim/kernel/process.ts';
import type { Station } from '../../../src/sim/machine/station.ts';
import { Simulation } from '../../../src/sim/simulation.ts';
import { member } from './member-program.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const SERVICE = '10.0.0.9';

/** The service on one machine, members on others. */
class Lab {
  readonly simulation: Simulation;
  readonly service: Station;
  #process: SimProcess | undefined;
  readonly #flags: readonly string[];

  constructor(seed: string, flags: readonly string[] = [], strictWire = false) {
    this.#flags = flags;
    const crypto = createSimCrypto('verification');
    this.simulation = new Simulation({
      seed,
      createRpc: (deps) => createSimRpc({ ...deps, crypto, strictWire }),
      images: () => undefined,
      digest: 'full',
    });
    this.simulation.network.addSegment({ name: 'lan' });
    this.service = this.#station('discovery', SERVICE);
    this.startService();
  }

  #station(name: string, address: string): Station {
    return this.simulation.addStation({
      name,
      nics: [{ link: 'eth0', segment: 'lan' }],
      memoryBytes: 1e9,
      addresses: [{ link: 'eth0', cidr: `${address}/24` }],
    });
  }

  startService(): void {
    const args = ['discovery-service', ...this.#flags];
    this.#process = this.service.run({ name: 'discovery-service', program: discoveryService, args });
  }

  get process(): SimProcess {
    return this.#process!;
  }

  start(...names: readonly string[]): Member[] {
    return names.map((name, i) => {
      const station = this.#station(name, `10.0.0.${10 + i}`);
      const args = ['member', SERVICE, '3000', 'cluster', name];
      return new Member(this.simulation, station, station.run({ name: 'member', program: member, args })!);
    });
  }

  run(durationUs: number): void {
    this.simulation.runFor(durationUs);
  }
}

class Member {
  readonly station: Station;
  readonly process: SimProcess;
  readonly #simulation: Simulation;

  constructor(simulation: Simulation, station: Station, process: SimProcess) {
    this.#simulation = simulation;
    this.station = station;
    this.process = process;
  }

  get sees(): string {
    return this.process.lines.tail(1)[0] ?? 'nothing yet';
  }

  /** How often it was told something; a new connection begins with the whole view. */
  get told(): number {
    return this.process.lines.tail(1_000).length;
  }

  /** How long until it sees exactly this; -1 when it does not within the limit. */
  until(view: string, limitUs: number): number {
    const startUs = this.#simulation.nowUs;
    this.#simulation.runUntil(() => this.sees === view, { untilUs: startUs + limitUs });
    return this.sees === view ? this.#simulation.nowUs - startUs : -1;
  }
}

describe('the discovery service in a simulation', () => {
  it('members see each other within seconds of their start', () => {
    const lab = new Lab('1');
    const [a, b, c] = lab.start('a', 'b', 'c');
    lab.run(5 * SECOND);
    expect([a!.sees, b!.sees, c!.sees]).toEqual(['sees b c', 'sees a c', 'sees a b']);
    expect(a!.told).toBeLessThanOrEqual(4); // the view, the news of itself, of b and of c: one connection
    lab.simulation.close();
  });

  it('a member that leaves is gone at once; one that is killed stays for the rest of its time to live', () => {
    const lab = new Lab('2');
    const [a, b, c] = lab.start('a', 'b', 'c');
    lab.run(5 * SECOND);
    b!.process.signal('SIGTERM');
    expect(a!.until('sees c', 10 * SECOND)).toBeGreaterThanOrEqual(0);
    lab.run(10 * MINUTE);
    c!.process.kill();
    const leftUs = a!.until('sees nobody', 40 * MINUTE);
    expect(leftUs).toBeGreaterThan(19 * MINUTE);
    expect(leftUs).toBeLessThan(21 * MINUTE + 5 * SECOND);
    lab.simulation.close();
  });

  it('the service is killed and started again: views stay, then everybody is back', () => {
    const lab = new Lab('3');
    const [a, b] = lab.start('a', 'b');
    lab.run(5 * SECOND);
    const before = [a!.told, b!.told];
    lab.process.kill();
    lab.run(10 * SECOND);
    expect([a!.sees, b!.sees]).toEqual(['sees b', 'sees a']);
    expect([a!.told, b!.told]).toEqual(before);
    lab.startService();
    lab.run(90 * SECOND);
    expect([a!.sees, b!.sees]).toEqual(['sees b', 'sees a']);
    expect(a!.told).toBeGreaterThan(before[0]!);
    const views = a!.process.lines.tail(100);
    // Twice a connection at most: what the service has at first, and the echo of the member's own record.
    expect(views.filter((line) => line === 'sees nobody').length).toBeLessThanOrEqual(4);
    lab.simulation.close();
  });

  it('a stopped service is not noticed for minutes; then members give it up and come back', () => {
    const lab = new Lab('4');
    const [a, b] = lab.start('a', 'b');
    lab.run(5 * SECOND);
    const before = [a!.told, b!.told];
    lab.process.signal('SIGSTOP');
    lab.run(2 * MINUTE);
    lab.process.signal('SIGCONT');
    lab.run(10 * SECOND);
    expect([a!.told, b!.told]).toEqual(before);
    lab.process.signal('SIGSTOP');
    lab.run(4 * MINUTE);
    expect([a!.sees, b!.sees]).toEqual(['sees b', 'sees a']);
    lab.process.signal('SIGCONT');
    lab.run(2 * MINUTE);
    expect([a!.sees, b!.sees]).toEqual(['sees b', 'sees a']);
    expect(a!.told).toBeGreaterThan(before[0]!);
    expect(b!.told).toBeGreaterThan(before[1]!);
    lab.simulation.close();
  });

  it('a power cut is silent: members notice by their pings; what was written down is there again', () => {
    const lab = new Lab('5', ['--snapshots-enabled', '--snapshot-interval=1m']);
    const [a, b, c] = lab.start('a', 'b', 'c');
    lab.run(90 * SECOND);
    const before = a!.told;
    c!.station.powerOff();
    lab.service.powerOff();
    lab.run(10 * SECOND);
    lab.service.powerOn();
    lab.startService();
    // The last news came about 90 s ago: the next ping is due 180 s after that, and the new kernel answers with RST.
    lab.run(70 * SECOND);
    expect(a!.told).toBe(before);
    lab.run(2 * MINUTE);
    expect(a!.told).toBeGreaterThan(before);
    // c is dead, but its time to live is not over: the service knows it from before the cut.
    expect([a!.sees, b!.sees]).toEqual(['sees b c', 'sees a c']);
    lab.simulation.close();
  });

  it('a power cut without snapshots: only the living come back', () => {
    const lab = new Lab('6');
    const [a, b, c] = lab.start('a', 'b', 'c');
    lab.run(90 * SECOND);
    c!.station.powerOff();
    lab.service.powerOff();
    lab.run(10 * SECOND);
    lab.service.powerOn();
    lab.startService();
    lab.run(5 * MINUTE);
    expect([a!.sees, b!.sees]).toEqual(['sees b', 'sees a']);
    lab.simulation.close();
  });

  it('a member that is cut off expires for the others and is back after the partition heals', () => {
    const lab = new Lab('7');
    const [a, b] = lab.start('a', 'b');
    lab.run(5 * SECOND);
    const cut = lab.simulation.network.faults.partition(['b'], ['discovery']);
    const goneUs = a!.until('sees nobody', 40 * MINUTE);
    expect(goneUs).toBeGreaterThan(28 * MINUTE);
    expect(goneUs).toBeLessThan(31 * MINUTE + 5 * SECOND);
    expect(b!.sees).toBe('sees a');
    cut.heal();
    const backUs = a!.until('sees b', 10 * MINUTE);
    expect(backUs).toBeGreaterThan(0);
    expect(backUs).toBeLessThan(2 * MINUTE);
    lab.simulation.close();
  });

  it('one seed, one story; also when every message is encoded', () => {
    const story = (seed: string, strictWire: boolean): string => {
      const lab = new Lab(seed, ['--snapshots-enabled'], strictWire);
      lab.start('a', 'b', 'c');
      lab.run(5 * SECOND);
      lab.process.kill();
      lab.run(20 * SECOND);
      lab.startService();
      lab.run(5 * MINUTE);
      const digest = lab.simulation.digest();
      lab.simulation.close();
      return digest;
    };
    expect(story('8', false)).toBe(story('8', false));
    expect(story('8', true)).toBe(story('8', false));
    expect(story('9', false)).not.toBe(story('8', false));
  });
});
