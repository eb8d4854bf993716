import { toHex, utf8Encode } from '../../platform/bytes.ts';
import type { Timer } from '../../platform/clock.ts';
import { sha256 } from '../../platform/hash.ts';
import type { BootImage, Hardware, MachinePlatform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { SimContainers } from '../containers/containers.ts';
import { BlockDevice, type DiskSpec } from '../disk/block-device.ts';
import { draw } from '../distribution.ts';
import { booted, bootHung, kernelEnded, panicked, poweredOn } from '../events.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimProcess } from '../kernel/process.ts';
import { Chassis, type ChassisSpec, type Surroundings } from './chassis.ts';
import { type BootChoice, chooseBoot } from './firmware.ts';
import { SupervisorPlatform } from './supervisor-platform.ts';

/** PID 1 of a machine. It never ends by itself; when it does, the kernel panics. */
type Supervisor = (platform: MachinePlatform) => Task<void>;

export interface MachineSpec extends Omit<ChassisSpec, 'memoryBytes'> {
  readonly disks: readonly DiskSpec[];
  /** What boots while no disk has a boot slot. */
  readonly medium: BootImage;
  readonly supervisor: Supervisor;
  /** What the supervisor is told of the hardware; the rest is derived from the name. */
  readonly hardware?: Partial<Omit<Hardware, 'label'>>;
}

/** `starting` is firmware, boot loader and kernel; `hung` came to a halt there. */
export type MachineState = 'off' | 'starting' | 'running' | 'hung';

const DEFAULT_MEMORY_BYTES = 4_294_967_296;

/** A simulated machine: hardware, disks, firmware, and the kernel that happens to run. */
export class Machine {
  readonly name: string;
  readonly chassis: Chassis;
  readonly hardware: Hardware;
  readonly disks: BlockDevice[];
  readonly #spec: MachineSpec;
  #state: MachineState = 'off';
  #starting: Timer | undefined;
  #hangingBoots = 0;
  #process: SimProcess | undefined;
  #platform: SupervisorPlatform | undefined;

  constructor(around: Surroundings, spec: MachineSpec) {
    this.name = spec.name;
    this.#spec = spec;
    this.hardware = hardwareOf(spec);
    this.chassis = new Chassis(around, { ...spec, memoryBytes: this.hardware.memoryBytes });
    this.disks = spec.disks.map((disk, index) => this.newDisk(disk, `disk${index}`));
  }

  get state(): MachineState {
    return this.#state;
  }

  /** True while the machine stands still: it does not know. */
  get frozen(): boolean {
    return this.kernel?.frozen ?? false;
  }

  get kernel(): Kernel | undefined {
    return this.chassis.kernel;
  }

  /** The platform of the running supervisor: for tests and views. */
  get platform(): MachinePlatform | undefined {
    return this.#platform;
  }

  get containers(): SimContainers | undefined {
    return this.#platform?.containers;
  }

  /** The supervisor's process. */
  get supervisor(): SimProcess | undefined {
    return this.#process;
  }

  /** A disk for this or another machine; `key` names its draws. Put it into {@link disks} to plug it in. */
  newDisk(spec: DiskSpec, key: string): BlockDevice {
    const { engine, timing } = this.chassis.around;
    return new BlockDevice(spec, timing.disk, engine.random(`${this.name}/${key}`), () => engine.nowUs);
  }

  disk(path: string): BlockDevice | undefined {
    return this.disks.find((disk) => disk.path === path);
  }

  /** Presses the switch of a machine that is off. */
  powerOn(): void {
    this.#soon(() => {
      if (this.#state !== 'off') return;
      this.#begin('firmware');
    });
  }

  /** Pulls the plug: what was not synced is lost, nobody is told. */
  powerOff(): void {
    this.#soon(() => this.#cut());
  }

  /** Hard reset: a power cut that ends at once. */
  reset(): void {
    this.#soon(() => {
      this.#cut();
      this.#begin('firmware');
    });
  }

  /** The power button, short press: tells the supervisor (ACPI), which shuts down when it sees fit. */
  pressPowerButton(): void {
    this.#platform?.power.press();
  }

  freeze(): void {
    this.chassis.freeze();
  }

  thaw(): void {
    this.chassis.thaw();
  }

  /** The next `count` boots come to a halt before the supervisor runs. */
  hangNextBoots(count: number): void {
    this.#hangingBoots = count;
  }

  /** For the Power port: an orderly end. Everything is written back first, as the reboot sequence does. */
  restart(mode: 'default' | 'powercycle'): void {
    this.#soon(() => {
      if (this.#state !== 'running') return;
      this.#stop('reboot');
      this.#begin(mode === 'default' ? 'kexec' : 'firmware');
    });
  }

  /** For the Power port. */
  shutDown(): void {
    this.#soon(() => {
      if (this.#state !== 'running') return;
      this.#stop('shutdown');
      this.#state = 'off';
    });
  }

  #soon(action: () => void): void {
    this.chassis.around.engine.boundary(action);
  }

  #cut(): void {
    this.#starting?.cancel();
    this.#starting = undefined;
    // Without a kernel there is none to tell of the cut: the machine does, unless it was off.
    if (this.kernel === undefined && this.#state !== 'off') this.chassis.event(kernelEnded, { how: 'cut' });
    this.#forgetKernel('cut');
    for (const disk of this.disks) disk.crash();
    this.#state = 'off';
  }

  #stop(how: 'reboot' | 'shutdown'): void {
    for (const disk of this.disks) disk.commitAll();
    this.#forgetKernel(how);
  }

  #forgetKernel(how: 'cut' | 'reboot' | 'shutdown' | 'panic'): void {
    this.#process = undefined;
    this.#platform = undefined;
    this.chassis.endKernel(how);
  }

  /** Starts the way to a kernel: through the firmware, or straight from the old kernel. */
  #begin(from: 'firmware' | 'kexec'): void {
    const boot = this.chassis.countBoot();
    const { engine, timing } = this.chassis.around;
    const random = engine.random(`${this.name}/boot/${boot}`);
    this.#state = 'starting';
    if (from === 'firmware') this.chassis.event(poweredOn, { boot });
    const delayUs =
      from === 'kexec' ? draw(timing.kexec, random) : draw(timing.firmware, random) + draw(timing.kernelStart, random);
    this.#starting = engine.scheduleIn(delayUs, () => this.#loaded(boot), this.chassis);
  }

  #loaded(boot: number): void {
    const choice = chooseBoot(this.disks, this.#spec.medium);
    const slot = choice.slot ?? '';
    if (this.#hangingBoots > 0) {
      this.#hangingBoots--;
      this.#hang(boot, slot, 'hung at boot');
    } else if (choice.image?.bootable === true) this.#run(boot, choice);
    else if (choice.oneShot) this.#panic(`boot slot ${slot} does not come up`);
    else this.#hang(boot, slot, 'the image does not come up');
  }

  #hang(boot: number, slot: string, reason: string): void {
    this.#state = 'hung';
    this.chassis.event(bootHung, { boot, slot, reason });
  }

  #run(boot: number, choice: BootChoice): void {
    const kernel = this.chassis.startKernel();
    this.#state = 'running';
    this.chassis.event(booted, { boot, slot: choice.slot ?? '', version: choice.image?.version ?? '' });
    const supervisor = this.#spec.supervisor;
    let platform: SupervisorPlatform | undefined;
    this.#process = kernel.start({
      name: 'machined',
      argv: ['/sbin/init'],
      env: {},
      namespace: kernel.namespace,
      extend: (base, process) => {
        platform = new SupervisorPlatform(this, process, base, choice);
        return platform;
      },
      program: function* () {
        yield* supervisor(platform!);
        return 0;
      },
      onEnd: (status) => this.#panic(`Attempted to kill init! exitcode=${status.code}`),
    });
    this.#platform = platform;
  }

  /** The kernel stops dead; unwritten data is lost; after a while it starts over. */
  #panic(reason: string): void {
    const { engine, timing } = this.chassis.around;
    this.chassis.event(panicked, { reason });
    this.#forgetKernel('panic');
    for (const disk of this.disks) disk.crash();
    this.#state = 'starting';
    const random = engine.random(`${this.name}/panic/${this.chassis.boots}`);
    this.#starting = engine.scheduleIn(draw(timing.panicRestart, random), () => this.#begin('firmware'), this.chassis);
  }
}

function hardwareOf(spec: MachineSpec): Hardware {
  return {
    uuid: spec.hardware?.uuid ?? uuidOf(spec.name),
    manufacturer: spec.hardware?.manufacturer ?? 'QEMU',
    productName: spec.hardware?.productName ?? 'Standard PC (Q35 + ICH9, 2009)',
    serialNumber: spec.hardware?.serialNumber ?? '',
    cpuCount: spec.hardware?.cpuCount ?? 2,
    memoryBytes: spec.hardware?.memoryBytes ?? DEFAULT_MEMORY_BYTES,
    label: spec.name,
  };
}

/** A version 4 UUID that is a function of the name: like real ones it survives reinstallation. */
function uuidOf(name: string): string {
  const hex = toHex(sha256(utf8Encode(`machine ${name}`)));
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
