import type { Program } from '../../platform/containers.ts';
import type { Route } from '../../platform/net.ts';
import { BlockDevice } from '../disk/block-device.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimProcess } from '../kernel/process.ts';
import { Chassis, type ChassisSpec, type Surroundings } from './chassis.ts';

export interface StationSpec extends ChassisSpec {
  /** Addresses with prefix length, configured at every start. */
  readonly addresses: readonly { readonly link: string; readonly cidr: string }[];
  readonly routes?: readonly Route[];
  /** Whom it asks for names; default: the public ones. */
  readonly nameservers?: readonly string[];
  /** Size of its disk (default 10 GiB). */
  readonly diskBytes?: number;
}

/** What a station runs: by default nothing, then processes are started from outside. */
export interface StationCommand {
  /** Path element and source of events; also argv[0] when `args` is not given. */
  readonly name: string;
  readonly program: Program;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const DEFAULT_DISK_BYTES = 10_737_418_240;

/**
 * A computer that is not a Talos machine: the operator's workstation, a time server, the discovery service, a load
 * balancer. It starts at once, keeps its files on a disk, and runs its service again after every start.
 */
export class Station {
  readonly name: string;
  readonly chassis: Chassis;
  readonly disk: BlockDevice;
  readonly #spec: StationSpec;
  readonly #service: StationCommand | undefined;

  constructor(around: Surroundings, spec: StationSpec, service: StationCommand | undefined) {
    this.name = spec.name;
    this.#spec = spec;
    this.#service = service;
    this.chassis = new Chassis(around, spec);
    const { engine, timing } = around;
    const sizeBytes = spec.diskBytes ?? DEFAULT_DISK_BYTES;
    const random = engine.random(`${spec.name}/disk`);
    this.disk = new BlockDevice({ name: '/dev/sda', sizeBytes }, timing.disk, random, () => engine.nowUs);
    this.disk.setPartitions([{ label: 'root', sizeBytes, fileSystem: 'ext4' }]);
  }

  get kernel(): Kernel | undefined {
    return this.chassis.kernel;
  }

  powerOn(): void {
    this.chassis.around.engine.boundary(() => {
      if (this.kernel !== undefined) return;
      this.chassis.countBoot();
      const kernel = this.chassis.startKernel(this.disk.volume('root'));
      this.#configure(kernel);
      if (this.#service !== undefined) this.run(this.#service);
    });
  }

  /** Pulls the plug. */
  powerOff(): void {
    this.chassis.around.engine.boundary(() => {
      if (this.kernel === undefined) return;
      this.chassis.endKernel('cut');
      this.disk.crash();
    });
  }

  freeze(): void {
    this.chassis.freeze();
  }

  thaw(): void {
    this.chassis.thaw();
  }

  /** Starts a process; undefined while the station is off. Its `exit` and `lines` tell how it went. */
  run(command: StationCommand): SimProcess | undefined {
    const kernel = this.kernel;
    return kernel?.start({
      name: command.name,
      argv: command.args ?? [command.name],
      env: command.env ?? {},
      namespace: kernel.namespace,
      program: command.program,
    });
  }

  #configure(kernel: Kernel): void {
    const owner = { path: `${kernel.path}/init`, escaped: (error: unknown) => kernel.engine.bug(kernel.path, error) };
    const { net } = kernel.net.openProcess(owner);
    for (const { link, cidr } of this.#spec.addresses) net.addAddress(link, cidr);
    for (const route of this.#spec.routes ?? []) net.addRoute(route);
    if (this.#spec.nameservers !== undefined) net.setNameservers(this.#spec.nameservers);
  }
}
