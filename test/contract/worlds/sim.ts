import type { Process } from '../../../src/platform/containers.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { Task } from '../../../src/platform/task.ts';
import { createSimRpc } from '../../../src/rpc/over-connections/rpc.ts';
import { SimContainers } from '../../../src/sim/containers/containers.ts';
import type { SimProcess } from '../../../src/sim/kernel/process.ts';
import type { Station } from '../../../src/sim/machine/station.ts';
import { Simulation } from '../../../src/sim/simulation.ts';
import { ASSUMED_TIMING } from '../../../src/sim/timing.ts';
import type { Peer, RunningWorld, SimulationControls, StartOptions, World } from '../world.ts';

/** How long a task of a suite may take in simulated time before the run counts as stuck. */
const PATIENCE_US = 3_600_000_000;

/** Machines of a simulation on one segment. */
export const simWorld: World = {
  name: 'sim',
  isSimulation: true,
  start: async (options = {}) => new SimRunningWorld(options),
};

interface SimPeer extends Peer {
  readonly station: Station;
  readonly process: SimProcess;
}

class SimRunningWorld implements RunningWorld {
  readonly peers: readonly SimPeer[];
  readonly simulation: SimulationControls;
  readonly #simulation: Simulation;

  constructor(options: StartOptions) {
    const programs = new Map((options.programs ?? []).map(({ image, program }) => [image, program]));
    const simulation = new Simulation({
      seed: String(options.seed ?? 1),
      createRpc: createSimRpc,
      images: (image) => programs.get(image),
      digest: 'full',
    });
    this.#simulation = simulation;
    simulation.network.addSegment({ name: 'lan' });
    this.peers = Array.from({ length: options.peers ?? 2 }, (_, index) => {
      const station = simulation.addStation({
        name: `peer-${index + 1}`,
        nics: [{ link: 'eth0', segment: 'lan' }],
        memoryBytes: 1_000_000_000,
        addresses: [{ link: 'eth0', cidr: `10.0.0.${index + 1}/24` }],
      });
      return this.#peerOn(station, `10.0.0.${index + 1}`);
    });
    this.simulation = this.#controls();
  }

  /** Starts the peer's process, which waits for tasks. */
  #peerOn(station: Station, address: string): SimPeer {
    let platform: Platform | undefined;
    const program = function* (process: Process): Task<number> {
      platform = process.platform;
      for (;;) yield* process.signals.receive();
    };
    const process = station.run({ name: 'peer', program });
    this.#simulation.runUntil(() => platform !== undefined);
    if (process === undefined || platform === undefined) throw new Error(`${station.name} is off`);
    const { clock } = platform;
    const sleep = (durationUs: number): Task<void> => clock.sleep(durationUs);
    const { registry } = this.#simulation;
    const containers = new SimContainers(process.kernel, process.gate, sleep, registry, ASSUMED_TIMING);
    return { name: station.name, address, platform, containers, station, process };
  }

  async run<T>(peer: Peer, body: () => Task<T>): Promise<T> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    peer.platform.scope.spawn('run', function* () {
      try {
        outcome = { value: yield* body() };
      } catch (error) {
        outcome = { error };
      }
    });
    // Others that are started in the same breath must be under way before time moves.
    await Promise.resolve();
    const simulation = this.#simulation;
    const end = simulation.runUntil(() => outcome !== undefined, { untilUs: simulation.nowUs + PATIENCE_US });
    if (outcome === undefined) throw new Error(`a task on ${peer.name} does not end (${end})`);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  async stop(): Promise<void> {
    this.#simulation.close();
  }

  #controls(): SimulationControls {
    const simulation = this.#simulation;
    const simPeer = (peer: Peer): SimPeer => peer as SimPeer;
    return {
      faults: simulation.network.faults,
      advance: (durationUs) => {
        simulation.runFor(durationUs);
      },
      nowUs: () => simulation.nowUs,
      powerCut: (peer) => simPeer(peer).station.powerOff(),
      powerOn: (peer) => {
        const { station, address } = simPeer(peer);
        station.powerOn();
        return this.#peerOn(station, address);
      },
      killProcess: (peer) => simPeer(peer).process.kill(),
      stopProcess: (peer) => simPeer(peer).process.signal('SIGSTOP'),
      continueProcess: (peer) => simPeer(peer).process.signal('SIGCONT'),
      freeze: (peer) => simPeer(peer).station.freeze(),
      thaw: (peer) => simPeer(peer).station.thaw(),
    };
  }
}
