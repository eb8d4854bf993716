import type { NetworkFaults } from '../../src/net/faults.ts';
import type { Containers, Program } from '../../src/platform/containers.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';

/**
 * What a contract suite is run against: the simulation (test/contract/worlds/sim.ts) or the host
 * (test/contract/worlds/host.ts). A suite is a function of a World; cases that only a simulation can do say so by name.
 */
export interface World {
  /** `sim` or `host`: goes into the names of the tests. */
  readonly name: string;
  readonly isSimulation: boolean;
  start(options?: StartOptions): Promise<RunningWorld>;
}

export interface StartOptions {
  /** How many peers to bring up (default 2). They can reach each other. */
  readonly peers?: number;
  /** For simulations: default 1. */
  readonly seed?: number;
  readonly programs?: readonly ProgramImage[];
}

/** A container image that a suite brings along: a simulation calls `program`, a host starts a process that imports it. */
export interface ProgramImage {
  readonly image: string;
  readonly program: Program;
  /** URL of the module that exports the program, and the name it exports it under. */
  readonly module: string;
  readonly export: string;
}

/** One process on a machine of its own (on the host: on a loopback address of its own). */
export interface Peer {
  readonly name: string;
  /** Address at which the other peers reach it. */
  readonly address: string;
  readonly platform: Platform;
  readonly containers: Containers;
}

export interface RunningWorld {
  readonly peers: readonly Peer[];
  /**
   * Runs a task in the peer's scope to its end and gives its value or throws its error. Several may run at once; a
   * simulation advances until this one has ended and fails when nothing is left to happen.
   */
  run<T>(peer: Peer, body: () => Task<T>): Promise<T>;
  stop(): Promise<void>;
  /** Only in a simulation. */
  readonly simulation?: SimulationControls;
}

export interface SimulationControls {
  readonly faults: NetworkFaults;
  /** Lets this much simulated time pass. */
  advance(durationUs: number): void;
  nowUs(): number;
  /** Everything on the machine is gone at once, silently. */
  powerCut(peer: Peer): void;
  /** Boots the machine again with its addresses; the same name with a new platform. */
  powerOn(peer: Peer): Peer;
  /** SIGKILL: the process is gone, its kernel closes what it held. */
  killProcess(peer: Peer): void;
  /** SIGSTOP and SIGCONT: the kernel goes on without the process. */
  stopProcess(peer: Peer): void;
  continueProcess(peer: Peer): void;
  /** The whole machine stands still and later goes on. */
  freeze(peer: Peer): void;
  thaw(peer: Peer): void;
}
