import type { FaultHandle } from '../net/index.ts';
import type { BlockDevice } from '../sim/disk/block-device.ts';
import { uniform } from '../sim/distribution.ts';
import type { Machine } from '../sim/machine/machine.ts';
import type { Station } from '../sim/machine/station.ts';
import type { Simulation } from '../sim/simulation.ts';
import { alterEtcd, holdsEtcdKey } from './altered-etcd.ts';
import { diskBlanked, etcdAltered, faultEnded, faultInjected } from './events.ts';
import type { FaultSpec, OutsideService } from './fault.ts';
import type { WorldSpec } from './spec.ts';

/** Ends a fault; repeats are no-ops, and so is the end of what cannot be undone. */
export type Heal = () => void;

const STATION_OF: Readonly<Record<Exclude<OutsideService, 'registry'>, string>> = {
  discovery: 'discovery',
  time: 'time',
  'load-balancer': 'load-balancer',
  dns: 'dns',
};
const NOTHING: Heal = () => {};

/** A name whose addresses were changed. */
interface ChangedRecord {
  /** What the scenario says of it; undefined: nobody knows it. */
  readonly asDescribed: readonly string[] | undefined;
  changes: readonly { readonly addresses: readonly string[] }[];
}

/** Applies faults as data to the simulation and remembers how to end them. */
export class WorldFaults {
  readonly #simulation: Simulation;
  readonly #spec: WorldSpec;
  readonly #zone: Map<string, readonly string[]>;
  #active = new Map<number, Heal>();
  #count = 0;
  /** Names whose addresses were changed: what the scenario says of them, and the changes in force, oldest first. */
  readonly #records = new Map<string, ChangedRecord>();

  /** `zone` is what the name server of the world answers from. */
  constructor(simulation: Simulation, spec: WorldSpec, zone: Map<string, readonly string[]>) {
    this.#simulation = simulation;
    this.#spec = spec;
    this.#zone = zone;
  }

  /** Starts a fault. It ends by itself after `forUs`, or when the returned function is called. */
  apply(fault: FaultSpec): Heal {
    const id = ++this.#count;
    const log = this.#simulation.log('faults');
    log.event(faultInjected, { id, fault: fault.fault, machines: [...fault.machines], detail: detailOf(fault) });
    const undo = this.#start(fault);
    const heal = (): void => {
      if (!this.#active.delete(id)) return;
      undo();
      log.event(faultEnded, { id, fault: fault.fault });
    };
    if (undo === NOTHING) return heal;
    this.#active.set(id, heal);
    if (fault.forUs !== undefined) this.#simulation.schedule(this.#simulation.nowUs + fault.forUs, heal);
    return heal;
  }

  /** Why a fault would hit nothing as things stand now; undefined when it would hit. */
  absent(fault: FaultSpec): string | undefined {
    const { process, key } = fault;
    for (const name of fault.machines) {
      const machine = this.#machine(name);
      if (process !== undefined && processOf(machine, process) === undefined)
        return `no process "${process}" runs on ${name}`;
      if (key !== undefined && !holdsEtcdKey(machine, key)) return `the etcd database of ${name} holds no key "${key}"`;
    }
    return undefined;
  }

  /** Ends every fault that can be ended. */
  healAll(): void {
    for (const heal of [...this.#active.values()]) heal();
  }

  #start(fault: FaultSpec): Heal {
    const each = (act: (machine: Machine) => Heal): Heal =>
      together(fault.machines.map((name) => act(this.#machine(name))));
    switch (fault.fault) {
      case 'power-off':
        return each((machine) => then(machine.powerOff(), () => machine.powerOn()));
      case 'power-on':
        return each((machine) => then(machine.powerOn(), NOTHING));
      case 'reboot':
        return each((machine) => then(machine.reset(), NOTHING));
      case 'freeze':
        return each((machine) => then(machine.freeze(), () => machine.thaw()));
      case 'unfreeze':
        return each((machine) => then(machine.thaw(), NOTHING));
      case 'kill':
        return each((machine) => then(processOf(machine, fault.process!)?.kill(), NOTHING));
      case 'stop':
        return each((machine) =>
          then(processOf(machine, fault.process!)?.signal('SIGSTOP'), () =>
            processOf(machine, fault.process!)?.signal('SIGCONT'),
          ),
        );
      case 'continue':
        return each((machine) => then(processOf(machine, fault.process!)?.signal('SIGCONT'), NOTHING));
      case 'clock-jump':
        return each((machine) => then(machine.chassis.stepClock(fault.amount!, 'fault', true), NOTHING));
      case 'clock-drift':
        return each((machine) => then(machine.chassis.setDrift(fault.amount!), () => machine.chassis.setDrift(0)));
      case 'partition':
      case 'isolate':
      case 'delay':
      case 'loss':
        return this.#network(fault);
      case 'disk-full':
      case 'disk-slow':
      case 'disk-errors':
        return each((machine) => diskFault(fault, machine));
      case 'blank-disk':
        return each((machine) => then(this.#blankDisk(fault, machine), NOTHING));
      case 'alter-etcd':
        return each((machine) => then(this.#alterEtcd(fault, machine), NOTHING));
      case 'service-down':
      case 'service-up':
        return this.#service(fault);
      case 'dns-record':
        return this.#record(fault.record!, fault.addresses ?? []);
      case 'heal':
        return then(this.healAll(), NOTHING);
      default:
        return fault.fault satisfies never;
    }
  }

  #network(fault: FaultSpec): Heal {
    const { faults } = this.#simulation.network;
    if (fault.fault === 'partition')
      return healOf(
        fault.oneWay === true
          ? faults.partitionOneWay(fault.from!, fault.to!)
          : faults.partition(fault.from!, fault.to!),
      );
    if (fault.fault === 'isolate') return healOf(faults.partition(fault.machines, '*'));
    const effect =
      fault.fault === 'delay' ? { delayUs: fault.amount! } : { lossPpm: Math.round(fault.percent! * 10_000) };
    return together([
      healOf(faults.degrade(fault.machines, '*', effect)),
      healOf(faults.degrade('*', fault.machines, effect)),
    ]);
  }

  #service(fault: FaultSpec): Heal {
    const service = fault.service!;
    const down = fault.fault === 'service-down';
    if (service === 'registry') {
      const { registry } = this.#simulation;
      if (!down) return then(registry.heal('*'), NOTHING);
      return then(registry.breakRegistry('*', { kind: 'down' }), () => registry.heal('*'));
    }
    const station = this.#station(STATION_OF[service]);
    if (!down) return then(station?.powerOn(), NOTHING);
    return then(station?.powerOff(), () => station?.powerOn());
  }

  /**
   * Somebody changes what the name server answers; what was asked before stays as it was answered. Of several changes
   * to one name the latest that has not ended counts.
   */
  #record(name: string, addresses: readonly string[]): Heal {
    const record: ChangedRecord = this.#records.get(name) ?? { asDescribed: this.#zone.get(name), changes: [] };
    this.#records.set(name, record);
    const change = { addresses };
    const put = (): void => {
      const now = record.changes.at(-1)?.addresses ?? record.asDescribed;
      if (now === undefined) this.#zone.delete(name);
      else this.#zone.set(name, now);
    };
    record.changes = [...record.changes, change];
    put();
    return () => {
      record.changes = record.changes.filter((other) => other !== change);
      put();
    };
  }

  /** Somebody changes the disk for an empty one, which takes the power off. */
  #blankDisk(fault: FaultSpec, machine: Machine): void {
    const disk = diskOf(fault, machine);
    if (disk === undefined) return;
    machine.powerOff();
    const system = disk.boot !== undefined;
    disk.setPartitions([]);
    this.#simulation.log(machine.name).event(diskBlanked, { disk: disk.path, system });
  }

  #alterEtcd(fault: FaultSpec, machine: Machine): void {
    const found = alterEtcd(machine, fault.key!);
    this.#simulation.log(machine.name).event(etcdAltered, { key: fault.key!, found });
  }

  #station(name: string): Station | undefined {
    return this.#simulation.station(name);
  }

  #machine(name: string): Machine {
    const machine = this.#simulation.machine(name);
    if (machine === undefined)
      throw new Error(
        `there is no machine ${name}; there are ${this.#spec.machines.map((other) => other.name).join(', ')}`,
      );
    return machine;
  }
}

function then(_done: unknown, heal: Heal): Heal {
  return heal;
}

function together(heals: readonly Heal[]): Heal {
  const ending = heals.filter((heal) => heal !== NOTHING);
  if (ending.length === 0) return NOTHING;
  return () => {
    for (const heal of ending) heal();
  };
}

function healOf(handle: FaultHandle): Heal {
  return () => handle.heal();
}

/** The process of a container, whatever its namespace. */
function processOf(
  machine: Machine,
  id: string,
): { kill(): void; signal(signal: 'SIGSTOP' | 'SIGCONT'): void } | undefined {
  const containers = machine.containers;
  return (containers?.processOf('system', id) ?? containers?.processOf('k8s.io', id))?.process;
}

const SLOW_SYNC_US = { min: 200_000, max: 2_000_000 };

function diskFault(fault: FaultSpec, machine: Machine): Heal {
  const disk = diskOf(fault, machine);
  if (disk === undefined) return NOTHING;
  switch (fault.fault) {
    case 'disk-slow':
      disk.faults.slowSync = uniform(SLOW_SYNC_US.min, SLOW_SYNC_US.max);
      return () => {
        disk.faults.slowSync = undefined;
      };
    case 'disk-errors': {
      const ppm = Math.round((fault.percent ?? 100) * 10_000);
      Object.assign(disk.faults.errorPpm, { read: 0, write: ppm, sync: ppm });
      return () => {
        Object.assign(disk.faults.errorPpm, { read: 0, write: 0, sync: 0 });
      };
    }
    default:
      disk.faults.full = true;
      return () => {
        disk.faults.full = false;
      };
  }
}

function diskOf(fault: FaultSpec, machine: Machine): BlockDevice | undefined {
  return fault.disk === undefined ? machine.disks[0] : machine.disk(fault.disk);
}

function detailOf(fault: FaultSpec): string {
  const parts: string[] = [];
  if (fault.from !== undefined && fault.to !== undefined)
    parts.push(`${fault.from.join(' ')} ${fault.oneWay === true ? '→' : '↔'} ${fault.to.join(' ')}`);
  if (fault.process !== undefined) parts.push(fault.process);
  if (fault.key !== undefined) parts.push(fault.key);
  if (fault.service !== undefined) parts.push(fault.service);
  if (fault.record !== undefined) parts.push(`${fault.record} → ${(fault.addresses ?? []).join(' ') || 'nobody'}`);
  if (fault.amount !== undefined) parts.push(String(fault.amount));
  if (fault.percent !== undefined) parts.push(`${fault.percent} %`);
  return parts.join(', ');
}
