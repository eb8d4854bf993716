import { Runtime, State } from '../cosi/index.ts';
import { toHex } from '../platform/bytes.ts';
import type { Timer } from '../platform/clock.ts';
import type { MachinePlatform } from '../platform/platform.ts';
import type { Random } from '../platform/random.ts';
import { Notifier } from '../platform/signal.ts';
import type { TaskScope } from '../platform/task.ts';
import { Sequencer } from './boot/sequencer.ts';
import { serviceState } from './events.ts';
import { KernelLog } from './kernel-log.ts';
import { MachineEvents } from './machine-events.ts';
import type { Profile } from './profile/profile.ts';
import { drawUs, type Timing } from './profile/timing.ts';
import { ServiceLogs } from './services/logs.ts';
import { ServiceManager } from './services/manager.ts';
import type { Service } from './services/service.ts';
import type { ServiceEvent, ServiceHealth } from './services/states.ts';
import { FileStore } from './storage/files.ts';
import { Meta } from './storage/meta.ts';
import type { Surroundings } from './surroundings.ts';

/** Everything that parts of machined share: one for each boot. */
export class Machine {
  readonly platform: MachinePlatform;
  readonly profile: Profile;
  readonly surroundings: Surroundings;
  readonly state: State;
  readonly controllers: Runtime;
  readonly events: MachineEvents;
  readonly kmsg: KernelLog;
  readonly services: ServiceManager;
  readonly serviceLogs: ServiceLogs;
  /** Fires at every change of a resource or a service. */
  readonly changed = new Notifier();
  /** Small files of the machine's own tree. */
  readonly files: FileStore;
  readonly meta: Meta;
  readonly sequencer: Sequencer;
  /** Different for each boot: how callers see that a machine was rebooted. */
  readonly bootId: string;
  /** Text of the config that the STATE volume holds, once it was written or read in this boot. */
  persistedConfig: string | undefined;
  /** A shutdown was begun: whatever fails from now on ends in power off, not in a reboot. */
  shuttingDown = false;
  /** Puts the old config back after a try. */
  pendingRevert: Timer | undefined;
  /** Order in which control planes are tried. */
  readonly etcdShuffle: Random;
  /** Draws of machined itself. */
  readonly random: Random;
  readonly scope: TaskScope;

  constructor(platform: MachinePlatform, profile: Profile, surroundings: Surroundings, scope: TaskScope) {
    this.platform = platform;
    this.profile = profile;
    this.surroundings = surroundings;
    this.scope = scope;
    this.random = platform.random.stream('machined');
    this.state = new State(platform.clock, this.random.stream('state'));
    this.controllers = new Runtime(this.state, {
      clock: platform.clock,
      log: platform.log,
      random: this.random.stream('controllers'),
      scope: scope.child('controllers'),
      onFailure: (controller, error) => this.kmsg.talos(failureLine(controller, error)),
      passDelayUs: (controller) => this.draw(`pass/${controller}`, profile.timings.controllerPass),
    });
    this.events = new MachineEvents(platform.clock, this.random.stream('events'));
    this.kmsg = new KernelLog(platform.clock, platform.log);
    this.serviceLogs = new ServiceLogs();
    this.services = new ServiceManager({
      clock: platform.clock,
      scope: scope.child('services'),
      changed: this.changed,
      onEvent: (service, event, health) => this.#serviceEvent(service, event, health),
    });
    this.files = new FileStore(platform.disk);
    this.meta = new Meta(platform.blockDevices);
    this.sequencer = new Sequencer(this);
    this.etcdShuffle = this.random.stream('etcd-endpoints');
    this.bootId = uuidOf(this.random.bytes(16));
    this.state.listen(() => this.changed.notify());
  }

  #pids = 100;

  /** Number of a new process whose inside is not modelled. */
  nextPid(): number {
    this.#pids += this.random.int(1, 9);
    return this.#pids;
  }

  /** How long something takes this time. `what` names the stream of draws. */
  draw(what: string, timing: Timing): number {
    return drawUs(timing, this.#timingStream(what));
  }

  #streams = new Map<string, Random>();

  #timingStream(what: string): Random {
    let stream = this.#streams.get(what);
    if (stream === undefined) {
      stream = this.random.stream(`timing/${what}`);
      this.#streams.set(what, stream);
    }
    return stream;
  }

  #serviceEvent(service: Service, event: ServiceEvent, health: ServiceHealth): void {
    const { state, message } = event;
    this.kmsg.talos(`service[${service.id}](${state}): ${message}`);
    this.events.publish({ type: 'ServiceStateEvent', service: service.id, state, message, health });
    this.platform.log.event(serviceState, {
      service: service.id,
      state,
      health: health.unknown ? 'unknown' : health.healthy ? 'healthy' : 'unhealthy',
      message,
    });
  }
}

/** How the log of Talos's controller runtime prints the fields of a failure. */
function failureLine(controller: string, error: string): string {
  const fields = { component: 'controller-runtime', controller, error };
  const pairs = Object.entries(fields).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return `controller failed {${pairs.join(', ')}}`;
}

/** A version 4 UUID of random bytes. */
export function uuidOf(random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
