import { fixedLatency, uniformLatency } from '../net/index.ts';
import { createSimRpc } from '../rpc/over-connections/rpc.ts';
import type { Zone } from '../services/dns/server.ts';
import { createSimCrypto } from '../sim/crypto/crypto.ts';
import type { Machine } from '../sim/machine/machine.ts';
import type { Station, StationCommand } from '../sim/machine/station.ts';
import { Simulation } from '../sim/simulation.ts';
import type { FaultSpec } from './fault.ts';
import { type Heal, WorldFaults } from './faults.ts';
import {
  defaultRoute,
  freeAddress,
  INTERNET,
  INTERNET_ADDRESSES,
  INTERNET_NAMES,
  nicOn,
  prefixLengthOf,
  routerOf,
} from './layout.ts';
import { type ProgramSet, resolveImage } from './programs.ts';
import { type PublicWeb, publicWeb } from './public-web.ts';
import { mediumOf, type WorldMachine, type WorldNetwork, type WorldSpec } from './spec.ts';
import { surroundingsOf } from './surroundings.ts';

const STATION_MEMORY_BYTES = 2_147_483_648;

/**
 * A whole cluster with what stands around it: machines, networks, the services of the internet, the operator's
 * workstation. Scenario tests, fuzzer, shell and screens all drive this one object.
 */
export class World {
  readonly spec: WorldSpec;
  readonly simulation: Simulation;
  /** Where the operator's commands run, on the first network. */
  readonly operator: Station;
  readonly faults: WorldFaults;
  readonly #taken: Set<string>;

  constructor(spec: WorldSpec, programs: ProgramSet) {
    this.spec = spec;
    this.#taken = new Set([...spec.machines.map((machine) => machine.address), ...(spec.reserved ?? [])]);
    for (const network of spec.networks) if (network.gateway !== undefined) this.#taken.add(network.gateway);
    if (spec.loadBalancer !== undefined) this.#taken.add(spec.loadBalancer.address);
    if (spec.dns !== undefined) this.#taken.add(spec.dns.address);
    // Handshakes only read certificates, so that all processes may share one.
    const crypto = createSimCrypto(`${spec.seed}/handshakes`);
    const web = publicWeb(spec.seed);
    this.simulation = new Simulation({
      seed: spec.seed,
      digest: spec.digest,
      createRpc: (deps) => createSimRpc({ ...deps, crypto, strictWire: spec.strictWire, systemRootsPem: web.rootPem }),
      images: (image) => resolveImage(programs, image),
      notable: () => false,
      ...(spec.epochUs !== undefined && { epochUs: spec.epochUs }),
    });
    this.#addNetworks();
    this.#addInternet(programs, web);
    const zone = new Map(Object.entries({ ...INTERNET_NAMES, ...spec.dns?.records }));
    if (spec.dns !== undefined) this.#addNameServer(spec.dns.address, zone, programs);
    this.operator = this.#addStation('operator', spec.networks[0]!, this.#free(spec.networks[0]!));
    if (spec.loadBalancer !== undefined) this.#addLoadBalancer(spec.loadBalancer, programs);
    for (const machine of spec.machines) this.#addMachine(machine, programs);
    this.faults = new WorldFaults(this.simulation, spec, zone);
  }

  /** Switches on every machine that the specification does not keep off. */
  powerOn(): void {
    for (const machine of this.spec.machines) if (machine.powered) this.machine(machine.name).powerOn();
  }

  machine(name: string): Machine {
    const machine = this.simulation.machine(name);
    if (machine === undefined) throw new Error(`there is no machine ${name}`);
    return machine;
  }

  /** Breaks something; the returned function mends it. */
  apply(fault: FaultSpec): Heal {
    return this.faults.apply(fault);
  }

  close(): void {
    this.simulation.close();
  }

  #free(network: WorldNetwork): string {
    const address = freeAddress(network, this.#taken);
    this.#taken.add(address);
    return address;
  }

  #addNetworks(): void {
    for (const network of [...this.spec.networks, INTERNET]) {
      const latency =
        network.latencyUs === undefined
          ? undefined
          : network.jitterUs === undefined
            ? fixedLatency(network.latencyUs)
            : uniformLatency(network.latencyUs, network.latencyUs + network.jitterUs);
      this.simulation.network.addSegment({ name: network.name, ...(latency !== undefined && { latency }) });
    }
    this.simulation.network.addRouter(routerOf(this.spec));
    this.simulation.network.names.setOutside({ ...INTERNET_NAMES, ...this.spec.publicNames });
  }

  #addInternet(programs: ProgramSet, web: PublicWeb): void {
    this.#addStation('discovery', INTERNET, INTERNET_ADDRESSES.discovery, {
      name: 'discovery-service',
      program: programs.discovery,
      args: ['discovery-service', '--addr=:443'],
      env: web.serve('discovery.talos.dev'),
    });
    this.#addStation('time', INTERNET, INTERNET_ADDRESSES.time, {
      name: 'ntpd',
      program: programs.time,
      args: ['ntpd'],
    });
  }

  #addLoadBalancer(balancer: NonNullable<WorldSpec['loadBalancer']>, programs: ProgramSet): void {
    const args = [
      'load-balancer',
      `--listen=${balancer.address}:${balancer.port}`,
      ...balancer.backends.map((address) => `--backend=${address}:${balancer.port}`),
    ];
    this.#addStation('load-balancer', this.spec.networks[0]!, balancer.address, {
      name: 'load-balancer',
      program: programs.loadBalancer,
      args,
    });
  }

  #addNameServer(address: string, zone: Zone, programs: ProgramSet): void {
    this.simulation.network.names.addServer(address);
    this.#addStation('dns', this.spec.networks[0]!, address, { name: 'named', program: programs.nameServer(zone) });
  }

  #addStation(name: string, network: WorldNetwork, address: string, service?: StationCommand): Station {
    const spec = {
      name,
      nics: [nicOn(network.name)],
      memoryBytes: STATION_MEMORY_BYTES,
      addresses: [{ link: 'eth0', cidr: `${address}/${prefixLengthOf(network.cidr)}` }],
      routes: defaultRoute(network),
      ...(this.spec.dns !== undefined && { nameservers: [this.spec.dns.address] }),
    };
    return this.simulation.addStation(spec, service);
  }

  #addMachine(machine: WorldMachine, programs: ProgramSet): void {
    const surroundings = surroundingsOf(this.spec, machine);
    const supervisor = programs.machined(this.spec.talosVersion);
    this.simulation.addMachine({
      name: machine.name,
      nics: [nicOn(machine.network, machine)],
      disks: machine.disks,
      medium: mediumOf(this.spec.talosVersion),
      hardware: { cpuCount: machine.cpuCount, memoryBytes: machine.memoryBytes },
      supervisor: (platform) => supervisor(platform, surroundings),
    });
  }
}
