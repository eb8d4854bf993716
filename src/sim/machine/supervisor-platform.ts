import type { Clock } from '../../platform/clock.ts';
import type { CryptoPort } from '../../platform/crypto.ts';
import type { Disk } from '../../platform/disk.ts';
import type { Log } from '../../platform/log.ts';
import type { MachineNet } from '../../platform/net.ts';
import type { Firmware, Hardware, MachinePlatform, Power, Timekeeping } from '../../platform/platform.ts';
import type { Random } from '../../platform/random.ts';
import type { Rpc } from '../../platform/rpc.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { SimContainers } from '../containers/containers.ts';
import type { BlockDevice } from '../disk/block-device.ts';
import { draw } from '../distribution.ts';
import type { Gate } from '../gate.ts';
import type { SimProcess } from '../kernel/process.ts';
import type { ProcessPlatform } from '../kernel/process-platform.ts';
import { SimBlockDevices } from './block-devices.ts';
import { type BootChoice, SimFirmware } from './firmware.ts';
import type { Machine } from './machine.ts';

/** What a machine's supervisor is given: the platform of its process and the machine around it. */
export class SupervisorPlatform implements MachinePlatform {
  readonly clock: Clock;
  readonly random: Random;
  readonly net: MachineNet;
  readonly disk: Disk;
  readonly log: Log;
  readonly scope: TaskScope;
  readonly containers: SimContainers;
  readonly blockDevices: SimBlockDevices;
  readonly firmware: Firmware;
  readonly power: SimPower;
  readonly hardware: Hardware;
  readonly timekeeping: Timekeeping;
  readonly #base: ProcessPlatform;

  constructor(machine: Machine, process: SimProcess, base: ProcessPlatform, choice: BootChoice) {
    const { registry, timing } = machine.chassis.around;
    const disks = (): readonly BlockDevice[] => machine.disks;
    const layoutRandom = base.random.stream('disk-layout');
    const writeOut = (_device: BlockDevice): Task<void> => base.clock.sleep(draw(timing.diskLayout, layoutRandom));
    this.#base = base;
    this.clock = base.clock;
    this.random = base.random;
    this.net = process.kernel.machineNet(process);
    this.disk = base.disk;
    this.log = base.log;
    this.scope = base.scope;
    this.hardware = machine.hardware;
    this.containers = new SimContainers(process.kernel, process.gate, (us) => base.clock.sleep(us), registry, timing);
    this.blockDevices = new SimBlockDevices(process.kernel, disks, writeOut);
    this.firmware = new SimFirmware(disks, choice, writeOut);
    this.power = new SimPower(machine, process.gate);
    this.timekeeping = { step: (byUs) => machine.chassis.stepClock(byUs, 'node', true) };
  }

  get rpc(): Rpc {
    return this.#base.rpc;
  }

  get crypto(): CryptoPort {
    return this.#base.crypto;
  }
}

class SimPower implements Power {
  readonly #machine: Machine;
  readonly #gate: Gate;
  #listeners: (() => void)[] = [];

  constructor(machine: Machine, gate: Gate) {
    this.#machine = machine;
    this.#gate = gate;
  }

  reboot(mode: 'default' | 'powercycle' = 'default'): void {
    this.#machine.restart(mode);
  }

  shutdown(): void {
    this.#machine.shutDown();
  }

  onButton(listener: () => void): () => void {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Somebody pressed the button. */
  press(): void {
    for (const listener of [...this.#listeners]) this.#gate.dispatch(listener);
  }
}
