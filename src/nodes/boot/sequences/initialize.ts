import type { Task } from '../../../platform/task.ts';
import type { Machine } from '../../machine.ts';
import { MetaKeys } from '../../resources/runtime.ts';
import {
  auditdService,
  containerdService,
  dashboardService,
  machinedService,
  syslogdService,
  udevdService,
} from '../../services/builtin/plain.ts';
import { META_UPGRADE } from '../../storage/meta.ts';
import { acquireConfig } from '../acquire.ts';
import { type Phase, phase, type SequenceTask, task } from '../sequence.ts';

/** From nothing to a machine that knows its config (reference/v1.11.3.md 6.1). */
export function initializePhases(machine: Machine): readonly Phase[] {
  const { services, profile, platform } = machine;
  const { limits } = profile;
  return [
    phase('systemRequirements', idle(machine, 'enforceKSPPRequirements')),
    phase(
      'earlyServices',
      startAndWait(machine, 'startUdevd', 'udevd', () => services.loadAndStart(udevdService(machine)), limits.udevdUs),
      startAndWait(
        machine,
        'startMachined',
        'machined',
        () => services.loadAndStart(machinedService(machine)),
        limits.serviceUpUs,
      ),
      task(
        'startAuditd',
        start(() => services.loadAndStart(auditdService(machine))),
      ),
      task(
        'startSyslogd',
        start(() => services.loadAndStart(syslogdService(machine))),
      ),
      startAndWait(
        machine,
        'startContainerd',
        'containerd',
        () => services.loadAndStart(containerdService(machine)),
        limits.serviceUpUs,
      ),
    ),
    phase(
      'usb',
      task('waitForUSB', () => platform.clock.sleep(machine.draw('usb', profile.timings.usbDelay))),
    ),
    phase(
      'meta',
      task('reloadMeta', () => reloadMeta(machine)),
    ),
    { ...phase('cleanupBootloader', idle(machine, 'cleanupBootloader')), when: () => false },
    phase(
      'dashboard',
      task(
        'startDashboard',
        start(() => services.loadAndStart(dashboardService(machine))),
      ),
    ),
    { ...phase('wipeDisks', idle(machine, 'wipeSystemDisk')), when: () => false },
    { ...phase('haltIfInstalled', idle(machine, 'haltIfInstalled')), when: () => false },
    phase(
      'config',
      task('loadConfig', () => acquireConfig(machine)),
    ),
  ];
}

/** A task whose effect is not modelled; it takes a moment. */
export function idle(machine: Machine, name: string): SequenceTask {
  return task(name, () => machine.platform.clock.sleep(machine.draw(`task/${name}`, machine.profile.timings.bootTask)));
}

function start(action: () => void): () => Task<void> {
  return function* () {
    action();
  };
}

function startAndWait(machine: Machine, name: string, id: string, action: () => void, limitUs: number): SequenceTask {
  return task(name, function* () {
    action();
    yield* machine.services.waitUp(id, limitUs);
  });
}

/** Reads META and shows its keys. */
export function* reloadMeta(machine: Machine): Task<void> {
  yield* machine.meta.load();
  showMeta(machine);
}

/** Keeps the resources equal to what META holds. */
export function showMeta(machine: Machine): void {
  const { state, meta } = machine;
  const wanted = new Map(meta.entries().map(([tag, value]) => [metaId(tag), value]));
  for (const resource of state.list(MetaKeys)) {
    if (!wanted.has(resource.metadata.id)) state.destroy(resource.metadata);
  }
  for (const [id, value] of wanted) state.modify(MetaKeys, id, () => ({ value }));
}

function metaId(tag: number): string {
  return `0x${tag.toString(16).padStart(2, '0')}`;
}

/** Whether an upgrade could still be undone. */
export function fallbackPending(machine: Machine): boolean {
  return (machine.meta.get(META_UPGRADE) ?? '') !== '';
}
