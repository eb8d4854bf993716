import { timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { activeSettings } from '../../config/active.ts';
import { isControlPlane } from '../../config/settings.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import { etcdService } from '../../services/builtin/etcd.ts';
import { kubeletService } from '../../services/builtin/kubelet.ts';
import { criService } from '../../services/builtin/plain.ts';
import { trustdService } from '../../services/builtin/trustd.ts';
import type { Service } from '../../services/service.ts';
import { mountSystemVolume } from '../../storage/volumes.ts';
import { type Phase, phase, task } from '../sequence.ts';
import { idle } from './initialize.ts';

const REPORT_US = 15_000_000;

/** From a configured machine to one whose services run: nine phases (reference/v1.11.3.md 6.1). */
export function bootPhases(machine: Machine): readonly Phase[] {
  return [
    phase('memorySizeCheck', idle(machine, 'memorySizeCheck')),
    phase('diskSizeCheck', idle(machine, 'diskSizeCheck')),
    phase('env', idle(machine, 'setUserEnvVars'), idle(machine, 'waitForCARoots')),
    phase('dbus', idle(machine, 'startDBus')),
    phase(
      'ephemeral',
      task('mountEphemeralPartition', () => mountEphemeral(machine)),
    ),
    phase('udevSetup', idle(machine, 'writeUdevRules')),
    phase('userDisks', idle(machine, 'mountUserDisks')),
    phase('userSetup', idle(machine, 'writeUserFiles')),
    phase(
      'startEverything',
      task('startAllServices', () => startAllServices(machine)),
    ),
  ];
}

function* mountEphemeral(machine: Machine): Task<void> {
  if (!(yield* mountSystemVolume(machine, 'EPHEMERAL'))) {
    throw new NodeError('failed to mount EPHEMERAL: volume is missing');
  }
}

/** Loads and starts what belongs to the machine type, then waits until every loaded service is up (≤ 70 min). */
function* startAllServices(machine: Machine): Task<void> {
  const { services, state, platform, profile, kmsg } = machine;
  const settings = activeSettings(state)!;
  services.load(kubeletService(machine));
  services.loadAndStart(criService(machine));
  if (isControlPlane(settings.machineType)) {
    services.loadAndStart(trustdService(machine));
    services.loadAndStart(etcdService(machine, { bootstrap: settings.machineType === 'init' }));
  }
  const wait = new UpWait(services.list());
  kmsg.talos(`waiting for ${wait.count} services`);
  const reporter = platform.scope.spawn('boot-report', () => reportUnmet(machine, wait));
  try {
    const allUp = machine.changed.until(() => wait.pending().length === 0);
    yield* timeout(platform.clock, profile.limits.bootUs, allUp);
  } catch (error) {
    if (error instanceof TimeoutError) throw new NodeError('context deadline exceeded');
    throw error;
  } finally {
    reporter.cancel();
  }
}

/** Services that must each have been up once; what becomes of them afterwards does not matter. */
class UpWait {
  readonly count: number;
  #pending: readonly { readonly service: Service; readonly timesUp: number }[];

  constructor(services: readonly Service[]) {
    this.count = services.length;
    this.#pending = services.map((service) => ({ service, timesUp: service.timesUp }));
  }

  pending(): readonly Service[] {
    this.#pending = this.#pending.filter(({ service, timesUp }) => !service.up && service.timesUp === timesUp);
    return this.#pending.map(({ service }) => service);
  }
}

function* reportUnmet(machine: Machine, wait: UpWait): Task<void> {
  for (;;) {
    const unmet = wait.pending();
    if (unmet.length > 0) {
      machine.kmsg.talos(unmet.map((service) => `service "${service.id}" to be "up"`).join(', '));
    }
    yield* machine.platform.clock.sleep(REPORT_US);
  }
}
